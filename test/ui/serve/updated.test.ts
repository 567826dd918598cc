/** agentd is updated while the page's process runs: who loads the page again gets the new one (SEAT-26). */
import { createServer, get, request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { PageFiles } from '../../../src/ui/serve/files.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { openSeat, type TestSeat } from './support.ts'

/** A way to a daemon on which it says another version than its own. */
async function otherVersion(path: string) {
  const state = { socket: '', version: '1.0.0' }
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const onwards = httpRequest({ socketPath: state.socket, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'agentd-version': state.version })
      answer.pipe(outgoing)
    })
    onwards.once('error', () => outgoing.destroy())
    outgoing.once('close', () => onwards.destroy())
    incoming.pipe(onwards)
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    state,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Looks on for as long as it takes to hear the daemon's version. */
async function watch({ port }: TestSeat, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const request = get({ host: '127.0.0.1', port, path: '/v1/watch', headers, agent: false })
  request.on('error', () => {})
  const [answer]: IncomingMessage[] = await within(once(request, 'response'), 'the head of a watch')
  request.destroy()
  return answer?.headers['agentd-version']
}

test('the page is read anew when the daemon has become another one, and only then (SEAT-26)', async () => {
  await using dir = await createTempDir()
  await using daemon = await otherVersion(dir.file('way.sock'))
  const page = { text: 'the old page', reads: 0 }
  const readFiles = (): PageFiles => {
    page.reads += 1
    if (page.text === '') throw new Error('it is being replaced')
    return new Map([['/', { status: 200, mediaType: 'text/html', bytes: Buffer.from(page.text) }]])
  }
  await using seat = await openSeat({ socketPath: dir.file('way.sock'), readFiles })
  daemon.state.socket = seat.daemon.socket
  const token = await seat.signIn()
  const shown = async (): Promise<string> => (await seat.ask('/')).text

  page.text = 'the new page'
  expect([await watch(seat, token), await watch(seat, token)]).toEqual(['1.0.0', '1.0.0'])
  expect([await shown(), page.reads]).toEqual(['the old page', 1])

  daemon.state.version = '1.1.0'
  expect(await watch(seat, token)).toBe('1.1.0')
  expect([await shown(), page.reads]).toEqual(['the new page', 2])

  page.text = ''
  daemon.state.version = '1.2.0'
  expect(await watch(seat, token)).toBe('1.2.0')
  expect([await shown(), page.reads]).toEqual(['the new page', 3])
})
