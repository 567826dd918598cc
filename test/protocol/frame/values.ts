/**
 * Values that the requirements admit and refuse, written down from docs/requirements.md §§5, 6 and not from the code.
 */
import { textOfOctets } from '../../support/frames.ts'

/** A string that JSON can spell (`"\ud800"`) and UTF-8 cannot carry. */
export const LONE_SURROGATES = ['\uD800', 'a\uDC00b', '\uDC00\uD800', '\uD83D']

/** AC-008, ACQ-19: either case, version nibble 4, variant 8 to b. */
export const UUIDS = [
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
  '3f2504e0-4F89-41d3-8A0c-0305e82c3301',
  '00000000-0000-4000-8000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF',
]

export const NO_UUIDS = [
  '',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-71d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-7a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-ca0c-0305e82c3301',
  '3f2504e0-4f89-41d3-9a0c-0305e82c330',
  '3f2504e0-4f89-41d3-9a0c-0305e82c33011',
  '3f2504e0-4f89-41d3-9a0c-0305e82c330g',
  '3f2504e04f8941d39a0c0305e82c3301',
  '3f2504e0-4f8941d3-9a0c-0305-e82c3301',
  '{3f2504e0-4f89-41d3-9a0c-0305e82c3301}',
  'urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  ' 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301\n',
  '00000000-0000-0000-0000-000000000000',
]

/** RFC 3339 text → milliseconds since 1970 (AC-016, ACQ-26). */
export const TIMESTAMPS: readonly (readonly [text: string, ms: number])[] = [
  ['2026-11-20T12:00:00Z', Date.UTC(2026, 10, 20, 12)],
  ['2026-11-20t12:00:00z', Date.UTC(2026, 10, 20, 12)],
  ['2026-11-20T12:00:00.5Z', Date.UTC(2026, 10, 20, 12, 0, 0, 500)],
  [`2026-11-20T12:00:00.5${'0'.repeat(30_000)}Z`, Date.UTC(2026, 10, 20, 12, 0, 0, 500)],
  ['2026-11-20T12:00:00.123456789Z', Date.UTC(2026, 10, 20, 12, 0, 0, 123)],
  ['2026-11-20T12:00:00+00:00', Date.UTC(2026, 10, 20, 12)],
  ['2026-11-20T12:00:00-00:00', Date.UTC(2026, 10, 20, 12)],
  ['2026-11-20T12:00:00+05:30', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20T12:00:00-11:45', Date.UTC(2026, 10, 20, 23, 45)],
  ['2026-11-20T12:00:00+23:59', Date.UTC(2026, 10, 19, 12, 1)],
  ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ['2016-12-31T23:59:60.25Z', Date.UTC(2017, 0, 1, 0, 0, 0, 250)],
  ['2016-12-31t15:59:60-08:00', Date.UTC(2017, 0, 1)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
  ['1969-12-31T23:59:59Z', -1_000],
  ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
]

export const NO_TIMESTAMPS = [
  '',
  '2026-11-20',
  '2026-11-20T12:00:00',
  '2026-11-20T12:00Z',
  '2026-11-20 12:00:00Z',
  '2026-11-20T12:00:00.Z',
  '2026-11-20T12:00:00,5Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T12:60:00Z',
  '2026-11-20T12:00:61Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-11-20T12:00:00+0530',
  '2026-11-20T12:00:00+05',
  '2026-11-20T12:00:00+24:00',
  '2026-11-20T12:00:00+05:60',
  '2026-11-20T12:00:00 Z',
  '2026-11-20T12:00:00Z\n',
  ' 2026-11-20T12:00:00Z',
  '+002026-11-20T12:00:00Z',
  '26-11-20T12:00:00Z',
  'Fri, 20 Nov 2026 12:00:00 GMT',
  '1795176000000',
  '\u0662026-11-20T12:00:00Z',
]

/** Requirements 1.2. */
export const HANDLES = ['~a', '~0', '~bob', '~a-b', '~a--b', '~cc', '~0-9', `~${'a'.repeat(32)}`]

export const NO_HANDLES = [
  '',
  '~',
  'alice',
  '~~alice',
  '~-a',
  '~a-',
  '~-',
  '~Alice',
  '~a.b',
  '~a.bot',
  '~a_b',
  '~a b',
  ' ~a',
  '~a ',
  '~a\n',
  '~a/*',
  '~a@1',
  '~é',
  '~\uFF41',
  '~a\u200B',
  '@a',
  '\u02DCa',
  `~${'a'.repeat(33)}`,
  '~org',
  '~./x',
]

/** The conventional prefixes of docs/requirements.md §1.3. */
export const INSTRUMENT_HANDLES = [
  '~cc-opus-4-6',
  '~gpt-5',
  '~gemini-3',
  '~llama-4',
  '~claude-4',
  '~mistral-2',
]

/** A value, and where below the member the fault is reported. */
export type Fault = readonly [value: unknown, at?: string]

/** One member: what it takes and what it does not. */
export interface Member {
  /** The requirement it is written in. */
  readonly id: string
  readonly optional: boolean
  readonly valid: readonly unknown[]
  readonly invalid: readonly Fault[]
}

const NULL_AND_TYPES: readonly unknown[] = [null, true, 0, 1.5, 'x', [], {}, ['x']]

function notOfType(is: (value: unknown) => boolean): Fault[] {
  return NULL_AND_TYPES.filter((value) => !is(value)).map((value) => [value])
}

const isString = (value: unknown): boolean => typeof value === 'string'

/** Octets, and items of a list, that a frame of 64 KiB has room for besides everything else it says. */
const AMPLE_OCTETS = 60_000
const AMPLE_ITEMS = 15_000

/** `min` to `max` octets, both inclusive (AC-042); code units must not be what is counted. */
export function text(id: string, min: number, max: number): Member {
  const tooLong = [textOfOctets(max + 1), 'x'.repeat(max + 1), `${'x'.repeat(max - 1)}é`]
  return {
    id,
    optional: false,
    valid: [
      'x'.repeat(Math.max(1, min)),
      textOfOctets(max),
      'x'.repeat(max),
      '\u0000\n\u202E',
      ...(min === 0 ? [''] : []),
    ],
    invalid: [
      ...notOfType(isString),
      ...faults(tooLong),
      ...faults(LONE_SURROGATES),
      ...(min > 0 ? faults(['']) : []),
    ],
  }
}

/** A string that nothing bounds but the frame around it; these are what one of 64 KiB has room for. */
export function free(id: string, min: 0 | 1 = 0): Member {
  return {
    id,
    optional: false,
    valid: [
      textOfOctets(AMPLE_OCTETS),
      'x'.repeat(AMPLE_OCTETS),
      '\u0000\n\u202E',
      'x',
      ...(min === 0 ? [''] : []),
    ],
    invalid: [...notOfType(isString), ...faults(LONE_SURROGATES), ...(min > 0 ? faults(['']) : [])],
  }
}

/** As {@link free}, on one line. */
export function line(id: string): Member {
  const member = free(id)
  return {
    ...member,
    valid: [...member.valid.filter((value) => !String(value).includes('\n')), 'a\u2028b'],
    invalid: [...member.invalid, ...faults(['a\nb', 'a\rb', 'a\r\nb', '\n'])],
  }
}

/** Strings as {@link free} takes them, any number: the frame bounds them together. */
export function list(id: string): Member {
  return {
    id,
    optional: false,
    valid: [
      [],
      [''],
      [textOfOctets(AMPLE_OCTETS)],
      Array.from({ length: AMPLE_ITEMS }, () => 'x'),
      Array.from({ length: AMPLE_ITEMS }, () => ''),
      ['a', 'a'],
    ],
    invalid: [
      [null],
      [{}],
      ['x'],
      [{ 0: 'x', length: 1 }],
      [['x', null], '[1]'],
      [[['x']], '[0]'],
      [[0], '[0]'],
      [['x', '\uD800'], '[1]'],
    ],
  }
}

export function integer(id: string, min: number, max: number = Number.MAX_SAFE_INTEGER): Member {
  return {
    id,
    optional: false,
    valid: [min, min + 1, max],
    invalid: [
      ...notOfType((value) => value === 0),
      ...faults([min - 1, max + 1, min + 0.5, -min - 1, 1e300, Infinity, `${min}`, String(max)]),
    ],
  }
}

export function oneOf(id: string, ...values: readonly string[]): Member {
  const near = values.flatMap((value) => [value.toUpperCase(), ` ${value}`, `${value}\n`])
  return {
    id,
    optional: false,
    valid: values,
    invalid: [...notOfType(isString), ...faults(['', ...near, '__proto__', 'constructor'])],
  }
}

export function flag(id: string): Member {
  const invalid = [...notOfType((value) => typeof value === 'boolean'), ...faults(['true', 1])]
  return { id, optional: false, valid: [true, false], invalid }
}

function strings(id: string, valid: readonly string[], invalid: readonly string[]): Member {
  return { id, optional: false, valid, invalid: [...notOfType(isString), ...faults(invalid)] }
}

export const uuid = (id: string): Member => strings(id, UUIDS, NO_UUIDS)
export const scope = (id: string): Member =>
  strings(
    id,
    [
      '~a',
      '~a/*',
      '~a/cc-*',
      '~a/cc@s',
      'org:acme/members/*',
      'org:~acme/members/admin/*',
      'accord:acme/grant:x',
    ],
    [
      '',
      'a',
      '~a/',
      '~a/cc',
      '~org/*',
      'org:acme',
      'mail:a',
      '~A/*',
      `~a/cc@${'s'.repeat(129)}`,
      'x'.repeat(513),
    ],
  )

export const timestamp = (id: string): Member =>
  strings(
    id,
    TIMESTAMPS.map(([value]) => value),
    NO_TIMESTAMPS,
  )

/** AC-012, AC-014, AC-022: any canonical handle. */
export const handle = (id: string): Member => strings(id, [...HANDLES, ...INSTRUMENT_HANDLES], NO_HANDLES)

/** AC-021: a canonical handle without an instrument's prefix (ACQ-11). */
export const sovereign = (id: string): Member => strings(id, HANDLES, NO_HANDLES)

/** AC-099: an identifier, so without blanks, and with a namespace in front; its alphabet is nowhere stated. */
export const convergenceClass = (id: string): Member =>
  strings(
    id,
    [
      'a.b',
      'a:b',
      'a/b',
      'a#b',
      '0.0',
      'repo.pull-request',
      'com.example.PullRequest',
      'acme::Deploy',
      'urn:example:Settlement',
      'https://example.com/effects#merge',
      '@acme/pr',
      'a.é',
      `a.${'b'.repeat(AMPLE_OCTETS)}`,
    ],
    ['', 'a', 'PullRequest', '.b', 'a.', 'a. b', 'a b', 'a.b\n', ' a.b', '...', 'a.\uD800'],
  )

export function optional(member: Member): Member {
  return { ...member, optional: true }
}

/** A member whose values are objects or arrays, given in full. */
export function shape(id: string, valid: readonly unknown[], invalid: readonly Fault[]): Member {
  return { id, optional: false, valid, invalid }
}

function faults(values: readonly unknown[]): Fault[] {
  return values.map((value) => [value])
}
