import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { processStartTime, tellableStartTime } from '../../../src/host/process/processes.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { hasProgram, isSo, runsOnLinux } from '../../support/needs.ts'
import { DIST } from '../../support/start-graph.ts'

/** Whether a process may have numbers of its own here. */
const hasNamespaces = spawnSync('unshare', ['-Urpf', 'true']).status === 0

const platforms = process.platform === 'linux' ? (['linux', 'darwin'] as const) : (['darwin'] as const)

test.each(platforms)(
  'as on %s, a living process has the same start time each time it is asked',
  async (platform) => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    const pid = child.pid ?? 0

    const first = processStartTime(pid, platform)
    expect(first).toMatch(/\d/)
    expect(processStartTime(pid, platform)).toBe(first)

    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(processStartTime(pid, platform)).toBeUndefined()
  },
)

test.runIf(runsOnLinux('/proc'))('two processes of one boot differ by their start only', () => {
  const [boot, start] = (processStartTime(process.pid) ?? '').split(':')
  const [bootOfInit, startOfInit] = (processStartTime(1) ?? '').split(':')

  expect(boot).toMatch(/^[0-9a-f-]{36}$/)
  expect(bootOfInit).toBe(boot)
  expect(Number(start)).toBeGreaterThan(Number(startOfInit))
})

test.runIf(runsOnLinux('/proc'))(
  'what is told of a process is when it began, where that is cheap (HD-04)',
  () => {
    expect(tellableStartTime(process.pid)).toBe(processStartTime(process.pid))
    expect(tellableStartTime(process.pid, 'darwin')).toBeUndefined()
  },
)

test.runIf(isSo(hasNamespaces, 'they need a process namespace'))(
  'where /proc has numbers of another namespace nothing is told, and of one of its own what stands there (HD-04)',
  () => {
    const program = `import { tellableStartTime } from ${JSON.stringify(join(DIST, 'host/process/processes.js'))}
      console.log(typeof tellableStartTime(process.pid))`
    const tell = (...options: readonly string[]): string =>
      spawnSync('unshare', ['-Urpf', ...options, process.execPath, '--input-type=module', '-e', program], {
        encoding: 'utf8',
      }).stdout

    expect([tell(), tell('--mount-proc')]).toEqual(['undefined\n', 'string\n'])
  },
)

test.runIf(runsOnLinux('/proc'))('a name with parentheses and spaces does not shift the fields', async () => {
  await using dir = await createTempDir()
  const program = dir.file(') S 1 (x y')
  copyFileSync('/bin/sleep', program)
  const child = spawn(program, ['60'])
  await once(child, 'spawn')

  const [, start] = (processStartTime(child.pid ?? 0) ?? '').split(':')
  const [, ownStart] = (processStartTime(process.pid) ?? '').split(':')

  expect(Number(start)).toBeGreaterThanOrEqual(Number(ownStart))
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test.runIf(runsOnLinux('/proc'))('a zombie no longer lives', async () => {
  // The shell becomes a sleep, which never waits for the shell's child; that ends when its input does.
  const parent = spawn('sh', ['-c', 'cat <&3 >&4 & echo $!; exec 3<&- 4>&-; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'],
  })
  const [, output, , input, ending] = parent.stdio
  if (!output || !(ending instanceof Socket) || !(input instanceof Socket))
    throw new Error('the shell did not start')
  const [line] = await once(output, 'data')
  const pid = Number(String(line))
  expect(processStartTime(pid)).toBeDefined()
  // Before that the shell may still take its child's end.
  await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'))

  // Its output ends a moment before it is a zombie: descriptors are closed first.
  const ended = once(ending.resume(), 'end')
  input.end()
  await ended
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '))

  expect(processStartTime(pid)).toBeUndefined()
  parent.kill('SIGKILL')
  await once(parent, 'exit')
})

test.runIf(runsOnLinux('/proc') && hasProgram('python3'))(
  'a process lives as long as one of its threads, which holds what it has open',
  async () => {
    // What began the process ends, and another thread of it waits for its input to.
    const program = `
import ctypes, sys, threading
threading.Thread(target=lambda: sys.stdin.read()).start()
print('begun', flush=True)
ctypes.CDLL(None).pthread_exit(None)`
    const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    const startTime = processStartTime(child.pid ?? 0)
    await vi.waitFor(() => expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toContain(') Z '))

    expect(processStartTime(child.pid ?? 0)).toBe(startTime)
    expect(startTime).toBeDefined()
    child.stdin.end()
    await ended
    expect(processStartTime(child.pid ?? 0)).toBeUndefined()
  },
)

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 31 - 1])('%d is nobody', (pid) => {
  expect(processStartTime(pid)).toBeUndefined()
})
