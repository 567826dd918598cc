import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrivingFrame, batchOf, ingest, laneOf } from '../../support/arrivals.ts'
import { Workbench } from '../workbench.ts'

/** How far each reading of a lane goes back before it goes on, and by how much. */
const READINGS = fc.array(
  fc.record({
    lane: fc.constantFrom('devbox', 'ci'),
    back: fc.integer({ min: 0, max: 60 }),
    on: fc.integer({ min: 0, max: 20 }),
    size: fc.integer({ min: 1, max: 16 }),
  }),
  { minLength: 1, maxLength: 12 },
)

test('a mark makes every repeat of any age nothing, however far back a lane is read again and in whatever batches (FED-05)', async () => {
  await fc.assert(
    fc.asyncProperty(READINGS, async (readings) => {
      const bench = new Workbench()
      const { sink } = bench.open(bench.session('cc', 's1'))
      const frames = new Map(
        ['devbox', 'ci'].map((lane) => [lane, new Array<ReturnType<typeof arrivingFrame>>()]),
      )
      for (const { lane, back, on, size } of readings) {
        const known = frames.get(lane) ?? []
        const from = Math.max(0, known.length - back)
        for (let i = 0; i < on; i += 1) known.push(arrivingFrame(`${lane}-${known.length + 1}`))
        for (let at = from; at < known.length; at += size)
          await ingest(bench, batchOf(known.slice(at, at + size), { node: lane, lane: laneOf(lane) }))
      }

      for (const [lane, known] of frames) {
        const arrived = bench.ring.read(0, 10_000).filter(({ origin }) => origin?.node === lane)
        expect(arrived.map(({ origin }) => origin?.eventId)).toEqual(known.map(({ eventId }) => eventId))
      }
      expect(new Set(sink.frameIds).size).toBe(sink.frameIds.length)
      expect(sink.seqs).toEqual(Array.from({ length: bench.ring.lastSeq }, (_, i) => i + 1))
    }),
    { numRuns: 60 },
  )
})
