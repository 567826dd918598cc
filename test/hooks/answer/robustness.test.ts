/**
 * Whatever is wrong, a hook says nothing, ends in time and ends with 0 (docs/runtimes.md §0 finding 9, §10 rule 1).
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentdError } from '../../../src/core/errors.ts'
import { stateKey } from '../../../src/hooks/memory/hook-state.ts'
import { createUser, type Env } from '../../cli/support.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { FIXTURES, RUNTIME_IDS, eventOf, payloadOf } from '../../runtimes/support/fixtures.ts'
import { AGENTD, rosterOf, runHook, startSession, tokenOf } from '../../runtimes/support/sessions.ts'
import { openDesk } from '../desk-in-process.ts'
import { WELL } from '../../support/without-sqlite.ts'

const SILENT = { code: 0, stdout: '', stderr: '' }

describe('a daemon that is not there', () => {
  test('is no matter to any event of any runtime', async () => {
    await using user = await createUser()
    const env = { ...user.env, AGENTD_NO_START: '1' }

    for (const { runtime, payload } of FIXTURES) {
      expect(await runHook(env, runtime, JSON.stringify(payload))).toMatchObject(SILENT)
    }
  })

  test('is started by the start of a session, and by nothing else', async () => {
    await using user = await createUser()
    await using session = startSession(user.env, user.dir.path)
    for (const name of ['prompt', 'after-tool', 'turn-end', 'session-end']) {
      expect(await session.hook(name)).toMatchObject(SILENT)
    }
    expect(readdirSync(user.dir.path)).not.toContain('agentd.sock')

    const token = 'not-for-the-daemon'
    const answer = await session.hook('session-start', {}, { CLAUDE_CODE_MESSAGING_TOKEN: token })

    expect(answer).toMatchObject({ code: 0, stderr: '' })
    // It may have been too late for this hook; the prompt finds it all the same.
    await within(
      (async () => {
        for (;;) {
          const code = await session
            .prompt()
            .then(() => rosterOf(user.dir.file('agentd.sock')).catch(() => []))
          if (code.some(({ session_id }) => session_id === session.id)) return
        }
      })(),
      'the session on the roster',
    )
    const environment = readFileSync(`/proc/${await daemonPid(user.env)}/environ`, 'utf8')
    expect(environment).toContain('AGENTD_STATE_DIR')
    expect(environment).not.toContain(token)
  })
})

async function daemonPid(env: Env): Promise<number> {
  const { agentd } = await import('../../cli/support.ts')
  return JSON.parse((await agentd(env, ['status', '--json'])).stdout).pid
}

describe('a daemon that does not behave', () => {
  test('but stands still, is left alone in time', async () => {
    await using daemon = await startTestDaemon()
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    process.kill(daemon.pid, 'SIGSTOP')
    try {
      for (const name of ['session-start', 'prompt', 'after-tool', 'after-edit', 'turn-end', 'session-end']) {
        expect(await within(session.hook(name), `the end of ${name}`, 5_000)).toMatchObject(SILENT)
      }
    } finally {
      process.kill(daemon.pid, 'SIGCONT')
    }
  })

  const ANSWERS: Readonly<Record<string, string | undefined>> = {
    'says nothing': undefined,
    'is no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'answers without an end': 'HTTP/1.1 200 OK\r\n\r\n',
    'answers with a length that never comes': 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"items":[',
    'answers with an enormous length': 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n',
    'answers with no JSON': 'HTTP/1.1 201 Created\r\ncontent-length: 6\r\n\r\n<html>',
    'answers with another shape':
      'HTTP/1.1 201 Created\r\ncontent-length: 37\r\n\r\n{"items":7,"token":["x"],"text":{},  }',
    'answers with an empty token': 'HTTP/1.1 201 Created\r\ncontent-length: 12\r\n\r\n{"token":""}',
    'answers with a token that ends the header':
      'HTTP/1.1 201 Created\r\ncontent-length: 32\r\n\r\n{"token":"a\\r\\nx-evil: 1\\r\\n\\r\\n"}',
    'refuses everything': 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}',
  }

  test.for(Object.keys(ANSWERS))('but %s, is no matter', async (how) => {
    await using user = await createUser()
    await using session = startSession(user.env, user.dir.path)
    await using _ = await answerAlways(user.dir.file('agentd.sock'), ANSWERS[how])

    for (const name of ['session-start', 'after-tool', 'turn-end']) {
      expect(await within(session.hook(name), `the end of ${name}`, 5_000)).toMatchObject(SILENT)
    }
  })
})

/** A server that says one thing to whatever it hears; undefined for nothing. */
async function answerAlways(path: string, answer: string | undefined): Promise<AsyncDisposable> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => answer !== undefined && socket.write(answer))
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) }
}

describe('stdin', () => {
  let user: Awaited<ReturnType<typeof createUser>>
  beforeAll(async () => {
    user = await createUser()
  })
  afterAll(() => user[Symbol.asyncDispose]())

  const INPUTS: Readonly<Record<string, string>> = {
    nothing: '',
    'no JSON': 'hello',
    'half of a payload': '{"session_id":"s1","hook_event_name":"SessionSt',
    'a list': '[]',
    null: 'null',
    'a deep one': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'no UTF-8': '\xff\xfe\x00',
    'one byte too much': JSON.stringify(payloadOf('claude-code', 'session-start')).padEnd(1_048_577),
    'far too much': `{"session_id":"${'x'.repeat(5_000_000)}"}`,
    'a name that every object has':
      '{"__proto__":{"session_id":"s"},"hook_event_name":"constructor","session_id":"s"}',
  }

  test.for(Object.keys(INPUTS))('of %s is no matter', async (what) => {
    for (const runtime of ['claude-code', 'gemini', 'nonsense']) {
      expect(await runHook({ ...user.env, AGENTD_NO_START: '1' }, runtime, INPUTS[what] ?? '')).toMatchObject(
        SILENT,
      )
    }
  })

  test('of just as much as it takes is read', async () => {
    await using daemon = await startTestDaemon()
    const text = JSON.stringify(payloadOf('claude-code', 'session-start', { cwd: '/' })).padEnd(1_048_576)

    await runHook({ ...daemon.env, CLAUDE_PID: String(process.pid) }, 'claude-code', text)

    expect(await rosterOf(daemon.socket)).toHaveLength(1)
  })

  test('that never ends does not hold the hook', async () => {
    const child = spawn(process.execPath, [AGENTD, 'hook', 'claude-code'], {
      env: user.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.write('{"session_id":')
    const code = await within(
      new Promise((resolve) => child.once('close', resolve)),
      'the end of the hook',
      5_000,
    )

    expect(code).toBe(0)
  })

  test.for(['ignore', 'closed'] as const)('that is not there (%s) is no matter', async (how) => {
    const line =
      how === 'closed' ? `exec "$0" "$1" hook claude-code <&-` : `exec "$0" "$1" hook claude-code </dev/null`
    const child = spawn('/bin/sh', ['-c', line, process.execPath, AGENTD], {
      env: user.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const code = await within(
      new Promise((resolve) => child.once('close', resolve)),
      'the end of the hook',
      5_000,
    )

    expect(code).toBe(0)
  })
})

describe('the place', () => {
  test.for([
    ['a socket path that is too long', (env: Env) => ({ ...env, AGENTD_SOCKET: `/${'x'.repeat(200)}` })],
    ['a home that cannot be there', (env: Env) => ({ PATH: env['PATH'] ?? '', HOME: '/dev/null/home' })],
    ['an environment with nothing in it', () => ({})],
  ] as const)('%s is no matter', async ([, change]) => {
    await using user = await createUser()
    const env = { ...change(user.env), AGENTD_NO_START: '1' }

    for (const name of ['session-start', 'prompt', 'after-edit', 'turn-end', 'session-end']) {
      expect(await runHook(env, 'claude-code', JSON.stringify(payloadOf('claude-code', name)))).toMatchObject(
        SILENT,
      )
    }
  })

  test('a folder that others may enter is not spoken to', async () => {
    await using daemon = await startTestDaemon()
    await using session = startSession(daemon.env, daemon.dir.path)
    chmodSync(daemon.dir.path, 0o777)
    const answer = await session.hook('session-start')
    chmodSync(daemon.dir.path, 0o700)

    expect(answer).toMatchObject(SILENT)
    expect(await rosterOf(daemon.socket)).toEqual([])
  })

  test('nothing is left beside the socket by hooks', async () => {
    await using daemon = await startTestDaemon()
    const before = readdirSync(daemon.dir.path)
    await using session = startSession(daemon.env, daemon.dir.path)
    for (const name of ['session-start', 'prompt', 'after-edit', 'turn-end', 'session-end'])
      await session.hook(name)

    expect(readdirSync(daemon.dir.path)).toEqual(before)
  })
})

describe('what is remembered', () => {
  const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
    empty: () => '',
    'cut in half': (text) => text.slice(0, text.length / 2),
    'of another shape': () => '[1,2,3]',
    'of the right names and the wrong values': (text) =>
      JSON.stringify(Object.fromEntries(Object.keys(JSON.parse(text)).map((key) => [key, { a: [key] }]))),
    'with a token that is none': (text) => JSON.stringify({ ...JSON.parse(text), token: 'x\r\ny: z' }),
    "with somebody else's token": (text) => JSON.stringify({ ...JSON.parse(text), token: 'stolen' }),
    'with a registration that is none': (text) => JSON.stringify({ ...JSON.parse(text), registration: {} }),
    'with times of the future': (text) =>
      JSON.stringify({ ...JSON.parse(text), atMs: 9e15, recent: [['x', 9e15]], wakes: [9e15] }),
  }

  test.for(Object.keys(DAMAGE))('and is %s, is found out, and the session goes on', async (how) => {
    await using desk = await openDesk()
    // Without its token, what proves it is the process that asks, as the kernel tells it (HD-01).
    const told = { pid: process.pid, peerPid: process.pid }
    await desk.event('claude-code', 'session-start', { session_id: 's1' }, told)
    desk.reopen()
    const key = stateKey('claude-code', 's1')
    desk.records.save([[key, DAMAGE[how]?.(desk.records.texts.get(key) ?? '') ?? '']])
    desk.reopen({ isForgetful: true })
    desk.desk.resume()
    await desk.say('agent_advise', { text: 'still there?' })

    const first = await desk.event('claude-code', 'after-tool', { session_id: 's1' }, told)
    const second = await desk.event('claude-code', 'prompt', { session_id: 's1' }, told)

    expect(`${first}${second}`).toContain('still there?')
  })

  test('of an earlier version and may be written by others, is not believed', async () => {
    await using daemon = await startTestDaemon()
    await using session = startSession(daemon.env, daemon.dir.path)
    await using dir = await createTempDir()
    mkdirSync(daemon.dir.file('hooks'), { mode: 0o700 })
    const path = daemon.dir.file('hooks', `claude-code-${'0'.repeat(32)}.json`)
    const state = { runtime: 'claude-code', sessionId: session.id, atMs: 1, isChild: true }
    writeFileSync(path, JSON.stringify(state))
    chmodSync(path, 0o666)
    copyFileSync(path, dir.file('victim'))
    symlinkSync(dir.file('victim'), daemon.dir.file('hooks', `claude-code-${'1'.repeat(32)}.json`))

    await session.hook('session-start')

    // A child would not have registered.
    expect(await tokenOf(daemon.socket, session.id)).toBeDefined()
    expect(readFileSync(dir.file('victim'), 'utf8')).toBe(JSON.stringify(state))
    expect(existsSync(daemon.dir.file('hooks'))).toBe(false)
  })
})

function memberNames(): readonly string[] {
  return [...new Set(FIXTURES.flatMap(({ payload }) => Object.keys(payload)))]
}

describe('whatever comes in', () => {
  const values = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc
      .tuple(
        fc.constantFrom(...FIXTURES),
        fc.dictionary(fc.constantFrom(...memberNames()), fc.jsonValue(), { maxKeys: 6 }),
      )
      .map(([{ payload }, changes]) => JSON.stringify({ ...payload, ...changes })),
    fc
      .tuple(fc.constantFrom(...FIXTURES), fc.nat(600))
      .map(([{ payload }, end]) => JSON.stringify(payload).slice(0, end)),
  )

  test('is answered with one line of JSON, with nothing, or refused as what is no JSON', async () => {
    await using desk = await openDesk()
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(...RUNTIME_IDS, 'nonsense'), async (text, hint) => {
        try {
          const said = await desk.post(hint, text)
          if (said !== '') expect(JSON.parse(said)).toBeTypeOf('object')
        } catch (error) {
          expect(error).toBeInstanceOf(AgentdError)
          expect(error).toMatchObject({ code: 'field-invalid', field: 'body' })
          expect(() => JSON.parse(text)).toThrow(SyntaxError)
        }
      }),
      { numRuns: 1_000 },
    )
    expect(desk.lines.filter(({ silent }) => silent === 'error')).toEqual([])
  }, 60_000)

  const SURROUNDINGS = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc
      .record({ env: fc.jsonValue(), pid: fc.jsonValue(), program: fc.jsonValue() })
      .map((told) => Buffer.from(JSON.stringify(told)).toString('base64url')),
  )
  test('around it is read without an error', async () => {
    await using desk = await openDesk()
    await fc.assert(
      fc.asyncProperty(
        SURROUNDINGS,
        fc.constantFrom(...FIXTURES),
        async (surroundings, { runtime, payload }) => {
          const octets = new TextEncoder().encode(JSON.stringify(payload))
          const reply = await desk.desk.answer({ runtime, payload: octets, surroundings, peerPid: undefined })
          reply?.givenUp()
        },
      ),
      { numRuns: 500 },
    )
    expect(desk.lines.filter(({ silent }) => silent === 'error')).toEqual([])
  })

  test.each([
    ['no JSON', 'hello', 400],
    ['no UTF-8', '\xff\xfe', 400],
    ['nothing', '', 400],
    ['a list', '[]', 204],
    ['null', 'null', 204],
    ['a deep one', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 204],
    ['an event that is none of ours', '{"session_id":"s1","hook_event_name":"Elsewhere"}', 204],
    ['one octet too much', '{}'.padEnd(1_048_577), 413],
  ])('that is %s is answered over HTTP as OP-01 says', async (_, body, status) => {
    await using daemon = await startTestDaemon()
    const headers = { 'content-type': 'application/json' }
    const answer = await request(daemon.socket, '/v1/hooks/codex', { method: 'POST', body, headers })

    expect(answer.status).toBe(status)
    expect((await request(daemon.socket, '/v1/health')).body.status).toBe(WELL)
  })

  test('a real hook ends with 0 and writes JSON or nothing', async () => {
    await using daemon = await startTestDaemon()
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(...RUNTIME_IDS, 'nonsense'), async (text, hint) => {
        const answer = await runHook({ ...daemon.env, CLAUDE_PID: String(process.pid) }, hint, text)
        expect(answer).toMatchObject({ code: 0, stderr: '' })
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})

test('every fixture is an event', () => {
  for (const { payload, runtime } of FIXTURES) expect(eventOf(payload, runtime)).toBeDefined()
})
