/**
 * What hooks remember: in a file that is private, whole and bounded.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatHookState, parseHookState } from '../../../src/runtimes/memory/hook-state-text.ts'
import { newHookState, type HookState } from '../../../src/runtimes/memory/hook-state.ts'
import { HookStore } from '../../../src/runtimes/memory/hook-store.ts'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const NAME = HookStore.fileName('codex', 's1')

function storeIn(dir: TempDir): HookStore {
  return new HookStore(readEnvironment(), dir.file('agentd.sock'))
}

const FULL: HookState = {
  ...newHookState('codex', 's1', 1),
  address: '~alice/codex@s1',
  handle: '~alice',
  token: 'token',
  registration: { instrument: 'codex' },
  pid: 42,
  pidStart: 'boot:1',
  repository: '/r/.git',
  worktree: '/r',
  branch: 'main',
  isBusy: true,
  isWoken: true,
  said: { state: 'waiting', reason: 'question', text: 'Which one?' },
  hasBoard: true,
  boardAt: 'e-1',
  edits: new Map([['/r\0a', [1, 2]]]),
  ownFrames: ['f1'],
  leases: new Map([['l1', 'a']]),
  board: [
    {
      frameId: 'f2',
      leaseId: 'l2',
      resource: 'a',
      worktree: '/r',
      branch: 'main',
      from: '~alice/cc@s2',
      sinceMs: 1,
      untilMs: 2,
    },
  ],
  shown: new Map([['__proto__', 1]]),
  recent: new Map([['k', 1]]),
  wakes: [1],
  waiter: { pid: 7, kind: 'rewake' },
  wakeChannels: { claudeSocket: '/s', claudeToken: 't' },
}

test('what is written is read again', () => {
  expect(parseHookState(formatHookState(FULL))).toEqual(FULL)
})

test('the name of a file is the runtime and the SHA-256 of the session', () => {
  const digest = createHash('sha256').update('claude-code:18721cb1').digest('hex').slice(0, 32)

  expect(HookStore.fileName('claude-code', '18721cb1')).toBe(`claude-code-${digest}.json`)
})

test('no text whatsoever is an error, and what is read keeps its shape', () => {
  const members = fc.constantFrom(...Object.keys(JSON.parse(formatHookState(FULL))))
  const damaged = fc
    .dictionary(members, fc.jsonValue())
    .map((changes) => JSON.stringify({ ...JSON.parse(formatHookState(FULL)), ...changes }))
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string(), fc.json()), (text) => {
      const state = parseHookState(text)
      if (state !== undefined) expect(parseHookState(formatHookState(state))).toEqual(state)
    }),
    { numRuns: 1_000 },
  )
})

function many(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

/** A path as a string literal. */
function literal(path: string): string {
  return JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
}

/** More of everything than is kept, by one. */
function tooMuch(padding: string): HookState {
  return {
    ...FULL,
    edits: new Map(many(257).map((i) => [`${padding}e${i}`, [i, i]])),
    ownFrames: many(129).map((i) => `f${i}`),
    leases: new Map(many(65).map((i) => [`l${i}`, 'r'])),
    board: many(257).flatMap((i) =>
      FULL.board.map((entry) => ({ ...entry, frameId: `b${i}`, resource: `${padding}p` })),
    ),
    shown: new Map(many(257).map((i) => [`s${i}`, i])),
    recent: new Map(many(33).map((i) => [`r${i}`, i])),
    wakes: many(17),
  }
}

test('a list is kept to its newest', () => {
  const read = parseHookState(formatHookState(tooMuch('')))

  expect([read?.edits.size, read?.ownFrames.length, read?.leases.size, read?.board.length]).toEqual([
    256, 128, 64, 256,
  ])
  expect([read?.shown.size, read?.recent.size, read?.wakes.length]).toEqual([256, 32, 16])
  expect([read?.edits.has('e0'), read?.ownFrames[0], read?.wakes[0], read?.recent.has('r0')]).toEqual([
    false,
    'f1',
    1,
    false,
  ])
})

test('a board that an earlier version wrote is looked back for anew, and nothing else is lost', () => {
  const { board, ...rest } = JSON.parse(formatHookState(FULL))
  const [{ resource, ...entry }] = board

  const read = parseHookState(JSON.stringify({ ...rest, board: [{ ...entry, paths: [resource] }] }))

  expect(read).toEqual({ ...FULL, board: [], hasBoard: false })
})

test('a file stays within what every hook can read, whatever others send', () => {
  for (const padding of ['x'.repeat(1_500), 'é'.repeat(4_000)]) {
    const text = formatHookState(tooMuch(padding))

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(131_072)
    expect(parseHookState(text)?.board.at(-1)?.frameId).toBe('b256')
    expect(parseHookState(text)?.token).toBe('token')
  }
})

test('files and their folder are private, whatever the umask', async () => {
  await using dir = await createTempDir()
  const before = process.umask(0)
  try {
    storeIn(dir).update(NAME, () => FULL)
  } finally {
    process.umask(before)
  }

  expect(statSync(dir.file('hooks')).mode & 0o777).toBe(0o700)
  expect(readdirSync(dir.file('hooks'))).toEqual([NAME])
  expect(statSync(dir.file('hooks', NAME)).mode & 0o777).toBe(0o600)
})

test('a folder of others is refused', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('hooks'))
  chmodSync(dir.file('hooks'), 0o777)

  expect(() => storeIn(dir).update(NAME, () => FULL)).toThrow('must be 0700')
  expect(existsSync(dir.file('hooks', NAME))).toBe(false)
})

test('a session is found by the id of whoever it carries on, and never goes round in circles', async () => {
  await using dir = await createTempDir()
  const store = storeIn(dir)
  const put = (sessionId: string, heir?: string): void => {
    store.update(HookStore.fileName('codex', sessionId), () => ({ ...FULL, sessionId, heir }))
  }
  put('a', 'b')
  put('b', 'c')
  put('c')
  put('x', 'y')
  put('y', 'x')
  put('lost', 'nobody')

  expect(store.find('codex', 'a')?.sessionId).toBe('c')
  expect(store.find('codex', 'none')).toBeUndefined()
  expect(store.find('codex', 'lost')).toBeUndefined()
  expect(['x', 'y']).toContain(store.find('codex', 'x')?.sessionId)
  expect(store.list()).toHaveLength(6)
})

test("a claim is one process's at a time, and is no longer anybody's when it is old", async () => {
  await using dir = await createTempDir()
  const store = storeIn(dir)
  const claim = store.claim(NAME, 'deliver')

  expect(claim).toBeDefined()
  expect(store.claim(NAME, 'deliver')).toBeUndefined()
  expect(store.claim(NAME, 'other')).toBeDefined()
  utimesSync(dir.file('hooks', `${NAME}.deliver`), 1, 1)
  const next = store.claim(NAME, 'deliver')
  expect(next).toBeDefined()
  // The old holder comes to, and does not take it from the new one.
  claim?.release()
  expect(store.claim(NAME, 'deliver')).toBeUndefined()
  next?.release()
  expect(store.claim(NAME, 'deliver')).toBeDefined()
})

test('changes of many processes at once are all kept', async () => {
  await using dir = await createTempDir()
  const store = storeIn(dir)
  store.update(NAME, () => ({ ...FULL, wakes: [], ownFrames: [] }))
  const program = `
    const { HookStore } = await import(${literal('../../../dist/runtimes/memory/hook-store.js')})
    const { readEnvironment } = await import(${literal('../../../dist/host/config/paths.js')})
    const store = new HookStore(readEnvironment(), ${JSON.stringify(dir.file('agentd.sock'))})
    for (let i = 0; i < 10; i += 1) {
      const done = store.update(${JSON.stringify(NAME)}, (state) => ({ ...state, ownFrames: [...state.ownFrames, process.pid + '-' + i] }))
      if (done === undefined) process.exitCode = 1
    }`
  const codes = await Promise.all(
    Array.from(
      { length: 6 },
      () =>
        new Promise((resolve) => {
          spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }).once(
            'close',
            resolve,
          )
        }),
    ),
  )

  expect(codes).toEqual(Array(6).fill(0))
  expect(new Set(store.read(NAME)?.ownFrames).size).toBe(60)
  expect(readdirSync(dir.file('hooks'))).toEqual([NAME])
})

test('a file that others may write is not read', async () => {
  await using dir = await createTempDir()
  const store = storeIn(dir)
  store.update(NAME, () => FULL)
  chmodSync(dir.file('hooks', NAME), 0o622)

  expect(store.read(NAME)).toBeUndefined()
  writeFileSync(dir.file('hooks', NAME), readFileSync(dir.file('hooks', NAME)))
  chmodSync(dir.file('hooks', NAME), 0o600)
  expect(store.read(NAME)).toEqual(FULL)
})
