import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from '../../../../src/runtimes/setup/files/diff.ts'

const NAMES = { before: 'a', after: 'a' }

test('a change is shown with three lines around it', () => {
  const before = Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join('')

  expect(unifiedDiff(before, before.replace('6\n', 'six\nseven\n'), NAMES)).toBe(
    '--- a\n+++ a\n@@ -3,7 +3,8 @@\n 3\n 4\n 5\n-6\n+six\n+seven\n 7\n 8\n 9',
  )
})

test('a new file, a removed one, and a missing line end are said as diff says them', () => {
  expect(unifiedDiff('', 'x\n', { before: undefined, after: 'a' })).toBe(
    '--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x',
  )
  expect(unifiedDiff('x\n', '', { before: 'a', after: undefined })).toBe(
    '--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x',
  )
  expect(unifiedDiff('x', 'x\n', NAMES)).toBe(
    String.raw`--- a
+++ a
@@ -1 +1 @@
-x
\ No newline at end of file
+x`,
  )
})

test('nothing is shown where nothing differs', () => {
  expect(unifiedDiff('x\n', 'x\n', NAMES)).toBe('')
})

test('two changes far apart are two hunks', () => {
  const before = Array.from({ length: 40 }, (_, i) => `${i}\n`).join('')
  const shown = unifiedDiff(before, before.replace('5\n', 'a\n').replace('30\n', 'b\n'), NAMES)

  expect(shown.match(/^@@/gm)).toHaveLength(2)
})

test('applied to the one text, it gives the other, whatever they are', () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 30 }), fc.boolean())
    .map(([lines, hasEnd]) => lines.join('\n') + (hasEnd && lines.length > 0 ? '\n' : ''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(apply(before, unifiedDiff(before, after, NAMES))).toBe(after)
    }),
    { numRuns: 500 },
  )
})

test('texts that have nothing in common are shown as one replaced by the other', () => {
  const before = Array.from({ length: 3_000 }, (_, i) => `a${i}\n`).join('')
  const after = Array.from({ length: 3_000 }, (_, i) => `b${i}\n`).join('')

  expect(apply(before, unifiedDiff(before, after, NAMES))).toBe(after)
})

/** What `patch` does, for one file. */
function apply(before: string, diff: string): string {
  if (diff === '') return before
  const lines = before === '' ? [] : before.split(/(?<=\n)/)
  const result: string[] = []
  let at = 0
  const shown = diff.split('\n').slice(2)
  for (const [index, line] of shown.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
    const end = shown[index + 1]?.startsWith('\\') ? '' : '\n'
    if (head) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1)
      result.push(...lines.slice(at, start))
      at = start
    } else if (line.startsWith('\\')) continue
    else if (line.startsWith('+')) result.push(line.slice(1) + end)
    else {
      expect(lines[at]).toBe(line.slice(1) + end)
      if (line.startsWith(' ')) result.push(lines[at] ?? '')
      at += 1
    }
  }
  return [...result, ...lines.slice(at)].join('')
}
