/** A verb's arguments as a form (docs/http.md §8, OP-14). */
import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_FORM_FIELDS, decodeForm } from '../../../src/protocol/verb/form.ts'
import { VERBS } from '../../../src/protocol/verb/verbs.ts'
import { refusalOf } from '../../support/refusals.ts'

const bytes = (text: string): Buffer => Buffer.from(text)

/** As `curl --data-urlencode` writes it. */
const written = (fields: readonly (readonly [string, string])[]): string =>
  fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')

test('whatever a text holds, a form gives it back (OP-14)', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(decodeForm(bytes(written([['text', text]])), VERBS.agent_advise.shape)).toEqual({ text })
    }),
  )
})

test.each([
  ['agent_advise', 'file_refs=a&file_refs=b%20c&text=x', { file_refs: ['a', 'b c'], text: 'x' }],
  ['agent_advise', 'file_refs=a', { file_refs: ['a'] }],
  ['agent_advise', 'text=a+b&branch', { text: 'a b', branch: '' }],
  ['agent_broadcast', 'event_class=merged&refs=r', { event_class: 'merged', refs: ['r'] }],
  [
    'agent_send',
    'kind=agent_advisory&payload=%7B%22a%22%3A1%7D',
    { kind: 'agent_advisory', payload: { a: 1 } },
  ],
  ['agent_lock_acquire', 'resource=a&ttl_ms=60000', { resource: 'a', ttl_ms: 60_000 }],
  ['intent_declare', 'withdrawable=true', { withdrawable: true }],
  ['agent_advise', 'provenance=%7B%22basis%22%3A%22b%22%7D', { provenance: { basis: 'b' } }],
  ['agent_decide', 'findings=a&question=%7B%7D', { findings: ['a'], question: {} }],
  ['agent_advise', '', {}],
] as const)('of %s the form "%s" is %j (docs/http.md §8)', (verb, form, args) => {
  expect(decodeForm(bytes(form), VERBS[verb].shape)).toEqual(args)
})

test('a field that is no argument is handed on under its name, to be refused by it', () => {
  const args = decodeForm(bytes('__proto__=a&toString=b&file_ref=c'), VERBS.agent_advise.shape)

  expect(Object.entries(args)).toEqual([
    ['__proto__', 'a'],
    ['toString', 'b'],
    ['file_ref', 'c'],
  ])
})

test.each([
  ['text=a&text=b', 'text'],
  ['text=%ff', 'body'],
  ['text=%zz', 'body'],
  ['ttl_ms=soon', 'ttl_ms'],
])('the form "%s" is refused for %s, and nothing in it is replaced', (form, field) => {
  const refusal = refusalOf(() => decodeForm(bytes(form), VERBS.agent_advise.shape))

  expect(refusal).toEqual({ code: 'field-invalid', field })
})

test('octets that are no UTF-8 are refused as in any body', () => {
  const refusal = refusalOf(() => decodeForm(Buffer.from([0x61, 0x3d, 0xff]), VERBS.agent_advise.shape))

  expect(refusal).toMatchObject({ code: 'field-invalid', field: 'body' })
})

const formOf = (fields: number): Buffer =>
  bytes(Array.from({ length: fields }, () => 'file_refs=a').join('&'))

test('a form has as many fields as it may, and not one more', () => {
  expect(decodeForm(formOf(MAX_FORM_FIELDS), VERBS.agent_advise.shape)['file_refs']).toHaveLength(
    MAX_FORM_FIELDS,
  )
  expect(refusalOf(() => decodeForm(formOf(MAX_FORM_FIELDS + 1), VERBS.agent_advise.shape))).toEqual({
    code: 'field-invalid',
    field: 'body',
  })
})
