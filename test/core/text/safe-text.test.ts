/**
 * Untrusted text for terminals and models, and a frame in one line.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { safeBlock, safeLine } from '../../../src/core/text/safe-text.ts'
import { spokenKind } from '../../../src/protocol/frame/spoken-kind.ts'
import { summarise } from '../../../src/protocol/frame/summary.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'

/** Code points that may never get through, as numbers: written down apart from the code's own classes. */
const UNSAFE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x1f], // C0 controls, escape among them
  [0x7f, 0x9f], // delete and C1 controls, the one-character CSI among them
  [0xad, 0xad], // soft hyphen
  [0x3_4f, 0x3_4f], // combining grapheme joiner
  [0x6_1c, 0x6_1c], // Arabic letter mark
  [0x11_5f, 0x11_60], // Hangul fillers
  [0x18_0b, 0x18_0f], // Mongolian variation selectors
  [0x20_0b, 0x20_0f], // zero-width, direction marks
  [0x20_28, 0x20_2e], // line and paragraph separator, embeddings and overrides
  [0x20_60, 0x20_6f], // word joiner, isolates, deprecated
  [0x31_64, 0x31_64], // Hangul filler
  [0xd8_00, 0xdf_ff], // lone surrogates
  [0xfe_00, 0xfe_0f], // variation selectors
  [0xfe_ff, 0xfe_ff], // byte order mark, zero-width no-break space
  [0xff_a0, 0xff_a0], // half-width Hangul filler
  [0xff_f0, 0xff_fb], // interlinear annotation and its neighbours
  [0x1_bc_a0, 0x1_bc_a3], // shorthand format controls
  [0x1_d1_73, 0x1_d1_7a], // musical format controls
  [0xe_00_00, 0xe_0f_ff], // tags: a whole hidden alphabet
]

function isUnsafe(point: number): boolean {
  return UNSAFE_RANGES.some(([first, last]) => point >= first && point <= last)
}

/** What of a text may not be there, as hexadecimal code points. */
function unsafeIn(text: string): string[] {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return points.filter((point) => isUnsafe(point)).map((point) => point.toString(16))
}

const unsafeUnit = fc.constantFrom(...UNSAFE_RANGES.flat()).map((point) => String.fromCodePoint(point))
const hostile = fc.string({
  unit: fc.oneof(
    unsafeUnit,
    fc.constantFrom('a', ' ', '\n', '\r\n', '\t', '\uD83D', '\uDE00', '\u001B[31m'),
    fc.string(),
  ),
})

test('every unsafe character is removed, each of them (R-38, R-39)', () => {
  const through: string[] = []
  for (const [first, last] of UNSAFE_RANGES) {
    for (let point = first; point <= last; point += 1) {
      const safe = safeLine(`a${String.fromCodePoint(point)}b`)
      if (unsafeIn(safe).length > 0) through.push(point.toString(16))
    }
  }

  expect(through).toEqual([])
})

test('no text whatever gets an unsafe character through (R-38, R-39)', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(unsafeIn(safeLine(text))).toEqual([])
      expect(unsafeIn(safeBlock(text).replaceAll('\n', ''))).toEqual([])
      expect(safeLine(text)).not.toMatch(/[\r\n]/)
    }),
    { numRuns: 1_000 },
  )
})

test('safe text comes out as it went in, and a second pass changes nothing (R-38)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const safe = safeLine(text)
      expect(safeLine(safe)).toBe(safe)
      expect(safeBlock(safeBlock(text))).toBe(safeBlock(text))
    }),
  )
  for (const text of [
    'plain',
    'naïve café',
    'шрифт',
    '日本語',
    '한국어',
    'עברית',
    'العربية',
    '😀',
    '<b>&amp;"\\',
  ]) {
    expect(safeLine(text)).toBe(text)
  }
})

test.each([
  ['a\nb', 'a ⏎ b', 'a\nb'],
  ['a\r\nb\rc', 'a ⏎ b ⏎ c', 'a\nb\nc'],
  ['a\tb', 'a b', 'a b'],
  ['\u001B[31mred\u001B[0m', '[31mred[0m', '[31mred[0m'],
  ['\u001B]0;title\u0007x', ']0;titlex', ']0;titlex'],
  ['user\u202Egpj.exe', 'usergpj.exe', 'usergpj.exe'],
  ['pay\u200Bpal', 'paypal', 'paypal'],
  ['a\u{E0041}\u{E007F}b', 'ab', 'ab'],
  ['a\u2028b\u2029c', 'abc', 'abc'],
  ['\uD83D\u200B\uDE00', '', ''],
  ['', '', ''],
])('%j is shown as %j, and in a block as %j (R-38)', (text, line, block) => {
  expect(safeLine(text)).toBe(line)
  expect(safeBlock(text)).toBe(block)
})

describe('a frame in one line', () => {
  test('of any kind and content is safe to print (R-38, R-39)', () => {
    fc.assert(
      fc.property(arbitraryFrame(), (frame) => {
        expect(unsafeIn(safeLine(summarise(frame)))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('says what its author said, and what it can be answered with', () => {
    const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    const summaries = KIND_NAMES.map((kind) => summarise(validFrame(kind)).replaceAll(/[0-9a-f-]{36}/g, id))

    expect(summaries).toEqual([
      'editing src/auth.ts (src/session.ts)',
      'merged: main moved (pull/17)',
      'Two tests are red:\nsee the notes. (notes/handover.md)',
      `src/auth.ts for 300s: move the session code [lease ${id}]`,
      `[lease ${id}]`,
      `by 300s [lease ${id}]`,
      `Who edits the schema? [query ${id}]`,
      `I do. [query ${id}]`,
      'The suite is green. (run/41)',
      [
        'The migration can go two ways.',
        'found: The table has 4 million rows.',
        'recommended: Copy in batches.',
        'offered: I can run it tonight.',
        'Which way?',
        '1) batches (recommended): No lock is held for long.',
        '2) one go: Simple, but the table is locked.',
        'or another answer',
        `[decision ${id}]`,
      ].join(' · '),
      `degraded: The build hangs. [diagnostic ${id}]`,
      `The runner is out of disk. [diagnostic ${id}]`,
      'repo.pull-request pull/18',
      'repo.pull-request intent/1',
      'repo.pull-request pull/19 (intent/1, intent/2)',
    ])
  })

  test('leaves out what is absent', () => {
    expect(summarise(validFrame('agent_advisory', { payload: { advisory_text: 'x' } }))).toBe('x')
    expect(summarise(validFrame('agent_advisory', { payload: { advisory_text: 'x', file_refs: [] } }))).toBe(
      'x',
    )
  })

  test('has a kind that people can say', () => {
    expect(spokenKind('agent_lock_request')).toBe('lock request')
    expect(spokenKind('peer_diagnostic_response')).toBe('diagnostic response')
    expect(spokenKind('intent_declare')).toBe('intent declare')
  })
})
