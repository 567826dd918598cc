/** What a session may be called (docs/http.md §4). */
import { expect, test } from 'vitest'
import { MAX_NAME_CHARS } from '../../../src/core/limits.ts'
import { isInstrument } from '../../../src/protocol/address/handle.ts'
import {
  isName,
  nameStem,
  numberedName,
  plainNames,
  slugOf,
  type NameFacts,
} from '../../../src/protocol/address/name.ts'

const RUNTIME: NameFacts = { tool: 'cc', instrument: 'cc', sessionId: 's1' }

test.each([
  ['API refactor', 'api-refactor'],
  ['  Fix: the login?! ', 'fix-the-login'],
  ['Überprüfung', 'uberprufung'],
  ['v2', 'v2'],
  ['move the session code to its own layer', 'move-the-session-code-to'],
  ['a-very-long-first-part andmuchmoreofitwithoutablank', 'a-very-long-first-part'],
  ['x'.repeat(40), 'x'.repeat(MAX_NAME_CHARS)],
  ['123 go', '123-go'],
  ['', undefined],
  ['日本語', undefined],
  ['42', undefined],
  ['a', undefined],
  ['---', undefined],
])('the title "%s" is the name %s', (title, name) => {
  expect(slugOf(title)).toBe(name)
})

function first(facts: NameFacts): string | undefined {
  return [...plainNames(facts)][0]
}

test('a name is made from the title, from a chosen instrument, or from the tool and a word for the id', () => {
  expect(first({ ...RUNTIME, title: 'API refactor' })).toBe('api-refactor')
  expect(first({ ...RUNTIME, instrument: 'reviewer' })).toBe('reviewer')
  expect(first({ ...RUNTIME, tool: 'other', instrument: 'reviewer', title: '…' })).toBe('reviewer')
  expect(first(RUNTIME)).toMatch(/^cc-[a-z]+$/)
  expect(first({ ...RUNTIME, instrument: 'cc-opus-4-6' })).toBe(first(RUNTIME))
  expect(first({ ...RUNTIME, sessionId: 's2' })).not.toBe(first(RUNTIME))
  expect(first({ ...RUNTIME, tool: 'gemini', instrument: 'gemini' })).toMatch(/^gemini-[a-z]+$/)
})

test('each word stands for a session once, and then numbers go on', () => {
  const words = [...plainNames(RUNTIME)]

  expect(words.length).toBeGreaterThanOrEqual(100)
  expect(new Set(words).size).toBe(words.length)
  expect(nameStem(RUNTIME)).toBe(words[0])
  expect(numberedName('api-refactor', 2)).toBe('api-refactor-2')
})

test('whatever a session says of itself, its name is the body of a handle and within its bound', () => {
  const tools = ['a', 'cc', 'x'.repeat(32), 'a-']
  const instruments = ['z', 'y'.repeat(32), `${'y'.repeat(23)}-${'z'.repeat(8)}`]
  const titles = [undefined, `${'x'.repeat(MAX_NAME_CHARS - 1)} y`, 'x'.repeat(256), 'x-'.repeat(128)]
  for (const tool of tools) {
    for (const instrument of [tool.replace(/-$/, ''), ...instruments]) {
      for (const title of titles) {
        const facts = { tool, instrument, title, sessionId: 's1' }
        const numbered = [2, 99_999].map((number) => numberedName(nameStem(facts), number))
        for (const name of [...plainNames(facts), ...numbered]) {
          expect([name, isName(name), isInstrument(name)]).toEqual([name, true, true])
        }
      }
    }
  }
})

test.each(['', '-a', 'a-', 'A', 'a.b', '~a', 'a@b', 'x'.repeat(MAX_NAME_CHARS + 1)])(
  '"%s" is no name',
  (text) => {
    expect(isName(text)).toBe(false)
  },
)
