/** The bounds on one message of MCP. */
import { expect, test } from 'vitest'
import { MAX_JSON_PARTS } from '../../src/core/limits.ts'
import { LineBound } from '../../src/mcp/line-bound.ts'

/** So many arrays, one around the others. */
const arrays = (count: number): string => `[${Array.from({ length: count - 1 }, () => '[]').join()}]`

/** @returns what came through of these lines, and how many were left out */
async function passThrough(
  ...lines: readonly string[]
): Promise<{ through: string[]; dropped: number; ids: unknown[] }> {
  let dropped = 0
  const ids: unknown[] = []
  const bound = new LineBound({
    maxOctets: 1_048_576,
    onDropped: (id) => {
      dropped += 1
      ids.push(id)
    },
    takes: () => false,
    holds: () => {},
    onceRead: (goOn) => goOn(),
  })
  const through: string[] = []
  bound.on('data', (line: Buffer) => through.push(line.toString()))
  bound.end(lines.map((line) => `${line}\n`).join(''))
  await new Promise((resolve) => bound.once('close', resolve))
  return { through: through.map((line) => line.trimEnd()), dropped, ids }
}

test('a message of as many parts as any body may have comes through, one of one more is left out, and the next comes (R-51, HD-10)', async () => {
  const most = arrays(MAX_JSON_PARTS)
  expect(await passThrough(most, arrays(MAX_JSON_PARTS + 1), '{}')).toEqual({
    through: [most, '{}'],
    dropped: 1,
    ids: [null],
  })
})

test('a text of brackets is one part of a message, however long (HD-10)', async () => {
  const text = JSON.stringify({ text: '[{'.repeat(MAX_JSON_PARTS) })
  expect(await passThrough(text)).toMatchObject({ through: [text], dropped: 0 })
})

test('what is left out for its parts is answered by its id, where that stands first, behind the version or last (HD-10)', async () => {
  const many = arrays(MAX_JSON_PARTS + 1)
  const { ids } = await passThrough(
    `{"id":7,"params":${many}}`,
    `{"jsonrpc":"2.0","id":"a-1","params":${many}}`,
    `{"params":${many},"jsonrpc":"2.0","id":8}`,
    `{"params":{"id":9,"x":${many}}}`,
    `{"params":[${many},{"text":",\\"id\\":3}"}]}`,
  )

  expect(ids).toEqual([7, 'a-1', 8, null, null])
})
