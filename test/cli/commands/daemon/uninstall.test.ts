/**
 * `agentd uninstall` as a person runs it: with runtimes, projects, a repository, units and a daemon that are there.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { snapshotOf } from '../../../runtimes/setup/home.ts'
import { hasProgram, isSo, runsOnLinux } from '../../../support/needs.ts'
import { AGENTD, agentd, createUser, startOnTerminal, type Env, type Outcome } from '../../support.ts'

type User = Awaited<ReturnType<typeof createUser>>

const ONCE_MORE = 'Nothing of agentd is set up here, and no daemon runs.\n'

/** Keeps servers as `claude mcp` does, in the folder it is called in, and notes each call. */
const CLAUDE = `#!/bin/sh
echo "$PWD $*" >>"$HOME/../calls"
`

/** Takes every order; notes it. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >>"$HOME/../orders"
`

/** What is said of sessions that have started the server, which is no fault of the removal. */
function untilEnd(runtimes: string): string {
  return `Sessions that run already keep it until they end, and start the daemon when they use its tools: ${runtimes}.\n`
}

/** A program of the user's own, before those of the machine. */
function writeProgram(user: User, name: string, text: string): Env {
  mkdirSync(user.dir.file('bin'), { recursive: true })
  writeFileSync(user.dir.file('bin', name), text, { mode: 0o755 })
  return { ...user.env, PATH: `${user.dir.file('bin')}:${user.env['PATH'] ?? ''}` }
}

/** `agentd`, called in a folder. */
function agentdIn(directory: string, env: Env, args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [AGENTD, ...args], {
    cwd: directory,
    env,
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}

function createRepository(user: User, name: string): string {
  const path = join(realpathSync(user.dir.path), name)
  mkdirSync(path)
  spawnSync('git', ['init', '--quiet', '--initial-branch=main', path], { env: user.env })
  return path
}

/** Everything that is somebody's and that agentd writes into. */
function snapshot(user: User, places: readonly string[]): object {
  return [user.dir.file('home'), user.dir.file('config'), ...places].map(snapshotOf)
}

test.runIf(hasProgram('git') && runsOnLinux('the units'))(
  'every set-up, project and repository gets its bytes back; units and daemon go; what stays is named',
  async () => {
    await using user = await createUser()
    const env = writeProgram(user, 'systemctl', SYSTEMCTL)
    const [project, repository] = [createRepository(user, 'project'), createRepository(user, 'repo')]
    mkdirSync(user.dir.file('home', '.gemini'))
    writeFileSync(user.dir.file('home', '.gemini', 'settings.json'), '{ "ui": {} }\n')
    mkdirSync(user.dir.file('config', 'systemd'))
    mkdirSync(user.dir.file('config', 'systemd', 'user'))
    const before = snapshot(user, [project, repository])
    await agentd(env, ['setup', 'gemini', 'codex', '--yes'])
    await agentd(env, ['setup', 'opencode', '--plugin', '--yes'])
    agentdIn(project, env, ['setup', 'cursor', '--scope', 'project', '--yes'])
    agentdIn(repository, env, ['setup', 'git', '--yes'])
    await agentd(env, ['service', 'install'])
    await agentd(env, ['start'])
    const between = snapshot(user, [project, repository])

    const done = await agentd(env, ['uninstall', '--yes'])
    const after = snapshot(user, [project, repository])
    const again = await agentd(env, ['uninstall', '--yes'])

    expect(between).not.toEqual(before)
    expect(done).toMatchObject({ code: 0, stderr: untilEnd('Codex CLI, Gemini CLI, OpenCode') })
    expect(after).toEqual(before)
    expect(readFileSync(user.dir.file('orders'), 'utf8')).toBe(
      '--user disable --now agentd.socket agentd.service\n--user daemon-reload\n',
    )
    expect(done.stdout).toMatch(/^agentd stopped, pid \d+$/m)
    expect(done.stdout).toContain('left, since it is yours:\n')
    expect(done.stdout).toMatch(/state +messages, keys, logs \(/)
    expect(done.stdout).toContain('to remove what is left, and the program:\n  ')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(ONCE_MORE), stderr: '' })
  },
)

test('where agentd never was, nothing is done, made or started', async () => {
  await using user = await createUser()
  const before = snapshotOf(user.dir.path)

  const { code, stdout } = await agentd(user.env, ['uninstall', '--yes'])

  expect(code).toBe(0)
  expect(stdout).toContain(ONCE_MORE)
  expect(snapshotOf(user.dir.path)).toEqual(before)
})

test("a server that is kept for one project is taken out in that project's folder, wherever the command is given", async () => {
  await using user = await createUser()
  const env = writeProgram(user, 'claude', CLAUDE)
  const project = createRepository(user, 'project')
  agentdIn(project, env, ['setup', 'claude-code', '--scope', 'project', '--yes'])
  const [, command, ...args] = [process.execPath, process.execPath, realpathSync(AGENTD), 'mcp']
  const projects = { [project]: { mcpServers: { agentd: { type: 'stdio', command, args } } } }
  writeFileSync(user.dir.file('home', '.claude.json'), JSON.stringify({ projects }))

  await agentd(env, ['uninstall', '--yes'])

  const calls = readFileSync(user.dir.file('calls'), 'utf8').trim().split('\n')
  expect(calls.at(-1)).toBe(`${project} mcp remove --scope local agentd`)
  expect(existsSync(join(project, '.claude'))).toBe(false)
})

test('what cannot be taken out is said, the rest goes, and a second run finishes it', async () => {
  await using user = await createUser()
  await agentd(user.env, ['setup', 'gemini', 'codex', '--yes'])
  await agentd(user.env, ['start'])
  const settings = user.dir.file('home', '.gemini', 'settings.json')
  const record = user.dir.file('state', 'setup', 'gemini.json')
  const kept = readFileSync(record)
  writeFileSync(record, '{')

  const first = await agentd(user.env, ['uninstall', '--yes'])
  const half = [existsSync(settings), existsSync(user.dir.file('home', '.codex'))]
  writeFileSync(record, kept)
  const second = await agentd(user.env, ['uninstall', '--yes'])

  expect(first.code).toBe(78)
  expect(first.stderr).toContain(`${record} is damaged`)
  expect(first.stderr).toContain('until then keep agentd and what it has left')
  expect(first.stdout).toMatch(/^agentd stopped, pid \d+$/m)
  expect(first.stdout).not.toMatch(/rm -rf|npm uninstall/)
  expect(half).toEqual([true, false])
  expect(second).toMatchObject({ code: 0, stderr: untilEnd('Gemini CLI') })
  expect(existsSync(settings)).toBe(false)
})

test.runIf(isSo(process.getuid?.() !== 0, 'root may write everywhere'))(
  'a folder that must not be written holds up nothing but itself',
  async () => {
    await using user = await createUser()
    await agentd(user.env, ['setup', 'gemini', 'codex', '--yes'])
    chmodSync(user.dir.file('home', '.gemini'), 0o500)

    const { code, stderr } = await agentd(user.env, ['uninstall', '--yes'])
    chmodSync(user.dir.file('home', '.gemini'), 0o700)

    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('EACCES') })
    expect(existsSync(user.dir.file('home', '.codex'))).toBe(false)
  },
)

test.runIf(runsOnLinux('the units'))('a service manager that does not answer is said to be so', async () => {
  await using user = await createUser()
  const env = writeProgram(user, 'systemctl', '#!/bin/sh\necho "no bus here" >&2\nexit 1\n')
  await agentd(env, ['setup', 'codex', '--yes'])
  await agentd(env, ['service', 'install'])

  const { code, stderr } = await agentd(env, ['uninstall', '--yes'])
  const again = await agentd(env, ['uninstall', '--yes'])

  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('failed: no bus here.') })
  expect(existsSync(user.dir.file('home', '.codex'))).toBe(false)
  expect(existsSync(user.dir.file('config', 'systemd', 'user', 'agentd.socket'))).toBe(false)
  expect(again.code).toBe(0)
})

test('--json says what was done, what stays, and what removes it', async () => {
  await using user = await createUser()
  const env = { ...user.env, AGENTD_STATE_DIR: user.dir.file('agentd') }
  await agentd(env, ['setup', 'codex', '--yes'])
  await agentd(env, ['start'])

  const { code, stdout } = await agentd(env, ['uninstall', '--yes', '--json'])

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    runtimes: [{ runtime: 'codex', files: [{ change: 'removed' }, { change: 'removed' }] }],
    daemon: { stopped: true, pid: expect.any(Number) },
    failures: [],
    left: [
      { path: user.dir.file('agentd'), bytes: expect.any(Number), is_own: true },
      { path: user.dir.path, is_own: false },
    ],
    remove: [`rm -rf ${user.dir.file('agentd')}`, 'npm uninstall --global agentd-bus'],
  })
})

test('without a terminal nobody can be asked, so nothing is done', async () => {
  await using user = await createUser()
  await agentd(user.env, ['setup', 'codex', '--yes'])

  const { code, stderr } = await agentd(user.env, ['uninstall'])

  expect(code).toBe(2)
  expect(stderr).toContain('repeat with --yes')
  expect(existsSync(user.dir.file('home', '.codex', 'hooks.json'))).toBe(true)
})

test.runIf(hasProgram('script')).each([
  ['y', false],
  ['n', true],
])('on a terminal it is said what goes, in lines that fit, and %j is an answer', async (reply, isKept) => {
  await using user = await createUser()
  await agentd(user.env, ['setup', 'codex', '--yes'])
  await agentd(user.env, ['start'])
  await using running = startOnTerminal(user.env, ['uninstall'])

  await running.untilSaid(/Take it out\? \[y\/N\] /)
  const [shown = ''] = stripVTControlCharacters(running.stdout()).split('Take it out?')
  running.type(`${reply}\n`)
  const { code, stdout } = await running.ended

  expect(code).toBe(0)
  expect(shown.split('\r\n').slice(0, -1)).toEqual([
    'agentd uninstall takes out:',
    '  ~/.codex/hooks.json   6 hook lines taken out, file removed',
    '  ~/.codex/config.toml  MCP server taken out, file removed',
    expect.stringMatching(/^ {2}the daemon {12}stopped, pid \d+$/),
    'Messages, keys and configuration stay; it says where they are.',
  ])
  expect(stdout.includes('Nothing was changed.')).toBe(isKept)
  expect(existsSync(user.dir.file('home', '.codex', 'hooks.json'))).toBe(isKept)
})

test('a socket that cannot be is said, and everything else goes', async () => {
  await using user = await createUser()
  await agentd(user.env, ['setup', 'codex', '--yes'])

  const { code, stdout, stderr } = await agentd(user.env, [
    '--socket',
    `/${'x'.repeat(200)}`,
    'uninstall',
    '--yes',
  ])

  expect(code).toBe(2)
  expect(stderr).toContain('The socket path is 201 bytes long')
  expect(stdout).toContain('messages, keys, logs')
  expect(existsSync(user.dir.file('home', '.codex'))).toBe(false)
})
