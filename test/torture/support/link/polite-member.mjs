/** The process of who speaks politely: `polite-member.mjs NODE SOCKET INDEX`. */
import { Speaker } from './speakers.mjs'

/** One at a time, with a breath between, in milliseconds. */
const PACE = { pauseMs: 20, window: 1 }

const [name, socket, index] = process.argv.slice(2)
const speaker = new Speaker({ name, socket }, index, PACE)

const words = {
  start: () => speaker.start(),
  takeLatencies: () => speaker.takeLatencies(),
  async stop() {
    await speaker.stop()
    return { acked: speaker.acked, refused: speaker.refused }
  },
}

process.on('message', async (word) => {
  try {
    process.send({ answer: await words[word]() })
  } catch (error) {
    process.send({ failure: String(error) })
  }
})
