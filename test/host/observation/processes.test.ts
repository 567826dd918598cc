/** Which processes work in a folder, as this machine shows it (OB-01, OB-03). */
import { spawnSync } from 'node:child_process'
import { mkdirSync, openSync, realpathSync, symlinkSync, writeFileSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listByLsof, readLsof } from '../../../src/host/observation/lsof-processes.ts'
import { findHolders, MAX_DESCRIPTORS_EACH } from '../../../src/host/observation/open-files.ts'
import { listInProc } from '../../../src/host/observation/proc-processes.ts'
import { listProcessesIn } from '../../../src/host/observation/processes-in.ts'
import { descriptorLimit } from '../../../src/host/socket/descriptors.ts'
import { isSo, runsOnLinux } from '../../support/needs.ts'
import { RUNS, startRunning } from '../../support/running-program.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const NOBODY: ReadonlySet<number> = new Set()
const HERE = { platform: process.platform, uid: process.getuid?.() ?? -1 }
const isLinux = runsOnLinux('/proc')

describe.runIf(isLinux)('under /proc', () => {
  test('those in the folder and below it are listed with what they are called, and no others (OB-01)', async () => {
    await using dir = await createTempDir()
    const root = realpathSync(dir.path)
    mkdirSync(join(root, 'src'))
    mkdirSync(join(root, 'src-other'))
    writeFileSync(join(root, 'claude.js'), RUNS)
    await using inside = await startRunning(join(root, 'src'), [join(root, 'claude.js')])
    await using outside = await startRunning(join(root, 'src-other'), ['-e', RUNS])

    const { found } = await listProcessesIn({ roots: [join(root, 'src')], pids: NOBODY }, HERE)
    const named = await listProcessesIn(
      { roots: [join(root, 'src')], pids: new Set([outside.pid ?? 0]) },
      HERE,
    )

    expect(found).toMatchObject([{ pid: inside.pid, parentPid: process.pid, cwd: join(root, 'src') }])
    expect(found[0]?.names).toContain('claude')
    expect(Math.abs(Date.now() - (found[0]?.startedMs ?? 0))).toBeLessThan(60_000)
    expect(new Set(named.found.map(({ pid }) => pid))).toEqual(new Set([inside.pid, outside.pid]))
  })

  test('of more than are looked at, the bound is named (OB-03)', async () => {
    const { unseen } = await listInProc({ roots: ['/nowhere'], pids: NOBODY }, { most: 1 })

    expect(unseen).toContainEqual({ what: '/proc', why: 'is looked at up to 1 processes' })
  })

  test('a process that has gone while it was looked at is left out (OB-03)', async () => {
    await using dir = await createTempDir()
    for (const pid of ['1', '2']) mkdirSync(dir.file(pid))
    symlinkSync('/nowhere', dir.file('1/cwd'))

    const { found, unseen } = await listInProc({ roots: ['/nowhere'], pids: NOBODY }, { folder: dir.path })

    expect({ found, unseen }).toEqual({ found: [], unseen: [] })
  })

  test('who has a file open is found, and too many open files are no answer (OB-01, OB-03)', async () => {
    await using dir = await createTempDir()
    const path = join(realpathSync(dir.path), 'index.lock')
    const descriptor = openSync(path, 'w')

    const holders = findHolders(path, 'linux')
    const beyond = findHolders(path, 'linux', 1)
    closeSync(descriptor)

    expect(holders?.map(({ pid }) => pid)).toContain(process.pid)
    expect(beyond).toBeUndefined()
    expect(findHolders(path, 'linux')).toEqual([])
    expect(findHolders(path, 'darwin')).toBeUndefined()
  })

  test.runIf(isSo(descriptorLimit() > 2 * MAX_DESCRIPTORS_EACH, 'it opens thousands of files'))(
    'of one process so many open files are looked at, and no more (OB-03)',
    async () => {
      await using dir = await createTempDir()
      const [first, last] = ['first', 'last'].map((name) => join(realpathSync(dir.path), name))
      if (first === undefined || last === undefined) throw new Error('there are no paths')
      const paths = [first, ...Array.from({ length: MAX_DESCRIPTORS_EACH }, () => '/dev/null'), last]
      const descriptors = paths.map((path) => openSync(path, path === '/dev/null' ? 'r' : 'w'))

      const found = [first, last].map((path) => findHolders(path, 'linux')?.map(({ pid }) => pid))
      for (const descriptor of descriptors) closeSync(descriptor)

      expect(found).toEqual([[process.pid], []])
    },
  )
})

describe('through lsof', () => {
  test('its lines are read as its manual has them (OB-01)', () => {
    const text = 'p71\nR1\ncclaude\nfcwd\nn/home/alice/api\np80\nR71\ncgit\nfcwd\nn/home/alice/api/a b\n'

    expect(readLsof(text)).toEqual([
      { pid: 71, parentPid: 1, cwd: '/home/alice/api', names: ['claude'], startedMs: undefined },
      { pid: 80, parentPid: 71, cwd: '/home/alice/api/a b', names: ['git'], startedMs: undefined },
    ])
  })

  test('where it is not there, that is said (OB-03)', async () => {
    const { found, unseen } = await listByLsof({ roots: ['/'], pids: NOBODY }, HERE.uid, '/nowhere/lsof')

    expect(found).toEqual([])
    expect(unseen).toEqual([{ what: 'processes', why: 'are not shown: /nowhere/lsof gave no whole answer' }])
  })

  const lsof = spawnSync('which', ['lsof'], { encoding: 'utf8' }).stdout.trim()

  test.runIf(isSo(lsof !== '', 'they need lsof'))('a real one shows this process (OB-01)', async () => {
    const cwd = realpathSync(process.cwd())

    const { found } = await listByLsof({ roots: [cwd], pids: NOBODY }, HERE.uid, lsof)

    expect(found).toContainEqual(expect.objectContaining({ pid: process.pid, parentPid: process.ppid, cwd }))
  })
})

test('on a system that shows none it is said (OB-03)', async () => {
  const { unseen } = await listProcessesIn({ roots: ['/'], pids: NOBODY }, { ...HERE, platform: 'sunos' })

  expect(unseen).toEqual([{ what: 'processes', why: 'are not shown on sunos' }])
})
