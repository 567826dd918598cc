/**
 * A large batch takes several turns of the loop: what is submitted here goes between, and whatever ends it half-way leaves marks
 * for what was committed and a cursor that has not moved (FED-27, FT-13).
 */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { MAX_TURN_ITEMS } from '../../../src/broker/ingest/ingest-batch.ts'
import { arrivingFrame, batchOf, ingest, laneOf, REALM } from '../../support/arrivals.ts'
import { Workbench } from '../workbench.ts'

function framesOf(count: number) {
  return Array.from({ length: count }, (_, i) => arrivingFrame(`far1-${i + 1}`))
}

/** One turn of the loop, and what follows from it before the next. */
async function turn(bench: Workbench): Promise<void> {
  await setImmediate()
  bench.step()
  await setImmediate()
}

function markOf({ broker }: Workbench): number | undefined {
  return broker.origins.marksOf(REALM).get(laneOf('devbox'))?.get('far1')
}

describe('A batch', () => {
  test(`of ${MAX_TURN_ITEMS} records is one turn, its cursor included (FED-27)`, async () => {
    const bench = new Workbench()
    const applied = bench.broker.ingest(batchOf(framesOf(MAX_TURN_ITEMS), { seq: 7 }))

    await turn(bench)

    expect(bench.ring.count).toBe(MAX_TURN_ITEMS)
    expect(bench.broker.origins.cursorOf(REALM)).toMatchObject({ seq: 7 })
    await applied
  })

  test('of more than that lets what is submitted here go between, and moves the cursor with the last (FED-27, FT-13)', async () => {
    const bench = new Workbench()
    const count = 2 * MAX_TURN_ITEMS + 1
    const applied = bench.broker.ingest(batchOf(framesOf(count), { seq: 7 }))

    await turn(bench)
    const afterOne = [bench.ring.count, markOf(bench), bench.broker.origins.cursorOf(REALM)]
    bench.submit(bench.frame())
    await turn(bench)
    const afterTwo = [bench.ring.count, markOf(bench), bench.broker.origins.cursorOf(REALM)]
    await turn(bench)

    expect(afterOne).toEqual([MAX_TURN_ITEMS, MAX_TURN_ITEMS, undefined])
    expect(afterTwo).toEqual([2 * MAX_TURN_ITEMS + 1, 2 * MAX_TURN_ITEMS, undefined])
    expect([bench.ring.count, markOf(bench)]).toEqual([count + 1, count])
    expect(bench.broker.origins.cursorOf(REALM)).toMatchObject({ seq: 7, last: `far1-${count}` })
    expect((await applied).map(({ outcome }) => outcome)).toEqual(Array(count).fill('applied'))
  })

  test('that comes again after it was ended between two turns brings the rest, once and in order (FED-05, FED-27)', async () => {
    const bench = new Workbench()
    const frames = framesOf(2 * MAX_TURN_ITEMS)
    await ingest(bench, batchOf(frames.slice(0, MAX_TURN_ITEMS), { cursor: undefined }))

    const answers = await ingest(bench, batchOf(frames, { seq: 7 }))

    const outcomes = answers.map(({ outcome }) => outcome)
    expect(outcomes.slice(0, MAX_TURN_ITEMS)).toEqual(Array(MAX_TURN_ITEMS).fill('repeat'))
    expect(outcomes.slice(MAX_TURN_ITEMS)).toEqual(Array(MAX_TURN_ITEMS).fill('applied'))
    const origins = [...bench.ring.read(0, 1_000)].map(({ origin }) => origin?.eventId)
    expect(origins).toEqual(frames.map(({ eventId }) => eventId))
  })
})
