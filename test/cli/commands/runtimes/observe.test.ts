/** `agentd observe`: real repositories, real processes, with a daemon and without. Uses the built program. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AGENTD } from '../../support.ts'
import { createRepository, type Repository } from '../../../runtimes/git/repositories.ts'
import { runsAsRoot, runsOnLinux } from '../../../support/needs.ts'

const isLinux = runsOnLinux('/proc')

function observe(repository: Repository, args: readonly string[] = []) {
  const { status, stdout, stderr } = repository.agentd(['observe', '--json', ...args])
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

function commit(repository: Repository, message: string): string {
  repository.git(['commit', '--quiet', '--allow-empty', '-m', message])
  return repository.git(['rev-parse', 'HEAD']).stdout.trim()
}

/** An agent that runs its hook, where it is given an event, and then goes on. */
const AGENT = `
const [agentd, input] = process.argv.slice(2)
const env = { ...process.env, CLAUDE_PID: String(process.pid) }
const { spawnSync } = require('node:child_process')
if (input) spawnSync(process.execPath, [agentd, 'hook', 'claude-code'], { input, env })
console.log('runs')
setInterval(() => {}, 1e6)`

describe('what was told and what is seen', () => {
  test('stand apart: sessions by their word, heads, locks and files by the disk (OB-01)', async () => {
    await using repository = await createRepository()
    const { path } = repository
    const sha = commit(repository, 'begin')
    const AGENTD_TOKEN = await repository.session('cc-opus-4-6')
    repository.agentd(['broadcast', 'committed', '--ref', `commit:${sha}`], { AGENTD_TOKEN })
    repository.agentd(['advise', 'at it', '--file-ref', join(path, 'told.ts')], { AGENTD_TOKEN })
    for (const name of ['told.ts', 'silent.ts']) writeFileSync(join(path, name), '')
    const descriptor = openSync(join(path, '.git', 'index.lock'), 'w')

    const seen = observe(repository)

    closeSync(descriptor)
    expect(seen).toMatchObject({
      status: 0,
      path,
      repository: join(path, '.git'),
      daemon: true,
      unseen: expect.any(Array),
    })
    expect(seen.worktrees).toMatchObject([
      {
        path,
        branch: 'main',
        commit: sha,
        head_moved: {
          to: sha,
          what: 'commit (initial): begin',
          said_by: expect.stringMatching(/^~alice\/cc-opus-4-6@/),
        },
      },
    ])
    const announced = new Map(
      seen.changed.map((file: { path: string; announced_by: readonly unknown[] }) => [
        file.path,
        file.announced_by.length,
      ]),
    )
    expect(announced).toEqual(
      new Map([
        ['silent.ts', 0],
        ['told.ts', 1],
      ]),
    )
    const { index_lock } = seen.worktrees[0]
    expect(index_lock.path).toBe(join(path, '.git', 'index.lock'))
    if (isLinux) expect(index_lock.holders).toContainEqual({ pid: process.pid, name: expect.any(String) })
  })

  test('a session is shown with its process, and an agent that is nobody’s says nothing (OB-01)', async () => {
    await using repository = await createRepository()
    const { path } = repository
    const program = repository.beside('claude')
    writeFileSync(program, AGENT)
    const event = { hook_event_name: 'SessionStart', source: 'startup', session_id: 's-1', cwd: path }
    const start = (input: string) =>
      spawn(process.execPath, [program, AGENTD, input], {
        cwd: path,
        env: repository.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const [told, silent] = [start(JSON.stringify(event)), start('')]
    await Promise.all([told, silent].map((child) => once(child.stdout, 'data')))

    const { sessions, processes } = observe(repository)
    const text = repository.agentd(['observe']).stdout

    for (const child of [told, silent]) child.kill('SIGKILL')
    expect(sessions).toMatchObject([{ session_id: 's-1', cwd: path }])
    if (!isLinux) return
    const [{ address, pid }] = sessions
    expect(pid).toBe(told.pid)
    expect(processes).toContainEqual(
      expect.objectContaining({ pid: told.pid, program: 'claude', session: address }),
    )
    expect(processes).toContainEqual(
      expect.objectContaining({ pid: silent.pid, program: 'claude', runtime: 'claude-code', session: null }),
    )
    expect(text).toMatch(new RegExp(`${silent.pid} +claude +\\S+ +says nothing`))
  })

  test('without a daemon sessions are not known, none is started, and the rest is shown (OB-01)', async () => {
    await using repository = await createRepository()
    commit(repository, 'begin')
    repository.agentd(['stop'])

    const seen = observe(repository)
    const text = repository.agentd(['observe']).stdout

    expect(seen).toMatchObject({ status: 0, daemon: false, sessions: null, worktrees: [{ branch: 'main' }] })
    expect(text).toContain('No daemon runs, so no session is known.')
    expect(repository.agentd(['status']).status).toBe(69)
  })

  test('outside of a repository it shows who works there, and a path that is not there is wrong usage (OB-01)', async () => {
    await using repository = await createRepository()
    mkdirSync(repository.beside('plain'))

    const seen = observe(repository, [repository.beside('plain')])
    const nowhere = observe(repository, ['nowhere'])

    expect(seen).toMatchObject({ status: 0, repository: null, worktrees: [], changed: null, sessions: [] })
    expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringContaining('nowhere is not there.') })
  })
})

describe('it only looks (OB-02)', () => {
  test('nothing in the repository is another than before, and nobody hears of it', async () => {
    await using repository = await createRepository()
    const { path } = repository
    commit(repository, 'begin')
    writeFileSync(join(path, 'a.ts'), '')
    repository.git(['add', '.'])
    repository.git(['config', 'core.fsmonitor', `touch ${repository.beside('ran')}; false`])
    const before = describeTree(path)
    await using listener = await repository.listen()

    const { status } = observe(repository)
    repository.agentd(['broadcast', 'the end'])

    expect(status).toBe(0)
    expect(describeTree(path)).toEqual(before)
    expect(existsSync(repository.beside('ran'))).toBe(false)
    expect((await listener.next()).payload).toMatchObject({ broadcast_text: 'the end' })
  })
})

/** Every file with its times. */
function describeTree(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { ctimeMs, ino, size } = statSync(join(path, name))
    return `${name} ${ino} ${size} ${ctimeMs}`
  })
}

describe('what is not seen is named (OB-03)', () => {
  test.runIf(runsAsRoot())(
    'git refuses a repository of somebody else, and the rest of it is shown',
    async () => {
      await using repository = await createRepository()
      const { path } = repository
      const sha = commit(repository, 'begin')
      for (const name of ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
        chownSync(join(path, name), 12_345, 12_345)

      const seen = observe(repository)

      expect(seen).toMatchObject({ status: 0, owner_uid: 12_345, worktrees: [{ commit: sha }] })
      expect(seen.unseen).toContainEqual({
        what: `What is not committed in ${path}`,
        why: expect.stringContaining('detected dubious ownership'),
      })
    },
  )

  test('a FIFO in the place of HEAD, while everything else is told', async () => {
    await using repository = await createRepository()
    const { path } = repository
    commit(repository, 'begin')
    repository.git(['worktree', 'add', '--quiet', repository.beside('fix')])
    const head = join(path, '.git', 'worktrees', 'fix', 'HEAD')
    rmSync(head)
    spawnSync('mkfifo', [head])
    chmodSync(join(path, '.git', 'config'), 0o600)

    const { status, stdout } = repository.agentd(['observe'])

    expect(status).toBe(0)
    expect(stdout).toContain(`${head} is a FIFO`)
    expect(stdout).toMatch(/ main +[0-9a-f]{7} +.* "commit \(initial\): begin"/)
  })
})
