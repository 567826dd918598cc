/**
 * The scope grammar (AC-114…AC-122, ACQ-04, ACQ-05, ACQ-10, ACQ-30…ACQ-32, the ABNF of docs/requirements.md §6).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatScope,
  readOrg,
  readScope,
  requireScope,
  scopeHandle,
  scopeNames,
  type Scope,
} from '../../../src/protocol/address/scope.ts'
import { refusalOf } from '../../support/refusals.ts'
import { textsOf } from '../../support/vectors.ts'

const L32 = 'a'.repeat(32)
const ID128 = 'S'.repeat(128)

/** What is written, what it is, and the one spelling it has afterwards. */
const SCOPES: readonly (readonly [text: string, scope: Scope, spelling: string])[] = [
  ['~alice', { form: 'all', handle: '~alice' }, '~alice/*'],
  ['~alice/*', { form: 'all', handle: '~alice' }, '~alice/*'],
  ['~a/cc*', { form: 'prefix', handle: '~a', prefix: 'cc' }, '~a/cc*'],
  ['~a/cc-*', { form: 'prefix', handle: '~a', prefix: 'cc-' }, '~a/cc-*'],
  ['~a/-*', { form: 'prefix', handle: '~a', prefix: '-' }, '~a/-*'],
  [`~a/${L32}*`, { form: 'prefix', handle: '~a', prefix: L32 }, `~a/${L32}*`],
  ['~a/cc@1', { form: 'session', handle: '~a', instrument: 'cc', sessionId: '1' }, '~a/cc@1'],
  ['~a/org@x', { form: 'session', handle: '~a', instrument: 'org', sessionId: 'x' }, '~a/org@x'],
  [
    `~${L32}/${L32}@${ID128}`,
    { form: 'session', handle: `~${L32}`, instrument: L32, sessionId: ID128 },
    `~${L32}/${L32}@${ID128}`,
  ],
  [
    '~a/cc@A.b_c:d-e',
    { form: 'session', handle: '~a', instrument: 'cc', sessionId: 'A.b_c:d-e' },
    '~a/cc@A.b_c:d-e',
  ],
  ['org:acme/members/*', { form: 'org', org: '~acme', role: undefined }, 'org:~acme/members/*'],
  ['org:~acme/members/*', { form: 'org', org: '~acme', role: undefined }, 'org:~acme/members/*'],
  ['org:acme/members/admin/*', { form: 'org', org: '~acme', role: 'admin' }, 'org:~acme/members/admin/*'],
  ['org:~acme/members/0_-a/*', { form: 'org', org: '~acme', role: '0_-a' }, 'org:~acme/members/0_-a/*'],
  [
    `org:acme/members/${'r'.repeat(400)}/*`,
    { form: 'org', org: '~acme', role: 'r'.repeat(400) },
    `org:~acme/members/${'r'.repeat(400)}/*`,
  ],
  ['accord:acme/grant:g', { form: 'accord', org: '~acme', grant: 'g' }, 'accord:~acme/grant:g'],
  [
    'accord:~acme/grant:A.b_c:d-e',
    { form: 'accord', org: '~acme', grant: 'A.b_c:d-e' },
    'accord:~acme/grant:A.b_c:d-e',
  ],
  [
    `accord:acme/grant:${ID128}${ID128}`,
    { form: 'accord', org: '~acme', grant: `${ID128}${ID128}` },
    `accord:~acme/grant:${ID128}${ID128}`,
  ],
]

/** The ABNF as regular expressions; the first character of a role as ACQ-32 has it. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?'
const GRAMMAR = [
  new RegExp(`^~(?<handle>${LABEL})(?:/(?:\\*|[a-z0-9-]{1,32}\\*|${LABEL}@[A-Za-z0-9._:-]{1,128}))?$`),
  new RegExp(`^org:~?(?<handle>${LABEL})/members/(?:\\*|[a-z0-9][a-z0-9_-]*/\\*)$`),
  new RegExp(`^accord:~?(?<handle>${LABEL})/grant:[A-Za-z0-9._:-]+$`),
]

function isInGrammar(text: string): boolean {
  return GRAMMAR.some((rule) => (rule.exec(text)?.groups?.['handle'] ?? 'org') !== 'org')
}

const label = fc.oneof(
  fc.constantFrom('a', 'alice', 'org', 'cc-opus-4-6', L32),
  fc.stringMatching(new RegExp(`^${LABEL}$`)),
)
const id = fc.stringMatching(/^[A-Za-z0-9._:-]{1,12}$/)
const tilde = fc.constantFrom('', '~')
const valid = fc.oneof(
  label.map((handle) => `~${handle}`),
  label.map((handle) => `~${handle}/*`),
  fc.tuple(label, label).map(([handle, prefix]) => `~${handle}/${prefix}*`),
  fc.tuple(label, label, id).map(([handle, instrument, session]) => `~${handle}/${instrument}@${session}`),
  fc.tuple(tilde, label).map(([mark, org]) => `org:${mark}${org}/members/*`),
  fc.tuple(tilde, label, label).map(([mark, org, role]) => `org:${mark}${org}/members/${role}/*`),
  fc.tuple(tilde, label, id).map(([mark, org, grant]) => `accord:${mark}${org}/grant:${grant}`),
)

/** A valid scope with one piece cut out and another put in its place. */
const nearlyValid = fc
  .tuple(
    valid,
    fc.nat(40),
    fc.nat(3),
    fc.constantFrom('', '*', '/', '@', '~', ':', '-', 'A', '.', ' ', '\n', 'é'),
  )
  .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut))

describe.each(SCOPES)('%s', (text, scope, spelling) => {
  test('is read as what it names (AC-116…AC-122, ACQ-04, ACQ-30…ACQ-32)', () => {
    expect(readScope(text)).toEqual(scope)
    expect(requireScope(text, 'recipient_scope')).toEqual(scope)
  })

  test('has one spelling, which reads the same (AC-116, ACQ-04)', () => {
    expect(formatScope(scope)).toBe(spelling)
    expect(readScope(spelling)).toEqual(scope)
  })
})

test.each(textsOf('scope', 'scope', false))('%j is no scope (ACQ-05, ACQ-10, ACQ-30…ACQ-32)', (text) => {
  expect(readScope(text)).toBeUndefined()
  const refusal = refusalOf(() => requireScope(text, 'recipient_scope'))
  expect(refusal).toEqual({ code: 'field-invalid', field: 'recipient_scope' })
})

test.each(textsOf('scope', 'scope', true))('%j is a scope (AC-116…AC-122)', (text) => {
  expect(readScope(text)).toBeDefined()
})

test('the grammar is the ABNF, and reading its spelling again changes nothing (docs/requirements.md §6)', () => {
  fc.assert(
    fc.property(fc.oneof(valid, nearlyValid, fc.string()), (text) => {
      const scope = readScope(text)
      expect(scope !== undefined).toBe(isInGrammar(text))
      if (scope !== undefined) expect(readScope(formatScope(scope))).toEqual(scope)
    }),
    { numRuns: 1_000 },
  )
})

test('an organisation has its tilde whether or not it was written (ACQ-04)', () => {
  expect(readOrg('acme')).toBe('~acme')
  expect(readOrg('~acme')).toBe('~acme')
  expect(['', '~', '~~acme', 'Acme', 'a/b', 'org', '~org', 'acme '].map(readOrg)).not.toContainEqual(
    expect.anything(),
  )
})

test('the handle of a scope is its principal, or its organisation (AC-124, ACQ-03)', () => {
  const handles = SCOPES.map(([text]) => scopeHandle(requireScope(text, 'scope')))

  expect(handles).toEqual(SCOPES.map(([, scope]) => ('org' in scope ? scope.org : scope.handle)))
})

test.each([
  ['~a', ['s1', 's2', 'codex']],
  ['~a/*', ['s1', 's2', 'codex']],
  ['~a/c*', ['s1', 's2', 'codex']],
  ['~a/cc*', ['s1', 's2']],
  ['~a/cc-opus*', ['s1', 's2']],
  ['~a/cc-opus-x*', []],
  ['~a/cc-opus@1', ['s1']],
  ['~a/cc-opus@3', []],
  ['~a/cc@1', []],
  ['~b/*', ['other']],
  ['org:a/members/*', []],
  ['accord:a/grant:x', []],
])('%s names the sessions it says and no other (AC-116…AC-119, ACQ-30)', (text, expected) => {
  const sessions = {
    s1: { handle: '~a', instrument: 'cc-opus', sessionId: '1' },
    s2: { handle: '~a', instrument: 'cc-opus', sessionId: '2' },
    codex: { handle: '~a', instrument: 'codex', sessionId: '1' },
    other: { handle: '~b', instrument: 'cc-opus', sessionId: '1' },
  }

  const named = Object.entries(sessions).filter(([, session]) =>
    scopeNames(requireScope(text, 'scope'), session),
  )

  expect(named.map(([name]) => name)).toEqual(expected)
})
