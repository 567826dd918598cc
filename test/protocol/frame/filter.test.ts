/**
 * Filter expressions (AC-148…AC-158, ACQ-27…ACQ-29).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterAdmits, parseFilter, type FilterFacts } from '../../../src/protocol/frame/filter.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { isEqualJson } from '../../../conformance/src/json.ts'
import { refusalOf } from '../../support/refusals.ts'
import { textsOf, vectorsOf, type WrittenVector } from '../../support/vectors.ts'
import { HANDLES, NO_HANDLES } from './values.ts'

const FACTS: FilterFacts = { kind: 'agent_query', senderHandle: '~alice', tool: 'cc', scopeText: '~alice/*' }

const AXIS_UNKNOWN = { code: 'filter-axis-unknown', field: 'filter' }
const VALUE_INVALID = { code: 'filter-value-invalid', field: 'filter' }

/** The filters that vectors have refused with this code, and no other. */
function refusedWith(code: string): readonly string[] {
  const isRefused = ({ expect: [first, ...others] }: WrittenVector): boolean =>
    others.length === 0 && isEqualJson(first, { ok: false, codes: [code] })
  return vectorsOf('filter')
    .filter(isRefused)
    .map(({ input }) => String(input['filter']))
}

test.each(textsOf('filter', 'filter', true))('%j is a filter (AC-148…AC-155)', (text) => {
  expect(refusalOf(() => parseFilter(text))).toBeUndefined()
})

test('an empty filter admits every frame (AC-150)', () => {
  expect(parseFilter('')).toEqual([])
  for (const kind of KIND_NAMES) expect(filterAdmits(parseFilter(''), { ...FACTS, kind })).toBe(true)
})

test.each([
  ['kind:agent_query', true],
  ['kind:agent_response', false],
  ['sender:~alice', true],
  ['sender:~bob', false],
  ['tool:cc', true],
  ['tool:codex', false],
  ['tool:never-heard-of', false],
  ['kind:agent_query,sender:~alice,tool:cc', true],
  ['tool:cc,sender:~alice,kind:agent_query', true],
  ['kind:agent_query,sender:~bob', false],
  ['kind:agent_query,kind:agent_query', true],
  ['kind:agent_query,kind:agent_response', false],
  ['content_type:text/plain', false],
  ['content_type:a:b', false],
  ['content_type: ', false],
  ['org:acme', false],
  ['org:~acme', false],
  ['kind:agent_query,org:acme', false],
  ['kind:agent_query,content_type:x', false],
])('%s is the AND of its clauses and never widens (AC-149…AC-156, ACQ-28, ACQ-29): %s', (text, admits) => {
  expect(filterAdmits(parseFilter(text), FACTS)).toBe(admits)
})

test('a frame of the principal itself has no tool class, so no tool clause admits it (AC-154, ACQ-29)', () => {
  const facts = { ...FACTS, tool: undefined }

  expect(filterAdmits(parseFilter('tool:cc'), facts)).toBe(false)
  expect(filterAdmits(parseFilter('sender:~alice'), facts)).toBe(true)
})

test.each(refusedWith('filter-axis-unknown'))(
  '%j names an axis that does not exist (AC-157, ACQ-27)',
  (text) => {
    expect(refusalOf(() => parseFilter(text))).toEqual(AXIS_UNKNOWN)
  },
)

test.each(refusedWith('filter-value-invalid'))(
  '%j has a value its axis does not take (AC-151, AC-152, ACQ-27, ACQ-29)',
  (text) => {
    expect(refusalOf(() => parseFilter(text))).toEqual(VALUE_INVALID)
  },
)

test('every kind is a value of its axis, and every canonical handle of sender (AC-151, AC-152)', () => {
  for (const kind of KIND_NAMES) expect(parseFilter(`kind:${kind}`)).toEqual([{ axis: 'kind', value: kind }])
  for (const handle of HANDLES) expect(parseFilter(`sender:${handle}`)).toHaveLength(1)
  for (const handle of NO_HANDLES.filter((text) => !text.includes(','))) {
    expect(
      refusalOf(() => parseFilter(`sender:${handle}`)),
      handle,
    ).toEqual(VALUE_INVALID)
  }
})

test('the first colon ends the axis, the others belong to the value (ACQ-27)', () => {
  expect(parseFilter('content_type:a:b:c')).toEqual([{ axis: 'content_type', value: 'a:b:c' }])
})

test('the first faulty clause is the one reported (AC-159)', () => {
  expect(refusalOf(() => parseFilter('kind:x,axis:y'))).toEqual(VALUE_INVALID)
  expect(refusalOf(() => parseFilter('axis:y,kind:x'))).toEqual(AXIS_UNKNOWN)
})

test('a filter has no bound of its own, and a clause that comes again costs nothing (AC-148, R-34)', () => {
  expect(parseFilter(`content_type:${'€'.repeat(2_000)}`)).toHaveLength(1)
  expect(parseFilter(Array(1_000).fill('tool:cc').join(','))).toEqual([{ axis: 'tool', value: 'cc' }])
})

describe('a filter of any clauses', () => {
  const clause = fc.oneof(
    fc.constantFrom(...KIND_NAMES).map((kind) => ['kind', kind] as const),
    fc.constantFrom(...HANDLES).map((handle) => ['sender', handle] as const),
    fc.constantFrom('cc', 'codex', 'a-b').map((tool) => ['tool', tool] as const),
    fc.constantFrom('text/plain', 'a:b').map((type) => ['content_type', type] as const),
    fc.constantFrom('~acme', '~globex').map((org) => ['org', org] as const),
  )
  const facts = fc.record({
    kind: fc.constantFrom(...KIND_NAMES),
    senderHandle: fc.constantFrom(...HANDLES),
    tool: fc.constantFrom('cc', 'codex', undefined),
    scopeText: fc.constantFrom('~alice/*', 'org:~acme/members/*', 'org:~acme-x/members/*'),
  })

  test('comes back clause by clause, and a longer one never admits more (AC-149, AC-156)', () => {
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 5 }), facts, (clauses, frame) => {
        const whole = parseFilter(clauses.map(([axis, value]) => `${axis}:${value}`).join(','))
        const written = new Map(clauses.map(([axis, value]) => [`${axis}:${value}`, { axis, value }]))
        expect(whole).toEqual([...written.values()])
        const each = clauses.map(([axis, value]) => filterAdmits(parseFilter(`${axis}:${value}`), frame))
        expect(filterAdmits(whole, frame)).toBe(each.every(Boolean))
      }),
    )
  })
})
