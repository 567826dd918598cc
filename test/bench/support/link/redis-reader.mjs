/**
 * Redis Streams on a loopback port, and a reader that waits in `XREAD BLOCK` for whatever comes next.
 */
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../torture/support/link/hub-parts.mjs'
import { isApart } from '../../../torture/support/namespaces.mjs'
import { MARKER } from '../frames.mjs'
import { spreadOut } from '../machine.mjs'
import { openRedis, startRedisStream } from '../redis.mjs'
import { startMember } from './member.mjs'

/** Entries of one answer. */
const MAX_ENTRIES = 256

/** A reader that is told nothing for so long has lost its server, in milliseconds; Redis ends the command itself. */
const BLOCK_MS = 10_000

const ENTRY_ID = /\b(\d{13}-\d+)\r\n/g

const MEMBER = fileURLToPath(new URL('./redis-member.mjs', import.meta.url))

/** As a contender, over TCP and on every core. @param ways - of both machines, where they have networks of their own */
export async function startRedisWay({ ways: [near, far] = [] } = {}) {
  const port = await freePort()
  const server = await startRedisStream('everysec', { port, bind: isApart ? '0.0.0.0' : '127.0.0.1' })
  spreadOut(server.pid)
  const memberOf = (role, { host = '127.0.0.1', command } = {}) =>
    startMember([MEMBER, role, host, String(port)], command)
  return {
    ...server,
    name: 'redis streams',
    openReader: (onEntries) => openReader({ host: '127.0.0.1', port }, onEntries),
    startPublisher: () => memberOf('publisher', near),
    startConsumer: () => memberOf('consumer', far),
  }
}

/**
 * @param target - `{host, port}`
 * @param onEntries - called with how many came
 * @returns the connection
 */
export async function openReader(target, onEntries) {
  const connection = await openRedis(target)
  let text = ''
  const ask = (after) => {
    text = ''
    const words = ['XREAD', 'COUNT', MAX_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', 'bench', after].map(String)
    const parts = words.map((word) => `$${word.length}\r\n${word}\r\n`)
    connection.write(`*${words.length}\r\n${parts.join('')}`)
  }
  connection.onBytes = (buffer, length) => {
    text += buffer.latin1Slice(0, length)
    if (text.startsWith('*-1')) connection.onLost(new Error(`Redis had nothing for ${BLOCK_MS} ms`))
    // One list, of one stream's name and its entries.
    const wanted = Number(/^\*1\r\n\*2\r\n\$5\r\nbench\r\n\*(\d+)\r\n/.exec(text)?.[1] ?? NaN)
    const count = text.split(MARKER).length - 1
    if (count !== wanted || !text.endsWith('\r\n')) return
    ask([...text.matchAll(ENTRY_ID)].at(-1)[1])
    onEntries(count)
  }
  ask('$')
  return connection
}
