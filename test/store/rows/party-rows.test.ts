/** Who is a party of a workflow: what is looked through for that, and how often (HD-10). */
import { expect, test, vi } from 'vitest'
import { MAX_LOOKED_THROUGH } from '../../../src/store/rows/party-rows.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { openRing, retainedEnvelope } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** So many envelopes of a workflow between two others. */
function converse(ring: SqliteRing, count: number): void {
  ring.append(Array.from({ length: count }, () => retainedEnvelope({ text: '{}' })))
}

/** Envelopes looked through at each question, by their places. */
function watchLooks(ring: SqliteRing): readonly (readonly [number, number])[] {
  const looks: (readonly [number, number])[] = []
  const { party } = ring.file.statements
  const get = party.get.bind(party)
  vi.spyOn(party, 'get').mockImplementation((keys) => {
    looks.push([keys.after, keys.upTo])
    return get(keys)
  })
  return looks
}

test('a workflow is looked through once for a stranger, and from then on what came since', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  converse(ring, 300)
  const looks = watchLooks(ring)

  const answers = [ring.hasParty('corr-one', 'agent.stranger'), ring.hasParty('corr-one', 'agent.stranger')]
  converse(ring, 2)
  answers.push(ring.hasParty('corr-one', 'agent.stranger'))

  expect(answers).toEqual([false, false, false])
  expect(looks).toEqual([
    [0, 300],
    [300, 300],
    [300, 302],
  ])
  ring.close()
})

test('a party is found again where it was found, and by the next of its envelopes when that one is gone', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  converse(ring, 5)
  ring.append([retainedEnvelope({ id: 'first', from: 'agent.c' }), retainedEnvelope({ to: 'agent.c' })])
  const looks = watchLooks(ring)

  const answers = [ring.hasParty('corr-one', 'agent.c'), ring.hasParty('corr-one', 'agent.c')]
  ring.forget({ key: 'aee:first' }, { afterSeq: 0, upToSeq: ring.lastSeq })
  answers.push(ring.hasParty('corr-one', 'agent.c'), ring.hasParty('corr-one', 'agent.c'))

  expect(answers).toEqual([true, true, true, true])
  expect(looks.map(([after]) => after)).toEqual([0, 5, 5, 6])
  ring.close()
})

test('no more is looked through at once than may be, and the next question goes on behind it', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  converse(ring, MAX_LOOKED_THROUGH + 1)
  const looks = watchLooks(ring)

  ring.hasParty('corr-one', 'agent.stranger')
  ring.hasParty('corr-one', 'agent.stranger')

  expect(looks).toEqual([
    [0, MAX_LOOKED_THROUGH],
    [MAX_LOOKED_THROUGH, MAX_LOOKED_THROUGH + 1],
  ])
  ring.close()
}, 30_000)
