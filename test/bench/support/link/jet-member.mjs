/**
 * A publisher or a consumer of plain JetStream as a process: `jet-member.mjs publisher|consumer HOST PORT [CA]`.
 *
 * Both answer `ready` and `count`, how many messages were acknowledged, or came. A publisher answers `once` with when it sent one;
 * after `go` it keeps its window full, and `end` it answers when nothing is on its way any more. A consumer answers `next` with
 * when the next one came.
 */
import { consumeOn, openJet, publisherOn } from './jet.mjs'
import { answerLines, Arrivals, nowMicros } from './member.mjs'

const WINDOW = 256

const [role, host, port, caPath] = process.argv.slice(2)
const connection = await openJet({ host, port, caPath })

let count = 0
let isOver = false
let running = []

async function keepPublishing(publish) {
  // oxlint-disable-next-line eslint/no-unmodified-loop-condition
  while (!isOver) {
    await publish()
    count += 1
  }
}

const words = { ready: () => count, count: () => count }
if (role === 'consumer') {
  const arrivals = new Arrivals()
  let isTimed = false
  await consumeOn(connection, () => {
    count += 1
    if (isTimed) arrivals.add()
  })
  words.time = () => {
    isTimed = true
    return count
  }
  words.next = () => arrivals.next()
} else {
  const { publish } = publisherOn(connection)
  words.once = async () => {
    const sentMicros = nowMicros()
    await publish()
    return sentMicros
  }
  words.go = () => {
    running = Array.from({ length: WINDOW }, () => keepPublishing(publish))
    return count
  }
  words.end = async () => {
    isOver = true
    await Promise.all(running)
    return count
  }
}
await answerLines(words)
