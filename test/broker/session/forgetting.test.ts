/** Forgetting while others go on: in turns between which they have theirs, and no further than where it began (HD-10). */
import { expect, test } from 'vitest'
import { Workbench } from '../workbench.ts'

/** As many as take several steps. */
const MANY = 3_000

test('what comes while others are being forgotten is answered in its turn, and stays', async () => {
  const bench = new Workbench({ retention: { maxFrames: 10_000 } })
  for (let i = 0; i < MANY; i += 1) bench.submit(bench.frame({}))
  bench.turn()
  const state = { isOver: false }
  const forgetting = bench.broker.forget({ kind: 'agent_advisory' }).finally(() => {
    state.isOver = true
  })
  // Behind what the forgetting waits for first, up to its first step.
  while (bench.ring.count === MANY) {
    bench.step()
    await Promise.resolve()
  }

  const left = bench.ring.count
  let answer: unknown
  bench.submit(bench.frame({}), { respond: (reply) => (answer = reply) })
  bench.step()
  const isOverBefore = state.isOver
  const isAnswered = answer !== undefined
  while (!state.isOver) {
    bench.turn()
    await Promise.resolve()
  }

  expect([left > 0, isAnswered, isOverBefore]).toEqual([true, true, false])
  expect([await forgetting, bench.ring.count]).toEqual([MANY, 1])
})

test('what waits in a mailbox while it is being forgotten waits for nobody and is lost to nobody (AC-192)', async () => {
  const bench = new Workbench({ retention: { maxFrames: 10_000 } })
  const session = bench.session('cc', 's1', { mailbox: true })
  for (let i = 0; i < MANY; i += 1) bench.submit(bench.frame(i % 2 === 0 ? { kind: 'agent_query' } : {}))
  bench.turn()

  const forgotten = await bench.forget({ kind: 'agent_query' })

  expect([forgotten, session.mailbox?.unread]).toEqual([MANY / 2, MANY / 2])
  expect(bench.drain(session, { max_items: 10 }).gap).toBeNull()
})
