/** Signing in, out, and finding out whether this is still the process one has signed in to (SEAT-15, SEAT-16, SEAT-17). */
import { createHash, createHmac } from 'node:crypto'
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { LogFields, Logger } from '../../../src/core/log.ts'
import { callOnce } from '../../../src/client/http/one-call.ts'
import { LINK_MS } from '../../../src/ui/serve/keys/links.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { keyOf, openSeat, type TestSeat } from './support.ts'

function login(seat: TestSeat, key: unknown) {
  return seat.ask('/login', { json: { key } })
}

test('a link signs one browser in, and the second time says when it was used (SEAT-15)', async () => {
  await using seat = await openSeat()
  const link = seat.process.link()
  const key = keyOf(link.url)

  const first = await login(seat, key)
  const second = await login(seat, key)

  expect(link).toMatchObject({ port: seat.port, pid: process.pid, peer_check: 'kernel' })
  expect(link.url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${seat.port}/#key=[\\w-]{43}$`))
  expect(first.body).toEqual({
    token: expect.stringMatching(/^[\w-]{43}$/),
    principal: '~alice',
    entity: 'human.alice',
    peer_check: 'kernel',
    editor: false,
    notify: 'off',
    single_keys: true,
  })
  expect(second.status).toBe(401)
  expect(second.body).toEqual({
    code: 'link-used',
    message: expect.stringContaining(second.body.used_at),
    used_at: expect.stringMatching(/^\d{4}-/),
  })
  expect((await seat.ask('/v1/health', { token: first.body.token })).status).toBe(200)
})

test('a link that has run out signs nobody in (SEAT-15)', async () => {
  const clock = new FakeClock()
  await using seat = await openSeat({ clock })
  const key = keyOf(seat.process.link().url)

  clock.advance(LINK_MS + 1)

  expect(await login(seat, key)).toMatchObject({ status: 401, body: { code: 'link-used' } })
})

test('who has signed out is out, and others are not (SEAT-16)', async () => {
  await using seat = await openSeat()
  const [one, other] = [await seat.signIn(), await seat.signIn()]

  const out = await seat.ask('/logout', { token: one, json: {} })

  expect([out.status, out.body]).toEqual([200, { signed_out: true }])
  expect((await seat.ask('/v1/health', { token: one })).status).toBe(401)
  expect((await seat.ask('/v1/health', { token: other })).status).toBe(200)
  expect((await seat.ask('/logout', { token: one, json: {} })).status).toBe(401)
})

test('a browser is shown that this is the process it has signed in to, without saying a word (SEAT-16)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const nonce = 'abcdefghijklmnopqrstuv'

  const { body } = await seat.ask(`/hello?nonce=${nonce}`)
  const short = await seat.ask('/hello?nonce=short')

  const digest = createHash('sha256').update(token).digest()
  expect(body.proofs).toEqual([createHmac('sha256', digest).update(nonce).digest('base64url')])
  expect(body).toMatchObject({ principal: '~alice', peer_check: 'kernel' })
  expect(JSON.stringify(body)).not.toContain(token)
  expect(short.body.code).toBe('field-invalid')
})

test('guesses are late and few, and a right key beside them is not (SEAT-17)', async () => {
  const said: string[] = []
  const warn = (event: string, _fields?: LogFields): void => void said.push(event)
  const log: Logger = { info() {}, warn, error() {} }
  const clock = new FakeClock()
  await using seat = await openSeat({ clock, log })
  const waiting = Array.from({ length: 4 }, () => login(seat, 'x'.repeat(43)))
  let tried = 0
  // The four are on their way; whatever comes once they are there is sent away at once.
  let sentAway = await Promise.race([login(seat, 'y'), ...waiting])
  while (tried < 10 && sentAway.status === 429) {
    tried += 1
    sentAway = await login(seat, tried)
  }

  const right = await login(seat, keyOf(seat.process.link().url))
  clock.advance(1_000)
  const late = await Promise.all(waiting)

  expect(tried).toBe(10)
  expect(sentAway.headers['retry-after']).toBe('1')
  expect(right.status).toBe(200)
  expect(late.map(({ body }) => body.code)).toContain('link-used')
  expect(said).toContain('key-guesses')
})

test('the door makes links and ends the process, and is this user’s alone (SEAT-15, SEAT-18)', async () => {
  await using seat = await openSeat()
  const knock = async (path: string, method: 'GET' | 'POST' = 'POST') => {
    const answer = await callOnce({ socketPath: seat.doorPath, method, path, token: undefined })
    return answer.kind === 'answered' ? [answer.status, JSON.parse(answer.text)] : [answer.kind]
  }

  const [status, told] = await knock('/link')
  expect(status).toBe(200)
  expect((await login(seat, keyOf(told.url))).status).toBe(200)
  expect(await knock('/link', 'GET')).toMatchObject([404, { code: 'not-found' }])
  expect(await knock('/v1/sessions')).toMatchObject([404, { code: 'not-found' }])
  expect(statSync(seat.doorPath).mode & 0o777).toBe(0o600)
  expect(seat.process.ending.aborted).toBe(false)
  expect(await knock('/stop')).toEqual([200, { pid: process.pid }])
  expect(seat.process.ending.reason).toBe('asked to')
  await seat.process.stop()
  expect(await knock('/link')).toEqual(['absent'])
})
