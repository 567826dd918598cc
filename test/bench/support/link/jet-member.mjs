/**
 * A publisher or a consumer of plain JetStream as a process: `jet-member.mjs publisher|consumer PORT`. On every line that it
 * reads it answers with how many messages were acknowledged, or came: `ready` when it is, `count` as it is now. After `go`
 * a publisher keeps its window full, and after `end` it answers when nothing is on its way any more.
 */
import { connect } from '@nats-io/transport-node'
import { createInterface } from 'node:readline'
import { consumeOn, publisherOn } from './jet.mjs'

const WINDOW = 256

const [role, port] = process.argv.slice(2)
const connection = await connect({ servers: `127.0.0.1:${port}`, reconnect: false })

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

const words = { ready: () => {}, count: () => {} }
if (role === 'consumer') await consumeOn(connection, () => (count += 1))
else {
  const { publish } = publisherOn(connection)
  words.go = () => {
    running = Array.from({ length: WINDOW }, () => keepPublishing(publish))
  }
  words.end = async () => {
    isOver = true
    await Promise.all(running)
  }
}

for await (const word of createInterface({ input: process.stdin })) {
  await words[word]()
  process.stdout.write(`${count}\n`)
}
process.exit(0)
