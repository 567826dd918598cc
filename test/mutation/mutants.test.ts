import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { mutantsOf } from './support/mutants.mjs'

/** What a source becomes, mutant by mutant. */
async function mutationsOf(source: string): Promise<readonly string[]> {
  await using dir = await createTempDir()
  const file = dir.file('one.ts')
  writeFileSync(file, source)
  return mutantsOf(file).map(({ start, end, text }) => `${source.slice(0, start)}${text}${source.slice(end)}`)
}

test.each([
  ['a boundary is moved and turned round', 'x(a < b)', ['x(a <= b)', 'x(a >= b)', ';']],
  ['an equality is turned round', 'const x = a === b', ['const x = a !== b']],
  ['both is either', 'const x = a && b', ['const x = a || b']],
  ['a fallback is dropped', 'const x = a ?? b', ['const x = a']],
  ['a sum is a difference', 'const x = a + b', ['const x = a - b']],
  ['text is not counted with', "const x = 'a' + b", []],
  ['a constant is one more and one less', 'const x = 1_000', ['const x = (1001)', 'const x = (999)']],
  ['true is false', 'const x = true', ['const x = false']],
  ['a condition is negated once', 'if (a) b()', ['if (!(a)) b()', 'if (a) ;']],
  ['a negation is dropped', 'const x = !a', ['const x = a']],
  ['nothing is returned', 'const x = () => a', ['const x = () => undefined']],
  ['types are left alone', 'interface X { a: 1 }; type Y = true', []],
  ['what types wrap is not', 'const x = true as boolean', ['const x = false as boolean']],
])('%s', async (_title, source, expected) => {
  const found = await mutationsOf(source)

  expect(found.toSorted()).toEqual(expected.toSorted())
})
