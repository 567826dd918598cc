/**
 * Reading a log from its end, within bounds, and following it while it is set aside and written anew.
 */
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { logLines, MAX_LOG_LINE_BYTES } from '../../../src/cli/logs/log-file.ts'
import { formatLogLine, readLogLine } from '../../../src/cli/logs/log-line.ts'
import { PLAIN } from '../../../src/core/display/palette.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('')

async function read(path: string, lines: number | undefined): Promise<readonly string[]> {
  const all: string[] = []
  const signal = new AbortController().signal
  for await (const line of logLines(path, { lines, follows: false, signal })) all.push(line.toString())
  return all
}

test('the last lines are found across blocks, and the rest of them in what was set aside', async () => {
  await using dir = await createTempDir()
  const log = dir.file('agentd.log')
  writeFileSync(`${log}.1`, numbered(1, 20_000))
  writeFileSync(log, numbered(20_001, 40_000))

  expect(await read(log, 2)).toEqual(['line 39999', 'line 40000'])
  expect(await read(log, 0)).toEqual([])
  const most = await read(log, 20_003)
  expect([most.length, most[0], most.at(-1)]).toEqual([20_003, 'line 19998', 'line 40000'])
  expect(await read(log, undefined)).toHaveLength(40_000)
  expect(await read(log, 50_000)).toHaveLength(40_000)
})

test('a line that nobody has ended is shown, and one over the bound is cut there', async () => {
  await using dir = await createTempDir()
  const log = dir.file('agentd.log')
  writeFileSync(log, `${'x'.repeat(MAX_LOG_LINE_BYTES)}\n${'y'.repeat(MAX_LOG_LINE_BYTES * 20)}\nend`)

  const [whole = '', cut = '', end] = await read(log, 3)

  expect([whole.length, cut.length, end]).toEqual([MAX_LOG_LINE_BYTES, MAX_LOG_LINE_BYTES + 1, 'end'])
  expect(formatLogLine(readLogLine(Buffer.from(whole)), PLAIN)).toHaveLength(MAX_LOG_LINE_BYTES)
  expect(formatLogLine(readLogLine(Buffer.from(cut)), PLAIN)).toHaveLength(MAX_LOG_LINE_BYTES + ' …'.length)
})

test('what is followed goes on over a file set aside, one cut short, and one that comes later', async () => {
  await using dir = await createTempDir()
  const log = dir.file('agentd.log')
  const ending = new AbortController()
  const lines = logLines(log, { lines: 10, follows: true, signal: ending.signal })
  const next = async (): Promise<string> => {
    const { value } = await within(lines.next(), 'the next line')
    return value === undefined ? 'end' : value.toString()
  }

  const first = next()
  writeFileSync(log, 'one\n')
  expect(await first).toBe('one')
  appendFileSync(log, 'two\nlast of the old')
  expect(await next()).toBe('two')
  renameSync(log, `${log}.1`)
  writeFileSync(log, 'three\n')
  expect(await next()).toBe('last of the old')
  expect(await next()).toBe('three')
  truncateSync(log, 0)
  appendFileSync(log, '4\n')
  expect(await next()).toBe('4')
  const end = next()
  ending.abort()
  expect(await end).toBe('end')
})

test('neither a link nor a folder is taken for a log', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('secret'), 'secret\n')
  symlinkSync(dir.file('secret'), dir.file('link.log'))
  mkdirSync(dir.file('folder.log'))

  await expect(read(dir.file('link.log'), 5)).rejects.toThrow(HostRefusal)
  await expect(read(dir.file('folder.log'), 5)).rejects.toThrow(HostRefusal)
  expect(await read(dir.file('absent.log'), 5)).toEqual([])
})

test('a hostile line steers no terminal and adds no line, as an object or not (R-38)', () => {
  const nasty = 'a\u001b[2J\u202eb\r\nagentd: forged'
  const object = JSON.stringify({
    ts: '2026-11-28T03:00:00.000Z',
    level: 'info',
    event: nasty,
    [nasty]: nasty,
    n: 1,
  })

  for (const line of [nasty, object]) {
    const shown = formatLogLine(readLogLine(Buffer.from(line)), PLAIN)
    expect(shown).not.toMatch(/\p{C}/u)
  }
  expect(
    formatLogLine(readLogLine(Buffer.from('{"ts":"t","level":"warn","event":"e","why":"a b"}')), PLAIN),
  ).toBe('t warn  e why="a b"')
})
