/** The listener over real sockets: what it serves, what it closes on, and with which fields (SEAT-13, SEAT-14, R-37). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAX_SEAT_BODY_OCTETS } from '../../../src/ui/serve/entry/body.ts'
import { MAX_CONNECTIONS } from '../../../src/ui/serve/listener.ts'
import { runsOnLinux } from '../../support/needs.ts'
import { within } from '../../support/within.ts'
import { connectTo, headOf, openSeat } from './support.ts'

test('four files are served by their exact names, and nothing else without a token (SEAT-13)', async () => {
  await using seat = await openSeat()

  const page = await seat.ask('/')
  const types = await Promise.all(['/page.js', '/page.css', '/icon.svg'].map((path) => seat.ask(path)))
  const head = await seat.ask('/page.js', { method: 'HEAD', headers: { origin: undefined } })
  const others = ['/index.html', '/?x', '/page.js?x', '/../package.json', '/favicon.ico', '/v1/health', '/.']

  expect([page.status, page.text]).toEqual([200, '<!doctype html>the page'])
  expect(types.map(({ headers }) => headers['content-type'])).toEqual([
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
    'image/svg+xml',
  ])
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '9'])
  for (const path of others) expect((await seat.ask(path)).body, path).toMatchObject({ code: 'signed-out' })
})

test('every answer tells the browser to run, frame, keep and tell nothing, and none allows an origin (SEAT-13)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const answers = [
    await seat.ask('/'),
    await seat.ask('/v1/health', { token }),
    await seat.ask('/v1/health'),
    await seat.ask('/v1/sessions', { token, json: {} }),
    await seat.ask('/', { headers: { host: 'evil.com' } }),
    await seat.ask('/v1/health', { method: 'OPTIONS', token }),
    await seat.ask('/hello?nonce=0123456789abcdef'),
  ]
  const raw = await seat.raw('nonsense\r\n\r\n')

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 421, 405, 200])
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect(headers['permissions-policy']).toMatch(/^(?:[a-z-]+=\(\)(?:, |$))+$/)
    expect(Object.keys(headers).filter((name) => /^access-control|set-cookie|^server$/.test(name))).toEqual(
      [],
    )
  }
  expect(raw).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(raw).toContain("trusted-types 'none'")
})

test('the first fault answers: host, origin, site, token, path, method, type, size (SEAT-13)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const wrong = { host: 'x', origin: 'null', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' }
  const own = { ...wrong, host: seat.authority }
  const here = { ...own, origin: `http://${seat.authority}` }
  const same = { ...here, 'sec-fetch-site': 'same-origin' }
  const large = 'x'.repeat(MAX_SEAT_BODY_OCTETS + 1)
  const codeOf = async (path: string, headers: Record<string, string>, as?: string, body = large) =>
    (await seat.ask(path, { body, headers, ...(as !== undefined && { token: as }) })).body.code

  expect(await codeOf('/nowhere', wrong)).toBe('wrong-host')
  expect(await codeOf('/nowhere', own)).toBe('wrong-origin')
  expect(await codeOf('/nowhere', here)).toBe('wrong-site')
  expect(await codeOf('/nowhere', same)).toBe('signed-out')
  expect(await codeOf('/nowhere', same, token)).toBe('not-found')
  expect(await codeOf('/v1/health', same, token)).toBe('method-not-allowed')
  expect(await codeOf('/v1/seen', same, token)).toBe('media-type-unsupported')
  expect(await codeOf('/v1/seen', { ...same, 'content-type': 'application/json' }, token)).toBe(
    'frame-too-large',
  )
})

test('a token is shown in its header and nowhere else, whole and once (SEAT-16)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const status = async (headers: Record<string, string>, path = '/v1/health') =>
    (await seat.ask(path, { headers })).status

  expect(await status({ authorization: `Bearer ${token}` })).toBe(200)
  expect(await status({ authorization: `bearer ${token}` })).toBe(401)
  expect(await status({ authorization: `Basic ${token}` })).toBe(401)
  expect(await status({ authorization: `Bearer ${token}x` })).toBe(401)
  expect(await status({ authorization: `Bearer ${token.slice(1)}` })).toBe(401)
  expect(await status({ cookie: `token=${token}; authorization=Bearer ${token}` })).toBe(401)
  expect(await status({}, `/v1/health?token=${token}&authorization=Bearer%20${token}`)).toBe(401)
  const twice = headOf(
    seat.authority,
    'GET /v1/health HTTP/1.1',
    'connection: close',
    `authorization: Bearer ${token}`,
  )
  expect(await seat.raw(twice)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await seat.raw(twice.replace('\r\n\r\n', `\r\nauthorization: Bearer ${token}\r\n\r\n`))).toMatch(
    /^HTTP\/1\.1 401 /,
  )
})

test('what would be another protocol, or another server, is closed without a word (SEAT-13)', async () => {
  await using seat = await openSeat()
  const upgrade = ['connection: upgrade', 'upgrade: websocket', `origin: http://${seat.authority}`]

  expect(await seat.raw(headOf(seat.authority, 'GET / HTTP/1.1', ...upgrade))).toBe('')
  expect(
    await seat.raw(
      headOf(seat.authority, 'GET / HTTP/1.1', 'connection: upgrade, http2-settings', 'upgrade: h2c'),
    ),
  ).toBe('')
  expect(await seat.raw(headOf(seat.authority, 'CONNECT evil.com:443 HTTP/1.1'))).toBe('')
})

test('a head of 9 kB, two lengths, and length with chunks are refused, and the connection is over (SEAT-13)', async () => {
  await using seat = await openSeat()
  const post = (...fields: readonly string[]): string =>
    headOf(seat.authority, 'POST /login HTTP/1.1', `origin: http://${seat.authority}`, ...fields)

  expect(await seat.raw(headOf(seat.authority, 'GET / HTTP/1.1', `x: ${'y'.repeat(9_000)}`))).toMatch(
    /^HTTP\/1\.1 431 /,
  )
  expect(await seat.raw(post('content-length: 2', 'content-length: 3'))).toMatch(/^HTTP\/1\.1 400 /)
  expect(await seat.raw(`${post('content-length: 5', 'transfer-encoding: chunked')}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400 /,
  )
})

test('who waits for a word before sending a body gets it only where the head has passed (SEAT-13)', async () => {
  await using seat = await openSeat()
  const line = 'POST /login HTTP/1.1'
  const fields = [
    'content-type: application/json',
    'content-length: 2',
    'expect: 100-continue',
    'connection: close',
  ]

  const foreign = await seat.raw(headOf(seat.authority, line, ...fields, 'origin: http://evil.com'))
  const own = await seat.raw(
    `${headOf(seat.authority, line, ...fields, `origin: http://${seat.authority}`)}{}`,
  )

  expect(foreign).toMatch(/^HTTP\/1\.1 403 /)
  expect(own).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /)
})

test('a body is bounded by what comes, not by what is announced (SEAT-13)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const head = headOf(
    seat.authority,
    'POST /v1/seen HTTP/1.1',
    `origin: http://${seat.authority}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
  )
  const chunk = `${(10_000).toString(16)}\r\n${'x'.repeat(10_000)}\r\n`

  expect(await seat.raw(head + chunk.repeat(8))).toMatch(/^HTTP\/1\.1 413 /)
})

test('one connection more than 64 is closed, and has read nothing (SEAT-13)', async () => {
  await using seat = await openSeat()
  const open = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => connectTo(seat.port)))

  const more = await seat.raw(headOf(seat.authority, 'GET / HTTP/1.1'))

  expect(more).toBe('')
  expect(open.every((socket) => !socket.destroyed)).toBe(true)
  for (const socket of open) socket.destroy()
})

test('whoever the kernel does not know as ours is closed before an octet is read (SEAT-14)', async () => {
  const seen: (number | undefined)[] = []
  await using seat = await openSeat({
    isOwnPeer: (socket) => {
      seen.push(socket.bytesRead)
      return false
    },
  })

  expect(await seat.raw(headOf(seat.authority, 'GET / HTTP/1.1'))).toBe('')
  expect(seen).toEqual([0])
})

test.runIf(runsOnLinux('/proc'))(
  'one port of TCP listens, on 127.0.0.1, and none once it is over (SEAT-13)',
  async () => {
    await using seat = await openSeat()
    const hex = seat.port.toString(16).toUpperCase().padStart(4, '0')
    const listening = (): readonly string[] =>
      ['tcp', 'tcp6'].flatMap((table) =>
        readFileSync(`/proc/net/${table}`, 'utf8')
          .split('\n')
          .map((row) => row.trim().split(/\s+/))
          .flatMap(([, here = '', , state]) => (state === '0A' && here.endsWith(`:${hex}`) ? [here] : [])),
      )

    expect(listening()).toEqual([`0100007F:${hex}`])
    await seat.process.stop()
    expect(listening()).toEqual([])
  },
)

test('a connection that rests is not in the way of the end (SEAT-18)', async () => {
  await using seat = await openSeat()
  const socket = await connectTo(seat.port)

  const closed = once(socket, 'close')
  await seat.process.stop()

  await within(closed, 'the end of the connection')
})
