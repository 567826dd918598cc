/**
 * Frames at a steady rate, by a sender that rests in between: the core is shared with what is measured.
 */
import { MarkerCounter } from './marker-counter.mjs'
import { sleep, until } from './waiting.mjs'

/** How often it writes what is due, in milliseconds. */
const TURN_MS = 10

/** How long the last answer may take, in milliseconds. */
const ANSWER_MS = 20_000

/** Sends them. @returns how many, once all of them were answered */
export async function sendSteadily(daemon, { framesPerSecond, durationMs }) {
  const publisher = await daemon.openPublisher()
  const batches = daemon.batches()
  const answers = new MarkerCounter(daemon.answerMarker)
  const total = Math.round((framesPerSecond * durationMs) / 1_000)
  let [sent, answered] = [0, 0]
  publisher.onBytes = (buffer, length) => (answered += answers.feed(buffer, length))
  const startedMs = performance.now()
  try {
    while (sent < total) {
      const due = Math.min(total, Math.ceil(((performance.now() - startedMs) * framesPerSecond) / 1_000))
      if (due > sent) publisher.write(batches(due - sent))
      sent = due
      await sleep(TURN_MS)
    }
    await until(() => answered >= total, ANSWER_MS, 'not every frame was answered')
  } finally {
    publisher.close()
  }
  return total
}
