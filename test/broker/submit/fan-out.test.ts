import { expect, test } from 'vitest'
import { MAX_SEGMENT_LENGTH } from '../../../src/broker/submit/fan-out.ts'
import { ArraySink, Workbench } from '../workbench.ts'

/** About as large as a frame gets, and the event that carries one. */
const LARGE = {
  payload: {
    previous_session_id: 's0',
    handover_body: 'x'.repeat(8_000),
    pointer_refs: Array.from({ length: 40 }, () => 'y'.repeat(1_000)),
  },
}
const MAX_EVENT_LENGTH = 50_000

/** A sink that remembers how large the buffers were that it was handed. */
class MeasuringSink extends ArraySink {
  readonly lengths: number[] = []

  override write(chunks: readonly Buffer[]): boolean {
    this.lengths.push(...chunks.map(({ length }) => length))
    return super.write(chunks)
  }
}

test('a turn of large frames is handed over in buffers that end with the frame that fills them (R-28)', () => {
  const bench = new Workbench()
  const sink = new MeasuringSink()
  bench.open(bench.session('cc', 's1'), { sink })
  const opening = sink.lengths.length
  const frames = Array.from({ length: 20 }, () => bench.frame({ kind: 'agent_handover', frame: LARGE }))

  for (const frame of frames) bench.submit(frame)
  bench.turn()

  const lengths = sink.lengths.slice(opening)
  expect(sink.frameIds).toEqual(frames.map(({ frame_id }) => frame_id))
  expect(lengths.length).toBeGreaterThan(2)
  expect(lengths.slice(0, -1).filter((length) => length <= MAX_SEGMENT_LENGTH)).toEqual([])
  expect(lengths.filter((length) => length > MAX_SEGMENT_LENGTH + MAX_EVENT_LENGTH)).toEqual([])
})
