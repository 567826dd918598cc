/**
 * One request written by hand, against peers that answer as they like.
 */
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { callAndHold, callOnce, type OneAnswer } from '../../../src/client/http/one-call.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"é":"ü"}'

const ADVICE = { method: 'POST', path: '/v1/verbs/advise', token: undefined } as const

/** Calls a peer that does something with the connection once it has the whole request. */
async function call(answer: (socket: Socket) => void): Promise<OneAnswer> {
  await using dir = await createTempDir()
  const socketPath = dir.file('peer.sock')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (received.endsWith('{"text":"hello"}')) answer(socket)
    })
  }).listen(socketPath)
  await once(server, 'listening')
  const body = { text: 'hello' }
  const answered = await callOnce({ ...ADVICE, socketPath, body })
  // Comes back when the last connection has ended: nobody holds on to one.
  await new Promise((resolve) => server.close(resolve))
  return answered
}

test('an answer is whole wherever it was cut', async () => {
  const bytes = Buffer.from(ANSWER)
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const answer = await call((socket) => {
      socket.write(bytes.subarray(0, cut))
      setImmediate(() => socket.write(bytes.subarray(cut)))
    })

    expect(answer).toEqual({ kind: 'answered', status: 200, text: '{"é":"ü"}' })
  }
})

test('a peer that goes in the middle of its answer leaves it unknown what became of the frame', async () => {
  const answer = await call((socket) => socket.end(ANSWER.slice(0, -3)))

  expect(answer).toEqual({ kind: 'silent', how: 'it closed the connection without an answer' })
})

test('an answer without an end is given up at its bound', async () => {
  const answer = await call((socket) => {
    const pour = (): void => {
      if (!socket.destroyed) socket.write('x'.repeat(65_536), () => setImmediate(pour))
    }
    pour()
  })

  expect(answer).toEqual({ kind: 'silent', how: 'its answer has no end' })
})

test('what is no HTTP is no answer', async () => {
  const answer = await call((socket) => socket.write('hello\r\n\r\n'))

  expect(answer).toEqual({ kind: 'silent', how: 'it does not speak as agentd does' })
})

test('where nobody listens nothing was sent', async () => {
  await using dir = await createTempDir()

  const answer = await callOnce({ ...ADVICE, socketPath: dir.file('none.sock'), body: {} })

  expect(answer).toMatchObject({ kind: 'absent' })
})

test('a call that is given up leaves it unknown what became of it, however long the daemon would take', async () => {
  await using dir = await createTempDir()
  const server = createServer().listen(dir.file('mute.sock'))
  await once(server, 'listening')
  const giving = new AbortController()
  server.once('connection', (socket) => {
    socket.resume()
    giving.abort()
  })

  const answer = await callOnce({ ...ADVICE, socketPath: dir.file('mute.sock'), signal: giving.signal })
  await new Promise((resolve) => server.close(resolve))

  expect(answer).toEqual({ kind: 'silent', how: 'it has said nothing in time' })
})

test('a connection that is held rests after the answer until the peer closes it', async () => {
  await using dir = await createTempDir()
  const server = createServer().listen(dir.file('peer.sock'))
  await once(server, 'listening')
  const asked = new Promise<{ socket: Socket; request: string }>((resolve) => {
    server.once('connection', (socket) => {
      socket.once('data', (chunk) => {
        socket.write(ANSWER)
        resolve({ socket, request: chunk.toString() })
      })
    })
  })

  const held = await callAndHold({
    method: 'GET',
    path: '/v1/health',
    token: undefined,
    socketPath: dir.file('peer.sock'),
  })
  const { socket, request } = await asked
  expect(request).toContain('connection: keep-alive')
  expect(socket.destroyed).toBe(false)
  socket.end()

  await held.closed
  held.release()
  server.close()
})
