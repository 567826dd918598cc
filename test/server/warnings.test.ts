/**
 * What many at once must not make Node complain of: a warning names a leak, and there is none.
 *
 * @see R-35; HD-22
 */
import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { cutUnlessTaken } from '../../src/server/request/problem.ts'
import { openLines } from '../support/http.ts'
import { validFrame } from '../support/frames.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** Node warns from the eleventh listener on. */
const MANY = 16

test('many senders of lines at once are no leak (HD-22)', async () => {
  const senders = Array.from({ length: MANY }, () => openLines(shared.socket))

  for (const sender of senders) sender.write(`${JSON.stringify({ frame: validFrame() })}\n`)
  await Promise.all(senders.map((sender) => sender.answered(1)))
  for (const sender of senders) sender.end()
  await Promise.all(senders.map((sender) => sender.ended))

  expect(shared.daemon.stderr()).not.toContain('MaxListenersExceededWarning')
})

test('an answer that fills up and is taken again and again leaves no listener behind (HD-22)', async () => {
  await using dir = await createTempDir()
  const server = createServer().listen({ path: dir.file('s') })
  const asked = new Promise<ServerResponse>((resolve) =>
    server.once('request', (_request, response) => resolve(response)),
  )
  const outgoing = httpRequest({ socketPath: dir.file('s') }).end()
  outgoing.on('error', () => {})
  const response = await asked
  const before = response.listenerCount('close')

  for (let i = 0; i < MANY; i += 1) cutUnlessTaken(response)()

  expect(response.listenerCount('close')).toBe(before)
  response.end()
  outgoing.destroy()
  server.close()
})
