/** Where `bin/agentd` looks for the daemon, whom it trusts, and what it makes of a peer that is none (OP-14). */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_BODY_OCTETS } from '../../src/core/limits.ts'
import { ANSWER_MS, MAX_ANSWER_OCTETS } from '../../src/client/http/one-call.ts'
import { AGENTD, agentd, createUser, type Env } from '../cli/support.ts'
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { hasProgram } from '../support/needs.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { SAID_OF_START } from '../support/without-sqlite.ts'
import { SCRIPT, makePath, makePathWithCurl, makePaths, run, whereIs, type Paths } from './both-ways.ts'

const SENT = { code: 0, stdout: 'sent agent_advisory; nobody is listening just now\n', stderr: '' }
const NO_NODE = { code: 127, stdout: '' }

/** A daemon with folders for a `PATH` beside it. */
async function startScene(
  options: TestDaemonOptions = {},
): Promise<AsyncDisposable & { readonly daemon: TestDaemon; readonly paths: Paths }> {
  const daemon = await startTestDaemon(options)
  return { daemon, paths: makePaths(daemon.dir), [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}

async function countFrames(daemon: TestDaemon, env: Env = {}): Promise<number> {
  const token = env['AGENTD_TOKEN']
  const { body } = await request(daemon.socket, '/v1/frames', token === undefined ? {} : { token })
  return body.items.length
}

function without(env: Env, ...names: readonly string[]): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

describe.runIf(hasProgram('curl'))('with curl', () => {
  test('without AGENTD_SOCKET it finds the socket in the runtime directory (docs/http.md §1)', async () => {
    await using dir = await createTempDir()
    const runtime = dir.file('runtime')
    mkdirSync(`${runtime}/agentd`, { recursive: true, mode: 0o700 })
    chmodSync(runtime, 0o700)
    const socket = `${runtime}/agentd/agentd.sock`
    await using scene = await startScene({ dir, env: { AGENTD_SOCKET: socket } })
    const env = without({ ...scene.daemon.env, XDG_RUNTIME_DIR: runtime }, 'AGENTD_SOCKET')
    const configuration = dir.file('config', 'agentd', 'config.json')
    const call = { env, path: scene.paths.quick, args: ['advise', 'a'] }

    expect(await run(call)).toEqual(SENT)

    mkdirSync(dirname(configuration), { recursive: true })
    writeFileSync(configuration, '{\n  "profile": "default"\n}')
    expect(await run(call)).toEqual(SENT)
    for (const member of ['socket', String.raw`s\u006fcket`]) {
      writeFileSync(configuration, `{"profile":"default",\n"${member}":"/nowhere.sock"}`)
      expect(await run(call)).toMatchObject(NO_NODE)
    }
    rmSync(configuration)
    chmodSync(runtime, 0o755)
    expect(await run(call)).toMatchObject(NO_NODE)
    expect(await run({ ...call, env: { ...env, HOME: '' } })).toMatchObject(NO_NODE)
  })

  test.each([
    [
      'a link to it',
      (dir: TempDir) => symlinkSync(dir.file('agentd.sock'), dir.file('link.sock')),
      'link.sock',
    ],
    ['another form of its path', () => {}, 'state/../agentd.sock'],
  ])('%s as AGENTD_SOCKET is for Node to look into, which sends all the same', async (_, make, name) => {
    await using scene = await startScene()
    const { daemon, paths } = scene
    make(daemon.dir)
    const env = { ...daemon.env, AGENTD_SOCKET: `${daemon.dir.path}/${name}` }

    expect(await run({ env, path: paths.quick, args: ['advise', 'a'] })).toMatchObject(NO_NODE)
    expect(await run({ env, path: paths.both, args: ['advise', 'a'] })).toEqual(SENT)
    expect(await countFrames(daemon)).toBe(1)
  })

  test('a relative AGENTD_SOCKET counts from the working directory, in Node', async () => {
    await using scene = await startScene()
    const { daemon, paths } = scene
    const env = { ...daemon.env, AGENTD_SOCKET: 'agentd.sock' }

    const outcome = await run({ env, path: paths.both, args: ['advise', 'a'], cwd: daemon.dir.path })

    expect(outcome).toEqual(SENT)
  })

  test.each([
    ['others may write its folder', (dir: TempDir) => chmodSync(dir.path, 0o777)],
    ['the group may write its folder', (dir: TempDir) => chmodSync(dir.path, 0o720)],
  ])('nothing is said where %s, and it is told as Node tells it (HD-20)', async (_, spoil) => {
    await using scene = await startScene()
    const { daemon, paths } = scene
    spoil(daemon.dir)

    const quick = await run({ env: daemon.env, path: paths.quick, args: ['advise', 'a'] })
    const both = await run({ env: daemon.env, path: paths.both, args: ['advise', 'a'] })

    chmodSync(daemon.dir.path, 0o700)
    expect(quick).toMatchObject(NO_NODE)
    expect(both).toMatchObject({ code: 78, stderr: expect.stringContaining('write the directory') })
    expect(await countFrames(daemon)).toBe(0)
  })

  test.each([['AGENTD_TOKEN'], ['AGENTD_DEBUG']])(
    '%s is for Node, and nothing was sent by then',
    async (name) => {
      await using scene = await startScene()
      const { daemon, paths } = scene
      const { body } = await post(daemon.socket, '/v1/sessions', { instrument: 'cc' })
      const env = { ...daemon.env, [name]: name === 'AGENTD_TOKEN' ? body.token : '1' }

      const quick = await run({ env, path: paths.quick, args: ['advise', 'a'] })
      const both = await run({ env, path: paths.both, args: ['advise', 'a'] })

      expect(quick).toMatchObject(NO_NODE)
      expect(both).toMatchObject({ code: 0, stdout: SENT.stdout })
      expect(await countFrames(daemon)).toBe(1)
    },
  )

  test('with "auth": "session" Node shows the key, for text from stdin too (HD-23)', async () => {
    await using scene = await startScene({ config: { auth: 'session' } })
    const { daemon, paths } = scene
    const call = { env: daemon.env, args: ['advise', '-'], stdin: 'a\0b' }

    expect(await run({ ...call, path: paths.both })).toEqual(SENT)
    expect(await run({ ...call, path: paths.slow })).toEqual(SENT)
    expect(await run({ ...call, path: paths.quick })).toMatchObject(NO_NODE)
  })

  test('where no daemon runs, or one was killed, Node starts it with all that stood on stdin', async () => {
    await using user = await createUser()
    const paths = makePaths(user.dir)
    const call = { env: user.env, path: paths.both, args: ['advise', '-'], stdin: 'first\0\n' }
    const started = { ...SENT, stderr: expect.stringMatching(SAID_OF_START) }
    expect(await run(call)).toMatchObject(started)
    const { body } = await request(user.dir.file('agentd.sock'), '/v1/health')
    process.kill(body.pid, 'SIGKILL')
    await untilRefused(user.dir.file('agentd.sock'))

    expect(await run({ ...call, stdin: 'second\0\n' })).toMatchObject(started)

    const { stdout } = await agentd(user.env, ['history', '--json'])
    expect(stdout).toContain(JSON.stringify('second\0\n'))
  })

  test.each([
    ['nobody says anything in time', 28, `it has said nothing for ${ANSWER_MS / 1_000} seconds`],
    ['the answer is cut', 18, 'it closed the connection without an answer'],
    ['the connection is reset', 56, 'read ECONNRESET'],
    ['the connection is reset while it sends', 55, 'read ECONNRESET'],
    ['the answer goes on and on', 63, 'its answer has no end'],
    ['what comes is no HTTP', 8, 'it does not speak as agentd does'],
  ])(
    'when %s it says so and of which process, as Node does, and asks nobody again (OP-14, OP-29)',
    async (_, endsWith, how) => {
      await using scene = await startScene()
      const { daemon } = scene
      const path = makePathWithCurl(daemon.dir, endsWith)

      const outcome = await run({ env: daemon.env, path, args: ['advise', 'a'] })

      const stderr = `agentd does not answer, pid ${daemon.pid}: ${how}. Whether the frame was accepted is not known.\n`
      expect(outcome).toEqual({ code: 69, stdout: '', stderr })
      const asked = readFileSync(daemon.dir.file('asked'), 'utf8')
      expect(asked).toContain(`--max-time\n${ANSWER_MS / 1_000}\n`)
    },
  )

  test.each([
    ['it wrote nothing down', () => undefined],
    ['another process has its number', (text: string) => `${text}0`],
    ['it is of another container', (text: string) => text.replace('pid:', 'other:')],
    ['what stands there is no number', (text: string) => text.replace(/^\d+/, '../self')],
  ])('where %s, no process is named (OP-29)', async (_, change) => {
    await using scene = await startScene()
    const { daemon } = scene
    const file = `${daemon.socket}.owner`
    const text = change(readFileSync(file, 'utf8'))
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)

    const { stderr } = await run({
      env: daemon.env,
      path: makePathWithCurl(daemon.dir, 28),
      args: ['advise', 'a'],
    })

    expect(stderr).toMatch(/^agentd does not answer: it has said nothing/)
  })

  test.each([
    ['closes after it has heard', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['is another server', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nok'],
  ])('a peer that %s hears one request, and both ways tell of it alike', async (_, says) => {
    await using user = await createUser()
    const paths = makePaths(user.dir)
    const peer = await startPeer(user.dir.file('agentd.sock'), says)
    const call = { env: user.env, args: ['advise', 'a'] }

    const quick = await run({ ...call, path: paths.quick })
    const heard = peer.heard()
    const slow = await run({ ...call, path: paths.slow })

    await peer.stop()
    expect(quick).toEqual(slow)
    expect(quick.code).toBeGreaterThan(0)
    expect(heard).toBe(1)
  })

  test('a curl that cannot speak to a socket is no curl', async () => {
    await using scene = await startScene()
    const { daemon } = scene
    const curl = daemon.dir.file('old-curl')
    writeFileSync(curl, '#!/bin/sh\nexit 2\n', { mode: 0o755 })
    const path = makePath(daemon.dir.file('old'), { curl, node: process.execPath })

    expect(await run({ env: daemon.env, path, args: ['advise', '-'], stdin: 'a' })).toEqual(SENT)
    expect(await countFrames(daemon)).toBe(1)
  })

  test('what a person has written into .curlrc says nothing, and no proxy hears of it', async () => {
    await using scene = await startScene()
    const { daemon, paths } = scene
    writeFileSync(daemon.dir.file('home', '.curlrc'), '--include\n--output /dev/null\n')
    const env = { ...daemon.env, http_proxy: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' }

    expect(await run({ env, path: paths.quick, args: ['advise', 'a'] })).toEqual(SENT)
  })

  test.each([
    ['a reader that has gone', 'exec 3>&1; { "$@"; echo "ended $?" >&3; } | :'],
    ['a closed stdout', 'exec 3>&1; "$@" >&-; echo "ended $?" >&3'],
  ])('%s ends it without a word (OP-14)', async (_, line) => {
    await using scene = await startScene()
    const { daemon, paths } = scene

    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line, 'sh', '/bin/sh', SCRIPT, 'advise', 'a'], {
      env: { ...daemon.env, PATH: paths.quick },
      encoding: 'utf8',
    })

    expect({ stdout, stderr }).toEqual({ stdout: 'ended 0\n', stderr: '' })
  })
})

test('a stdin that cannot be read is for Node, unread', async () => {
  await using scene = await startScene()
  const { daemon, paths } = scene
  const shell = (path: string) =>
    spawnSync('/bin/sh', ['-c', '"$@" <&-', 'sh', '/bin/sh', SCRIPT, 'advise', '-'], {
      env: { ...daemon.env, PATH: path },
      encoding: 'utf8',
    })

  const [both, slow] = [shell(paths.both), shell(paths.slow)]

  expect([both.status, both.stdout, both.stderr]).toEqual([slow.status, slow.stdout, slow.stderr])
  expect(both.status).toBe(1)
})

test('it finds its package behind links with blanks in their names, as npm makes them', async () => {
  await using dir = await createTempDir()
  const home = dir.file('lib dir', 'agentd bus', 'bin')
  mkdirSync(home, { recursive: true })
  cpSync(SCRIPT, `${home}/agentd`)
  writeFileSync(`${home}/agentd.cjs`, 'console.log(JSON.stringify([__dirname, ...process.argv.slice(2)]))')
  mkdirSync(dir.file('some bin'))
  symlinkSync('../lib dir/agentd bus/bin/agentd', dir.file('some bin', 'first'))
  symlinkSync('first', dir.file('some bin', 'agentd'))
  const path = makePath(dir.file('path'), { node: process.execPath, dirname: whereIs('dirname') })
  const args = ['status', "it's", '', '--', '-x']

  const outcomes = [
    await run({ env: {}, path, args, script: dir.file('some bin', 'agentd') }),
    await run({ env: {}, path, args, script: 'some bin/agentd', cwd: dir.path }),
    await run({ env: {}, path, args, script: 'agentd', cwd: dir.file('some bin') }),
  ]

  const stdout = `${JSON.stringify([home, ...args])}\n`
  for (const outcome of outcomes) expect(outcome).toEqual({ code: 0, stdout, stderr: '' })
})

test('the script is what the package installs, and has the bounds that Node has', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const text = readFileSync(SCRIPT, 'utf8')

  expect(manifest).toMatchObject({ bin: { agentd: 'bin/agentd' } })
  expect(AGENTD).toBe(`${SCRIPT}.cjs`)
  expect(statSync(SCRIPT).mode & 0o111).toBe(0o111)
  expect(text.startsWith('#!/bin/sh\n')).toBe(true)
  const bounds = {
    STDIN_OCTETS: MAX_BODY_OCTETS + 1,
    ANSWER_SECONDS: ANSWER_MS / 1_000,
    ANSWER_OCTETS: MAX_ANSWER_OCTETS,
  }
  for (const [name, bound] of Object.entries(bounds)) expect(text).toContain(`\n${name}=${bound}\n`)
})

/** Until nobody listens at a socket that is still there. */
async function untilRefused(socket: string): Promise<void> {
  for (;;) {
    try {
      await request(socket, '/v1/health')
    } catch {
      return
    }
  }
}

/** Somebody who hears a whole request, says one thing, and ends. */
async function startPeer(
  socket: string,
  says: string,
): Promise<{ readonly heard: () => number; readonly stop: () => Promise<void> }> {
  let heard = 0
  const server = createServer((connection) => {
    let text = ''
    connection.on('error', () => {})
    connection.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (body === undefined || body.length < length) return
      heard += 1
      connection.end(says)
    })
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    heard: () => heard,
    stop: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
