/**
 * The lines that speak to the daemon by `curl`, run by real shells against peers at a real socket: none, a good one, one
 * that refuses, one that breaks off, one that is stopped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HANG_SUFFIX, readHangMark, removeHangMark } from '../../../src/host/socket/hang-mark.ts'
import {
  curlLine,
  curlWaitLine,
  LEFT_ALONE_SECONDS,
  readCurlLine,
  type SocketCall,
} from '../../../src/runtimes/setup/files/curl-line.ts'
import { FakeDaemon } from '../../support/fake-daemon.ts'
import { hasProgram } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { PAYLOAD, runLine, SHELLS, SILENCE } from './run-line.ts'

const CURL = '/usr/bin/curl'
const EVENT = '{"hook_event_name":"Stop"}'
const ROUTE = 'POST /v1/hooks/codex'
const VARIABLES = { session: 'SESSION_ID', attended: 'ATTENDED' }

function lineTo(socket: string, changes: Partial<SocketCall> = {}): string {
  return curlLine({ curl: CURL, socket, keyHeader: undefined, ...changes }, 'codex')
}

function waitLineTo(socket: string): string {
  return curlWaitLine({ curl: CURL, socket, keyHeader: undefined }, 'codex', VARIABLES)
}

/** A peer in a process of its own that accepts and never answers, as a daemon that was stopped. */
async function startStopped(socket: string): Promise<AsyncDisposable> {
  const program = `require('node:http').createServer().listen(process.argv[1], () => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', program, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  await within(once(child.stdout, 'data'), 'the peer')
  child.kill('SIGSTOP')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** A socket's place that a shell would take apart. */
function awkwardPlace(dir: TempDir): string {
  const socket = dir.file("it's $HOME & more", 'd.sock')
  mkdirSync(dirname(socket))
  return socket
}

describe.runIf(hasProgram('curl'))('the line of an event (OP-02)', () => {
  test.each(SHELLS)(
    '%s: what the daemon answers is printed, and the whole payload has arrived',
    async (shell) => {
      await using daemon = await FakeDaemon.start()

      const ended = runLine(lineTo(daemon.socketPath), { shell })
      const arrival = await daemon.next(ROUTE)
      const body = await arrival.json()
      arrival.answer(200, '{"continue":true,"text":"100% \\\\n"}')

      expect(JSON.stringify(body)).toBe(PAYLOAD)
      expect(arrival.header('content-type')).toBe('application/json')
      expect(await ended).toEqual({ ...SILENCE, stdout: '{"continue":true,"text":"100% \\\\n"}' })
    },
  )

  test.each(SHELLS)(
    '%s: with nobody at the socket it is silent, whatever the path is called',
    async (shell) => {
      await using dir = await createTempDir()

      expect(await runLine(lineTo(awkwardPlace(dir)), { shell })).toEqual(SILENCE)
    },
  )

  test.each([204, 400, 401, 404, 413, 500, 503])(
    'an answer of %i is no word to the runtime',
    async (status) => {
      await using daemon = await FakeDaemon.start()

      const ended = runLine(lineTo(daemon.socketPath))
      const arrival = await daemon.next(ROUTE)
      await arrival.json()
      arrival.answer(status, status === 204 ? '' : { code: 'refused', detail: 'not for the person' })

      expect(await ended).toEqual(SILENCE)
    },
  )

  test('an answer that breaks off is not printed in part', async () => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(lineTo(daemon.socketPath))
    const arrival = await daemon.next(ROUTE)
    await arrival.json()
    arrival.response.writeHead(200, { 'content-length': '100' })
    arrival.response.write('{"half":', () => arrival.cut())

    expect(await ended).toEqual(SILENCE)
  })

  test.each(['/nowhere/curl', '/dev/null', '/bin/false'])(
    'with %s for curl the payload is taken all the same, in silence',
    async (curl) => {
      await using dir = await createTempDir()

      expect(await runLine(lineTo(dir.file('d.sock'), { curl }))).toEqual(SILENCE)
    },
  )

  test('neither the configuration of curl nor a proxy changes where it goes, or what is said', async () => {
    await using dir = await createTempDir()
    await using daemon = await FakeDaemon.start()
    writeFileSync(dir.file('.curlrc'), 'verbose\noutput = "/nowhere/out"\nheader = "x-from: curlrc"\n')
    const proxy = 'http://127.0.0.1:9'
    const env = { ...process.env, HOME: dir.path, CURL_HOME: dir.path, http_proxy: proxy, ALL_PROXY: proxy }

    const ended = runLine(lineTo(daemon.socketPath), { env, payload: EVENT })
    const arrival = await daemon.next(ROUTE)
    arrival.answer(200, '{"a":1}')

    expect(arrival.header('x-from')).toBeUndefined()
    expect(await ended).toEqual({ ...SILENCE, stdout: '{"a":1}' })
  })

  test('where nothing can be written, it still ends well', async () => {
    await using dir = await createTempDir()
    const socket = dir.file('d.sock')
    await using _ = await startStopped(socket)
    // What is written there is written to a full disk.
    symlinkSync('/dev/full', socket + HANG_SUFFIX)

    expect(await runLine(lineTo(socket), { payload: EVENT })).toEqual(SILENCE)
  })
})

describe.runIf(hasProgram('curl'))('the key (OP-04)', () => {
  test('stands in a header of its own, from a file, and in no argument', async () => {
    await using dir = await createTempDir()
    await using daemon = await FakeDaemon.start()
    const keyHeader = dir.file("the person's header")
    writeFileSync(keyHeader, 'agentd-key: secret-of-mine\n', { mode: 0o600 })
    const line = lineTo(daemon.socketPath, { keyHeader })

    const ended = runLine(line, { payload: EVENT })
    const arrival = await daemon.next(ROUTE)
    arrival.answer(204, '')

    expect(arrival.header('agentd-key')).toBe('secret-of-mine')
    expect(line).not.toContain('secret-of-mine')
    expect(await ended).toEqual(SILENCE)
  })

  test('with its file gone the daemon refuses, and the person hears nothing of it', async () => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(lineTo(daemon.socketPath, { keyHeader: '/nowhere/person.header' }))
    const arrival = await daemon.next(ROUTE)
    await arrival.json()
    arrival.answer(401, { code: 'unauthorized' })

    expect(arrival.header('agentd-key')).toBeUndefined()
    expect(await ended).toEqual(SILENCE)
  })
})

describe.runIf(hasProgram('curl'))('a daemon that hangs (OP-29)', () => {
  test('is waited for once, then left alone, and asked again when it has started anew', async () => {
    await using dir = await createTempDir()
    const socket = dir.file('d.sock')
    const untilMs = await leaveAlone(socket)
    const beforeMs = Date.now()

    // Whoever answers now is not asked.
    await using daemon = new FakeDaemon(dir)
    await daemon.listen()
    const left = await runLine(lineTo(socket))
    const untaken = daemon.untaken
    removeHangMark(socket)
    const ended = runLine(lineTo(socket), { payload: EVENT })
    const arrival = await daemon.next(ROUTE)
    arrival.answer(200, '{"b":2}')

    expect(untilMs).toBeGreaterThan(beforeMs)
    expect(untilMs).toBeLessThanOrEqual(beforeMs + LEFT_ALONE_SECONDS * 1_000)
    expect(left).toEqual(SILENCE)
    expect(untaken).toBe(0)
    expect(await ended).toEqual({ ...SILENCE, stdout: '{"b":2}' })
  })

  test.each([
    ['whose time is over', () => seconds() - 1],
    ['of a clock that was set back', () => seconds() + 10 * LEFT_ALONE_SECONDS],
    ['that says no time', () => 'x[$(touch /tmp/never)]'],
    ['that was cut off', () => ''],
  ])('a mark %s keeps nobody from asking', async (_, text) => {
    await using daemon = await FakeDaemon.start()
    writeFileSync(daemon.socketPath + HANG_SUFFIX, `${text()}\n`)

    const ended = runLine(lineTo(daemon.socketPath), { payload: EVENT })
    const arrival = await daemon.next(ROUTE)
    arrival.answer(200, '{"c":3}')

    expect(await ended).toEqual({ ...SILENCE, stdout: '{"c":3}' })
    expect(existsSync('/tmp/never')).toBe(false)
  })

  test('a refusal is an answer: nobody is left alone for it', async () => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(lineTo(daemon.socketPath), { payload: EVENT })
    const arrival = await daemon.next(ROUTE)
    arrival.answer(503, {})

    expect(await ended).toEqual(SILENCE)
    expect(readHangMark(daemon.socketPath)).toBeUndefined()
  })
})

/** A hook meets a stopped daemon, which is then gone. @returns until when it is left alone */
async function leaveAlone(socket: string): Promise<number> {
  const stopped = await startStopped(socket)
  expect(await runLine(lineTo(socket), { payload: EVENT })).toEqual(SILENCE)
  await stopped[Symbol.asyncDispose]()
  rmSync(socket, { force: true })
  const untilMs = readHangMark(socket)
  if (untilMs === undefined) throw new Error('no mark was left')
  return untilMs
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000)
}

describe.runIf(hasProgram('curl'))('the hook that waits', () => {
  const env = { ...process.env, SESSION_ID: 'a b&c', ATTENDED: '1' }
  const WAIT = 'GET /v1/hooks/codex/wait'

  test.each(SHELLS)('%s: what it is answered goes to standard error, and it ends with 2', async (shell) => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(waitLineTo(daemon.socketPath), { shell, env })
    const arrival = await daemon.next(WAIT)
    arrival.answer(200, 'ask from "~x": 100% \\n\nsecond line', { 'content-type': 'text/plain' })

    expect(arrival.query.get('session')).toBe('a b&c')
    expect(await ended).toEqual({
      status: 2,
      stdout: '',
      stderr: 'ask from "~x": 100% \\n\nsecond line',
      fault: undefined,
    })
  })

  test('a session that is not known yet is asked for once more, and then no more', async () => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(waitLineTo(daemon.socketPath), { env })
    for (const _ of ['at the start', 'and again']) {
      const arrival = await daemon.next(WAIT)
      arrival.answer(204, '')
    }

    expect(await ended).toEqual(SILENCE)
    expect(daemon.untaken).toBe(0)
  })

  test('a daemon that goes while it is waited with is asked again when it is back', async () => {
    await using daemon = await FakeDaemon.start()

    const ended = runLine(waitLineTo(daemon.socketPath), { env })
    await daemon.next(WAIT)
    await daemon.stop()
    await daemon.listen()
    const arrival = await daemon.next(WAIT)
    arrival.answer(200, 'wake', { 'content-type': 'text/plain' })

    expect(await ended).toMatchObject({ status: 2, stderr: 'wake' })
  })

  test.each([
    ['nobody sits at the session', { ...env, ATTENDED: '0' }],
    ['nothing says which session it is', { ...env, SESSION_ID: '' }],
  ])('it does not wait where %s', async (_, variables) => {
    await using daemon = await FakeDaemon.start()

    expect(await runLine(waitLineTo(daemon.socketPath), { env: variables })).toEqual(SILENCE)
    expect(daemon.untaken).toBe(0)
  })

  test('with curl gone it takes the payload and ends at once', async () => {
    const line = curlWaitLine({ curl: '/nowhere', socket: '/s', keyHeader: undefined }, 'codex', VARIABLES)

    expect(await runLine(line, { env })).toEqual(SILENCE)
  })
})

test('a line says what it was made of, whatever a shell would make of that', () => {
  const call = { curl: '/opt/my curl', socket: "/run/it's $HOME/d.sock", keyHeader: '/k' }

  expect(readCurlLine(curlLine(call, 'gemini'))).toEqual({ ...call, role: 'hook', runtime: 'gemini' })
  expect(readCurlLine(waitLineTo('/d.sock'))).toMatchObject({ role: 'wait', socket: '/d.sock' })
})

test('what stands between the quotes means the same in every shell: no quote, backslash, or exclamation mark', () => {
  for (const line of [lineTo('/s'), waitLineTo('/s')]) {
    const [, script = ''] = /^exec \/bin\/sh -c '(.*)' agentd-/.exec(line) ?? []
    expect(script).toMatch(/--unix-socket "\$3"/)
    expect(script).not.toMatch(/['\\!\n]/)
  }
})
