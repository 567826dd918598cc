import { expect, test } from 'vitest'
import { MAX_SEGMENT_LENGTH, SEGMENT_LENGTH_EACH } from '../../../src/broker/submit/fan-out.ts'
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

test.each([
  [1, SEGMENT_LENGTH_EACH],
  [3, 3 * SEGMENT_LENGTH_EACH],
  [40, MAX_SEGMENT_LENGTH],
])(
  'a turn of large frames is handed to %i in buffers that end with the frame that fills them (R-28)',
  (...args) => {
    const [count, most] = args
    const bench = new Workbench()
    const sinks = Array.from({ length: count }, () => new MeasuringSink())
    for (const [i, sink] of sinks.entries()) bench.open(bench.session('cc', `s${i}`), { sink })
    const opening = sinks.map((sink) => sink.lengths.length)
    const frames = Array.from({ length: 20 }, () => bench.frame({ kind: 'agent_handover', frame: LARGE }))

    for (const frame of frames) bench.submit(frame)
    bench.turn()

    for (const [i, sink] of sinks.entries()) {
      const lengths = sink.lengths.slice(opening[i])
      expect(sink.frameIds).toEqual(frames.map(({ frame_id }) => frame_id))
      expect(lengths.length).toBeGreaterThan(2)
      expect(lengths.slice(0, -1).filter((length) => length <= most)).toEqual([])
      expect(lengths.filter((length) => length > most + MAX_EVENT_LENGTH)).toEqual([])
    }
  },
)
