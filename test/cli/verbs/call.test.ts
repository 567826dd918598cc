/**
 * One request of the short way, against peers that answer as they like.
 */
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { callVerb, type VerbAnswer } from '../../../src/cli/verbs/call.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"é":"ü"}'

/** Calls a peer that does something with the connection once it has the whole request. */
async function call(answer: (socket: Socket) => void): Promise<VerbAnswer> {
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
  const answered = await callVerb({ socketPath, verb: 'advise', body, token: undefined })
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

  const answer = await callVerb({
    socketPath: dir.file('none.sock'),
    verb: 'advise',
    body: {},
    token: undefined,
  })

  expect(answer).toMatchObject({ kind: 'absent' })
})
