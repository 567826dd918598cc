/** Whose mail a session took over, as a bounded set (HD-02). */
import { expect, test } from 'vitest'
import { MAX_PREDECESSORS, addPredecessors } from '../../../src/broker/kinship/predecessors.ts'
import { Workbench } from '../workbench.ts'

const OWN = '~alice/cc@own'

function former(name: string | number, upToSeq = 1) {
  return { address: `~alice/cc@${name}`, upToSeq }
}

test('the newest stand first, and the oldest beyond the bound are left out (HD-02)', () => {
  const known = Array.from({ length: MAX_PREDECESSORS }, (_, i) => former(i))

  const more = addPredecessors(known, [former('new')], OWN)

  expect(more).toEqual([former('new'), ...known.slice(0, MAX_PREDECESSORS - 1)])
})

test('an address stands there once, with the latest place, and the own one never (HD-02)', () => {
  const known = [former('a', 7), former('b', 2)]

  const more = addPredecessors(known, [former('b', 5), former('a', 3), former('own', 9)], OWN)

  expect(more).toEqual([former('b', 5), former('a', 7)])
})

test('two that succeed each other in turn a thousand times know of one another, and of nobody else (HD-02)', () => {
  const bench = new Workbench()
  const names = ['one', 'other']
  const held = names.map((name) => bench.register({ instrument: 'cc', session_id: name, mailbox: true }))

  for (let turn = 0; turn < 1_000; turn += 1) {
    const [heir, former] = turn % 2 === 0 ? [0, 1] : [1, 0]
    const wish = {
      instrument: 'cc',
      session_id: names[heir],
      mailbox: true,
      successor_of: `cc@${names[former]}`,
    }
    bench.register(wish, held[heir])
  }

  expect(held.map(({ session }) => session.predecessors.map(({ address }) => address))).toEqual([
    ['~alice/cc@other'],
    ['~alice/cc@one'],
  ])
})

test('however long a chain of heirs, one carries on the newest of them (HD-02)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  let heir = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })
  for (let i = 2; i <= 100; i += 1)
    heir = bench.session('cc', `s${i}`, { mailbox: true, successor_of: `cc@s${i - 1}` })

  expect(heir.predecessors.map(({ address }) => address)).toEqual(
    Array.from({ length: MAX_PREDECESSORS }, (_, i) => `~alice/cc@s${99 - i}`),
  )
})
