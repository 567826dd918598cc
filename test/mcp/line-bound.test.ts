/** The bounds on one message of MCP. */
import { expect, test } from 'vitest'
import { MAX_JSON_PARTS } from '../../src/core/limits.ts'
import { LineBound } from '../../src/mcp/line-bound.ts'

/** So many arrays, one around the others. */
const arrays = (count: number): string => `[${Array.from({ length: count - 1 }, () => '[]').join()}]`

/** @returns what came through of these lines, and how many were left out */
async function passThrough(...lines: readonly string[]): Promise<{ through: string[]; dropped: number }> {
  let dropped = 0
  const bound = new LineBound({
    maxOctets: 1_048_576,
    onDropped: () => (dropped += 1),
    takes: () => false,
    holds: () => {},
    onceRead: (goOn) => goOn(),
  })
  const through: string[] = []
  bound.on('data', (line: Buffer) => through.push(line.toString()))
  bound.end(lines.map((line) => `${line}\n`).join(''))
  await new Promise((resolve) => bound.once('close', resolve))
  return { through: through.map((line) => line.trimEnd()), dropped }
}

test('a message of as many parts as any body may have comes through, one of one more is left out, and the next comes (R-51, HD-10)', async () => {
  const most = arrays(MAX_JSON_PARTS)
  expect(await passThrough(most, arrays(MAX_JSON_PARTS + 1), '{}')).toEqual({
    through: [most, '{}'],
    dropped: 1,
  })
})

test('a text of brackets is one part of a message, however long (HD-10)', async () => {
  const text = JSON.stringify({ text: '[{'.repeat(MAX_JSON_PARTS) })
  expect(await passThrough(text)).toEqual({ through: [text], dropped: 0 })
})
