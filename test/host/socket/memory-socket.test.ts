/** A connection within the process keeps the laws of a socket's. */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { expect, test } from 'vitest'
import { MemorySocket } from '../../../src/host/socket/memory-socket.ts'
import { within } from '../../support/within.ts'

test('what one end writes the other reads, in order, and its end too', async () => {
  const [one, other] = MemorySocket.pair(7)
  one.resume()
  const closed = once(one, 'close')

  one.write('a')
  one.write('b')
  one.end('c')
  const read = await within(other.toArray(), 'the end')

  expect(Buffer.concat(read).toString()).toBe('abc')
  expect([one.peerPid, other.peerPid]).toEqual([7, 7])
  await within(closed, 'the end that ended to close')
})

test('who does not read is not written to without bound', async () => {
  const [one, other] = MemorySocket.pair(undefined)
  const piece = Buffer.alloc(one.writableHighWaterMark)
  let written = 0
  while (one.write(piece)) written += 1
  one.write(piece)

  expect(written).toBeLessThan(4)
  expect(one.writableNeedDrain).toBe(true)
  other.resume()
  await within(once(one, 'drain'), 'room')
})

test('torn away at one end it is torn at the other, and nothing more can be said', async () => {
  const [one, other] = MemorySocket.pair(undefined)
  const closed = new Promise((resolve) => void other.once('close', resolve))
  const failed = new Promise((resolve) => void other.once('error', resolve))
  one.destroy()

  other.write('anybody?')

  expect(await within(failed, 'the failure')).toMatchObject({ code: 'EPIPE' })
  await within(closed, 'the other end to close')
})

test('a write that waits for room fails when the other end goes, and is not waited for any longer', async () => {
  const [one, other] = MemorySocket.pair(undefined)
  one.on('error', () => {})
  const failed = new Promise((resolve) => {
    one.write(Buffer.alloc(1 << 20))
    one.write('more', resolve)
  })

  other.end()
  other.destroy()

  expect(await within(failed, 'the failure')).toMatchObject({ code: 'EPIPE' })
})

test('HTTP runs over it, several requests on one connection', async () => {
  const ends: MemorySocket[] = []
  const server = createServer((asked, answer) => void asked.pipe(answer))
  class Inside extends Agent {
    override createConnection(): MemorySocket {
      const [near, far] = MemorySocket.pair(1)
      server.emit('connection', far)
      ends.push(near)
      return near
    }
  }
  const agent = new Inside({ keepAlive: true, maxSockets: 1 })
  const ask = async (text: string): Promise<string> => {
    const sent = request({ agent, method: 'POST', headers: { host: 'x' } })
    sent.end(text)
    const [answer] = await within(once(sent, 'response'), 'an answer')
    return Buffer.concat(await answer.toArray()).toString()
  }

  expect(await ask('one')).toBe('one')
  expect(await ask('x'.repeat(1_000_000))).toHaveLength(1_000_000)
  expect(ends).toHaveLength(1)
  agent.destroy()
})
