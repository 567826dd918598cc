/** Signing in by a file that a browser is opened on (SEAT-15): what is in it, how long it is there, and what posting it gives. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LINK_MS } from '../../../src/ui/serve/keys/links.ts'
import { MAX_OPEN_PAGES } from '../../../src/ui/serve/open-pages.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { keyOf, openSeat, type Answer, type TestSeat } from './support.ts'

/** As a browser posts it that shows a file. */
const FORM = { origin: 'null', 'content-type': 'application/x-www-form-urlencoded' }

function post(seat: TestSeat, body: string): Promise<Answer> {
  return seat.ask('/login', { method: 'POST', body, headers: FORM })
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('open-'))
}

test('the file is this user’s alone, posts the key to the page’s process, and runs one script (SEAT-15)', async () => {
  await using seat = await openSeat()

  const { url, open_file: file = '', ...told } = seat.process.open()

  const text = readFileSync(file, 'utf8')
  expect(told).toEqual({ pid: process.pid, port: seat.port, peer_check: 'kernel' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(text).toContain(`<form method="post" action="http://${seat.authority}/login"`)
  expect(text).toContain(`<input type="hidden" name="key" value="${keyOf(url)}">`)
  expect(text).toContain('<button>')
  expect(text.match(/<script>/g)).toHaveLength(1)
  expect(text).toMatch(
    /content-security-policy" content="default-src 'none'; script-src 'sha256-[\w+/]{43}='/,
  )
  expect(filesOf(seat.daemon.dir.path)).toHaveLength(1)
})

test('its key is used once, in whichever way, and the file goes with it (SEAT-15)', async () => {
  await using seat = await openSeat()
  const [one, other] = [seat.process.open(), seat.process.open()]

  const entered = await post(seat, `key=${keyOf(one.url)}`)
  const again = await post(seat, `key=${keyOf(one.url)}`)
  const byPage = await seat.ask('/login', { json: { key: keyOf(other.url) } })

  expect(entered.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(entered.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/]{43}=';.*trusted-types 'none'$/,
  )
  expect(entered.headers['set-cookie']).toBeUndefined()
  const said =
    /<meta name="agentd" content="([^"]*)">/.exec(entered.text)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const { token, principal, entity } = JSON.parse(said)
  expect([principal, entity]).toEqual(['~alice', 'human.alice'])
  expect((await seat.ask('/v1/health', { token })).status).toBe(200)
  expect(entered.text.match(/<script>(.*?)<\/script>/s)?.[1]).not.toContain(token)
  expect(again.status).toBe(401)
  expect(again.text).toMatch(/<p>This link was used at \d{4}-/)
  expect(byPage.status).toBe(200)
  expect(filesOf(seat.daemon.dir.path)).toEqual([])
})

test.each([
  ['nothing', '', 400],
  ['the key twice', 'key=x&key=x', 400],
  ['another field', 'token=x', 400],
  ['more than a key', `key=${'x'.repeat(1_021)}`, 413],
  ['a key as long as may be, and wrong', `key=${'x'.repeat(1_020)}`, 401],
])('a form with %s signs nobody in (SEAT-15, SEAT-17)', async (_name, body, status) => {
  await using seat = await openSeat()

  const answer = await post(seat, body)

  expect(answer.status).toBe(status)
  expect(answer.text).not.toContain('<script>')
})

test('files go when their keys have run out, when there are too many, and with the process (SEAT-15)', async () => {
  const clock = new FakeClock()
  await using seat = await openSeat({ clock })
  const folder = seat.daemon.dir.path
  const first = seat.process.open().open_file ?? ''
  for (let more = 0; more < MAX_OPEN_PAGES; more += 1) seat.process.open()
  expect([existsSync(first), filesOf(folder).length]).toEqual([false, MAX_OPEN_PAGES])

  clock.advance(LINK_MS)
  expect(filesOf(folder)).toEqual([])
  seat.process.open()
  expect(filesOf(folder)).toHaveLength(1)
  await seat.process.stop()
  expect(filesOf(folder)).toEqual([])
})

test('what a killed process has left goes with the next one, and what another may still want stays (SEAT-15)', async () => {
  await using folder = await createTempDir()
  const [old, young, other] = ['open-0123456789abcdef.html', 'open-fedcba9876543210.html', 'open-mine.html']
  const leave = (name: string, agoMs: number): void => {
    writeFileSync(folder.file(name), '')
    const at = new Date(Date.now() - agoMs)
    utimesSync(folder.file(name), at, at)
  }
  leave(old, LINK_MS + 10_000)
  leave(young, 0)
  leave(other, LINK_MS + 10_000)

  await using _seat = await openSeat({ folder: folder.path })

  expect(filesOf(folder.path)).toEqual([young, other].toSorted())
})

test('where no file can be written the link is told alone, and the key is good (SEAT-15)', async () => {
  await using folder = await createTempDir()
  await using seat = await openSeat({ folder: folder.path, isOwnPeer: undefined })
  rmSync(folder.path, { recursive: true })

  const { url, open_file: file, peer_check: peerCheck } = seat.process.open()

  expect([file, peerCheck]).toEqual([undefined, 'unavailable'])
  expect((await post(seat, `key=${keyOf(url)}`)).status).toBe(200)
})
