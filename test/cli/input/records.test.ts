import { writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRecords } from '../../../src/cli/input/records.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../src/core/limits.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** The records of a file with this content: the line each stands on, and its text. */
async function read(
  content: string | Buffer,
  name = 'file',
): Promise<readonly (readonly [unknown, string])[]> {
  await using dir = await createTempDir()
  const path = dir.file(name)
  writeFileSync(path, content)
  const found: [unknown, string][] = []
  for await (const { bytes, line } of readRecords(path)) found.push([line, bytes.toString()])
  return found
}

test('lines that are JSON by themselves are records by themselves', async () => {
  expect(await read('{"a":1}\n\n[2]\r\nnonsense\n3')).toEqual([
    [1, '{"a":1}'],
    [3, '[2]'],
    [4, 'nonsense'],
    [5, '3'],
  ])
})

test('JSON over many lines is one record, and what is none after all is lines again', async () => {
  expect(await read('{\n  "a": 1\n}\n')).toEqual([[undefined, '{\n  "a": 1\n}\n']])
  expect(await read('{\n{"a":1}\n')).toEqual([
    [1, '{'],
    [2, '{"a":1}'],
  ])
  expect(await read('{')).toEqual([[1, '{']])
})

test('a name can say that each line is one', async () => {
  expect(await read('{\n"a":1}\n', 'file.ndjson')).toEqual([
    [1, '{'],
    [2, '"a":1}'],
  ])
})

test('what is more than one record may hold is many, however it begins', async () => {
  const line = 'x'.repeat(600_000)

  expect((await read(`{\n${line}\n${line}\n1\n`)).map(([number]) => number)).toEqual([1, 2, 3, 4])
})

test('a line that no envelope can be keeps its place, one octet over the limit, and ends nothing', async () => {
  const over = MAX_ENVELOPE_OCTETS + 1
  const most = 'y'.repeat(MAX_ENVELOPE_OCTETS)
  const records = await read(`1\n${'x'.repeat(3 * over)}\r\n${most}\r\n2\n${'x'.repeat(over)}`)

  expect(records.map(([line, text]) => [line, text.length])).toEqual([
    [1, 1],
    [2, over],
    [3, MAX_ENVELOPE_OCTETS],
    [4, 1],
    [5, over],
  ])
})

test('nothing is nothing', async () => {
  expect(await read('')).toEqual([])
  expect(await read('\n\n')).toEqual([])
})

test('any JSON values, one to a line or one over many, come back as they are', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }),
    async (values) => {
      const perLine = await read(values.map((value) => JSON.stringify(value)).join('\n'))
      const [whole, ...more] = await read(JSON.stringify(values, null, 2))

      expect(perLine.map(([, text]) => JSON.parse(text))).toEqual(
        values.map((value) => JSON.parse(JSON.stringify(value))),
      )
      expect(more).toEqual([])
      expect(JSON.parse(whole?.[1] ?? '')).toEqual(JSON.parse(JSON.stringify(values)))
    },
  )
  await fc.assert(property, { numRuns: 30 })
})
