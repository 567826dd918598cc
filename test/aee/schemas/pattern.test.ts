/**
 * Patterns of schemas, matched without backtracking (AEE-022): the same answers as `RegExp`, in time.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from '../../../src/aee/schemas/pattern.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'

const raw = String.raw

function registryOf(schema: unknown): SchemaRegistry {
  return new SchemaRegistry([{ name: 'ops.x.y.task.schema.json', text: JSON.stringify(schema) }])
}

/** What one character of the text may be: all that some part below tells apart. */
const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCodePoint(code)),
  '\u00a0',
  '\u1680',
  '\u2028',
  '\u3000',
  '\ufeff',
  'é',
  'α',
  '\u017f',
  '\u212a',
  '😀',
]

/** All of them are taken over differently, or could be taken for something else. */
const PARTS =
  raw`a b α 😀 . - , : / < > = ! && -- ~ " # @ \d \D \w \W \s \S \t \v \0 \cA \cj \x41 \u0061 \u{1f600}
  \ud83d\ude00 \/ \. \\ \[ \] \p{L} \P{Lu} \p{Letter} \p{Script=Greek} \p{gc=Nd}`.split(/\s+/)

const inClass = fc.oneof(
  fc.constantFrom(
    ...PARTS,
    '[',
    '(?<a>',
    '(?<',
    '[:alpha:',
    '^',
    '$',
    '*',
    '(',
    ')',
    '{',
    '|',
    raw`\b`,
    raw`\-`,
  ),
  fc.constantFrom('a-k', '!-@', raw`\t-\r`, raw`\u0061-\u{6b}`),
)

const { pattern } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  pattern: fc.array(tie('atom'), { maxLength: 4 }).map((atoms) => atoms.join('')),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...PARTS),
    fc.constantFrom('^', '$', raw`\b`, raw`\B`, '[]', '[^]'),
    fc
      .tuple(fc.constantFrom('[', '[^'), fc.array(inClass, { minLength: 1, maxLength: 4 }))
      .map(([open, parts]) => `${open}${parts.join('')}]`),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), tie('pattern'))
      .map(([open, one, other]) => `${open}${one}|${other})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{1,3}', '{0,}'))
      .map(([body, times]) => `(?:${body})${times}`),
  ),
}))

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode
  } catch {
    return false
  }
}

test('what it matches is what RegExp matches', () => {
  let compared = 0
  fc.assert(
    fc.property(
      pattern.filter(isPattern),
      fc.array(fc.oneof(fc.constantFrom(...CHARACTERS), fc.constantFrom('a', 'b')), { maxLength: 6 }),
      (source, characters) => {
        const compiled = compilePattern(source)
        const text = characters.join('')
        expect(compiled, source).toBeDefined()
        expect([source, text, compiled?.test(text)]).toEqual([
          source,
          text,
          new RegExp(source, 'u').test(text),
        ])
        compared += 1
      },
    ),
    { numRuns: 2_000 },
  )
  expect(compared).toBeGreaterThanOrEqual(2_000)
})

test.each([
  [raw`(?<year>\d{4})-(?<ä>\d\d)`, '2025-12', '2025-1'],
  [raw`[(?<]a>`, '(a>', '(a'],
  [raw`[[:alpha:]]`, ':]', 'b'],
  [raw`^a$`, 'a', 'a\n'],
  [raw`^[\s]$`, '\ufeff', 'x'],
  [raw`^[^\S]$`, '\u3000', 'x'],
  [raw`^\p{Script=Greek}+$`, 'αβγ', 'abc'],
])('%s matches %j and not %j', (source, yes, no) => {
  const compiled = compilePattern(source)

  expect([compiled?.test(yes), compiled?.test(no)]).toEqual([true, false])
})

test.each([
  '(?=a)',
  '(?!a)',
  '(?<=a)b',
  '(?<!a)b',
  raw`(a)\1`,
  raw`(?<n>a)\k<n>`,
  raw`${'(a)'.repeat(10)}\10`,
  'a{1001}',
  '(?:a{100}){100}',
])('%s is not matched at all', (source) => {
  expect(isPattern(source)).toBe(true)
  expect(compilePattern(source)).toBeUndefined()
})

test.each(['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(x+x+)+y', raw`^(\w+\s?)*$`])(
  'a payload that %s would be tried on for ever is refused at once',
  (source) => {
    const registry = registryOf({ properties: { a: { pattern: source } } })

    expect(registry.faults).toEqual([])
    expect(
      registry.validate('ops.x.y', 'task', { a: `${'ax'.repeat(5_000)}${'a'.repeat(50_000)}!` }),
    ).toEqual({
      kind: 'invalid',
      errors: [`"payload.a" must match pattern "${source}".`],
    })
  },
)

test('patterns of one schema are told apart', () => {
  const registry = registryOf({
    properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } },
    patternProperties: { '^c': { pattern: '^c$' } },
  })

  expect(registry.validate('ops.x.y', 'task', { a: 'a', b: 'b', c: 'c' })).toEqual({ kind: 'valid' })
  expect(registry.validate('ops.x.y', 'task', { a: 'b', b: 'a', c: 'a' })).toMatchObject({
    errors: [expect.stringContaining('.a'), expect.stringContaining('.b'), expect.stringContaining('.c')],
  })
})

test('text that its patterns would take too long for is refused, within "not" too, and the next payload is judged', () => {
  for (const schema of [{ pattern: '^[a-z]{1,900}' }, { not: { pattern: '[0-9]{900}' } }]) {
    const registry = registryOf({ properties: { a: schema } })
    const long = registry.validate('ops.x.y', 'task', { a: 'a'.repeat(1_000_000) })

    expect(long).toEqual({
      kind: 'invalid',
      errors: ['"payload" has too much text for the patterns of its schema.'],
    })
    expect(registry.validate('ops.x.y', 'task', { a: 'a' })).toEqual({ kind: 'valid' })
    expect(registry.faults).toEqual([])
  }
})

test('a quarter of a mebibyte is not too much for a plain pattern', () => {
  const registry = registryOf({ properties: { a: { pattern: raw`^\S+$` } } })

  expect(registry.validate('ops.x.y', 'task', { a: 'a'.repeat(262_144) })).toEqual({ kind: 'valid' })
})
