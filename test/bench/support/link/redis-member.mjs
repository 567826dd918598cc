/**
 * A publisher or a reader of Redis Streams as a process: `redis-member.mjs publisher|consumer HOST PORT`; words as `jet-member.mjs`
 * has them, of one message at a time.
 */
import { createXadds, openRedis } from '../redis.mjs'
import { answerLines, Arrivals, nowMicros } from './member.mjs'
import { openReader } from './redis-reader.mjs'

const [role, host, port] = process.argv.slice(2)
const target = { host, port: Number(port) }

const words = { ready: () => 0, time: () => 0 }
if (role === 'consumer') {
  const arrivals = new Arrivals()
  await openReader(target, () => arrivals.add())
  words.next = () => arrivals.next()
} else {
  const connection = await openRedis(target)
  const batches = createXadds()
  words.once = () => {
    const sentMicros = nowMicros()
    connection.write(batches(1))
    return sentMicros
  }
}
await answerLines(words)
