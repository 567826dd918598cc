import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDebugSink } from '../../../src/host/process/debug-sink.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { bundleProgram, runPrograms } from '../child-program.ts'
import { surroundings } from '../surroundings.ts'

const NOW_MS = Date.UTC(2026, 10, 22)

function open(dir: TempDir, target: string | undefined, onFault?: (sentence: string) => void) {
  const env = { ...(target !== undefined && { AGENTD_DEBUG: target }) }
  return openDebugSink({
    environment: surroundings(dir.path, { env }),
    nowMs: () => NOW_MS,
    ...(onFault !== undefined && { onFault }),
  })
}

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test.each([undefined, ''])('where nobody asks (%j) there is none, and nothing is written', async (target) => {
  await using dir = await createTempDir()

  expect(open(dir, target)).toBeUndefined()
})

test('each thing is one line of JSON with when, who and what, added to what is there, in a file of 0600', async () => {
  await using dir = await createTempDir()
  const path = dir.file('debug.log')

  open(dir, path)?.('hook', { event: 'prompt', ms: 12, silent: undefined })
  open(dir, path)?.('wake', { driver: 'a\nb\u001b[31m\u202e', what: 'forged', pid: 1 })

  const head = { ts: '2026-11-22T00:00:00.000Z', pid: process.pid }
  expect(linesOf(path)).toEqual([
    { ...head, what: 'hook', event: 'prompt', ms: 12 },
    { ...head, what: 'wake', driver: 'a\nb\u001b[31m\u202e' },
  ])
  expect(readFileSync(path, 'utf8')).not.toMatch(/[^\n -~]/)
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
})

test('beyond 16 MiB the file is set aside, in place of an earlier one, and begun anew', async () => {
  await using dir = await createTempDir()
  const path = dir.file('debug.log')
  const debug = open(dir, path)
  debug?.('hook', { ms: 1 })
  writeFileSync(`${path}.1`, 'older')
  truncateSync(path, 16 * 1024 * 1024)

  debug?.('hook', { ms: 2 })
  expect(existsSync(path)).toBe(false)
  expect(lstatSync(`${path}.1`).size).toBeGreaterThan(16 * 1024 * 1024)
  debug?.('hook', { ms: 3 })

  expect(linesOf(path)).toMatchObject([{ ms: 3 }])
})

test.each([
  ['a link', (dir: TempDir) => symlinkSync(dir.file('target'), dir.file('debug.log'))],
  ['a folder', (dir: TempDir) => mkdirSync(dir.file('debug.log'))],
  [
    'a file that others may read',
    (dir: TempDir) => {
      writeFileSync(dir.file('debug.log'), '')
      chmodSync(dir.file('debug.log'), 0o644)
    },
  ],
])('%s is not written to, which is told once and disturbs nobody (R-02)', async (_, spoil) => {
  await using dir = await createTempDir()
  spoil(dir)
  const told: string[] = []
  const debug = open(dir, dir.file('debug.log'), (sentence) => told.push(sentence))

  debug?.('request', { ms: 1 })
  debug?.('request', { ms: 2 })

  expect(told).toHaveLength(1)
  expect(told[0]).toContain('AGENTD_DEBUG')
  expect(existsSync(dir.file('target'))).toBe(false)
  expect(lstatSync(dir.file('debug.log')).isFile() ? readFileSync(dir.file('debug.log'), 'utf8') : '').toBe(
    '',
  )
})

const WRITER = `
  import { openDebugSink } from '#host/process/debug-sink.ts'
  import { readEnvironment } from '#host/config/paths.ts'
  const environment = readEnvironment()
  environment.env.AGENTD_DEBUG = process.argv[2]
  const debug = openDebugSink({ environment, nowMs: Date.now })
  for (let i = 0; i < 200; i += 1) debug('hook', { stack: 'x'.repeat(3_000), ms: i })
  console.log('done')
`

test('several processes write to one file, and every line is whole', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(WRITER)
  await using writers = runPrograms(3, program, [dir.file('debug.log')])

  expect(await writers.nextLines()).toEqual(['done', 'done', 'done'])
  expect(linesOf(dir.file('debug.log'))).toHaveLength(600)
})

test('a minus is stderr', async () => {
  await using program = await bundleProgram(WRITER.replace('200', '2').replace('3_000', '3'))

  const { stderr } = await promisify(execFile)(process.execPath, [program.path, '-'])

  expect(
    stderr
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ ms: 0 }, { ms: 1 }])
})
