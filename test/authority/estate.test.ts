/**
 * Estates: which machines are a person's own (FED-40, FED-41, FED-43).
 */
import { describe, expect, test } from 'vitest'
import {
  ESTATE,
  MAX_ESTATE_NODES,
  estateMembers,
  nodeAt,
  readEstate,
  type EstateNode,
} from '../../src/authority/estate.ts'
import {
  draftDocument,
  formatDocument,
  readDocument,
  type SignedDocument,
} from '../../src/authority/document.ts'
import { requireNext } from '../../src/authority/acceptance.ts'
import { onlyKey } from '../../src/authority/estate.ts'
import { signDocument } from '../../src/authority/signing.ts'
import type { Estate } from '../../src/authority/estate.ts'
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { NOW_MS, keyFor } from './documents.ts'

const KEY = keyFor('~alice')
const X = KEY.publicFields()?.public ?? ''
const LAPTOP: EstateNode = { node: 'laptop', key: keyFor('x').publicFields()?.public ?? '' }
const DEVBOX: EstateNode = { node: 'devbox', key: keyFor('x').publicFields()?.public ?? '' }

interface Wish {
  readonly principal?: string
  readonly epoch?: number
  readonly nodes?: readonly EstateNode[]
  readonly notAfter?: string
}

function draftOf({
  principal = '~alice',
  epoch = 1,
  nodes = [LAPTOP, DEVBOX],
  notAfter,
}: Wish = {}): SignedDocument<Estate> {
  return draftDocument(ESTATE, {
    ...estateMembers({ principal, nodes }),
    authority_epoch: epoch,
    ...(notAfter !== undefined && { not_after: notAfter }),
  })
}

function textOf(wish: Wish = {}, key = KEY): string {
  return formatDocument(signDocument(draftOf(wish), wish.principal ?? '~alice', key))
}

function read(wish: Wish): SignedDocument<Estate> {
  return readDocument(ESTATE, textOf(wish))
}

/** So many machines. */
function nodes(count: number): EstateNode[] {
  return Array.from({ length: count }, (_, i) => ({ node: `n${i}`, key: LAPTOP.key }))
}

function verdictOn(text: string, pinned = X): string {
  const found = orRefusal(() => readEstate(text, pinned, NOW_MS))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

test('an estate that the pinned key has signed is read, its machines in the order of their names (FED-40)', () => {
  const { body, authorityEpoch } = readEstate(textOf(), X, NOW_MS)

  expect(body).toEqual({ principal: '~alice', nodes: [DEVBOX, LAPTOP] })
  expect(authorityEpoch).toBe(1)
})

test('a key that is not the pinned one signs none, whatever it is called and whomever it names (FED-41)', () => {
  expect(verdictOn(textOf({}, keyFor('~alice')))).toBe('signature-invalid sig')
  expect(verdictOn(textOf(), keyFor('~alice').publicFields()?.public)).toBe('signature-invalid sig')
  expect(verdictOn(textOf().replace(LAPTOP.key, DEVBOX.key))).toBe('signature-invalid sig')
  expect(verdictOn(textOf({ principal: '~bob' }, keyFor('~bob')))).toBe('signature-invalid sig')
  expect(verdictOn(formatDocument(draftOf()))).toBe('signature-required sig')
})

test('no other text with one octet changed says anything else: it is refused, or calls the key another name (FED-40)', () => {
  const text = textOf({ nodes: [LAPTOP] }).trimEnd()
  const { signedText } = readEstate(text, X, NOW_MS)

  const others = Array.from(
    text,
    (unit, at) => `${text.slice(0, at)}${unit === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`,
  )
  const taken = others.filter((other) => verdictOn(other) === 'ok')

  expect(taken.length).toBeLessThanOrEqual(KEY.kid.length)
  expect(taken.map((other) => readDocument(ESTATE, other).signedText)).toEqual(taken.map(() => signedText))
})

test('a lower authority epoch than one accepted is refused, and so is another text of the same (FED-40, FED-43)', () => {
  const by = { keys: onlyKey('~alice', X), nowMs: NOW_MS }
  const former = read({ epoch: 7 })

  expect(requireNext(read({ epoch: 8, nodes: [LAPTOP] }), former, by).authorityEpoch).toBe(8)
  for (const wish of [{ epoch: 6 }, { epoch: 7, nodes: [LAPTOP] }])
    expect(() => requireNext(read(wish), former, by)).toThrow('accepted before')
  expect(() =>
    requireNext(readDocument(ESTATE, textOf({ epoch: 9, principal: '~bob' }, keyFor('~bob'))), former, by),
  ).toThrow(AgentdError)
})

describe('what is none', () => {
  const [key] = [LAPTOP.key]

  test.each<[string, unknown, string]>([
    ['a name with a dot', [{ node: 'a.b', key }], 'nodes[0].node'],
    ['no name', [{ key }], 'nodes[0].node'],
    ['half a key', [{ node: 'a', key: key.slice(2) }], 'nodes[0].key'],
    ['a name twice', [LAPTOP, { ...DEVBOX, node: 'laptop' }], 'nodes[1].node'],
    ['a member of its own', [{ ...LAPTOP, role: 'x' }], 'nodes[0]'],
    ['a time that is none', [{ ...LAPTOP, not_after: 'tomorrow' }], 'nodes[0].not_after'],
    ['no object', ['laptop'], 'nodes[0]'],
    ['no list', {}, 'nodes'],
  ])('holds %s, and the error names the place', (_, listed, field) => {
    const text = JSON.stringify({
      type: 'agentd.estate',
      v: 1,
      principal: '~alice',
      authority_epoch: 1,
      nodes: listed,
    })

    expect(verdictOn(text)).toBe(`field-invalid ${field}`)
  })

  test('holds more machines than anybody has', () => {
    expect(verdictOn(textOf({ nodes: nodes(MAX_ESTATE_NODES) }))).toBe('ok')
    expect(() => draftOf({ nodes: nodes(MAX_ESTATE_NODES + 1) })).toThrow(`at most ${MAX_ESTATE_NODES}`)
  })
})

describe('the key of a machine (FED-41, FED-43)', () => {
  const bounded = { ...LAPTOP, not_before: '2026-11-22T00:00:00Z', not_after: '2026-11-23T00:00:00Z' }
  const [from, to] = [Date.parse(bounded.not_before), Date.parse(bounded.not_after)]

  test.each<[string, Wish, readonly [string, number], string]>([
    ['of one without bounds, at any time', {}, ['laptop', 0], LAPTOP.key],
    ['of a stranger', {}, ['ci', NOW_MS], 'names no machine "ci"'],
    ['of one that was taken out', { nodes: [DEVBOX] }, ['laptop', NOW_MS], 'names no machine "laptop"'],
    ['at its first moment', { nodes: [bounded] }, ['laptop', from], LAPTOP.key],
    ['before it', { nodes: [bounded] }, ['laptop', from - 1], 'did not count yet'],
    ['at its last moment', { nodes: [bounded] }, ['laptop', to], LAPTOP.key],
    ['after it', { nodes: [bounded] }, ['laptop', to + 1], 'counted no more'],
    ['after the end of the estate', { notAfter: bounded.not_after }, ['laptop', to + 1], 'counted no more'],
  ])('%s', (_, wish, [node, engineMs], expected) => {
    const found = nodeAt(draftOf(wish), node, engineMs)

    if (typeof found === 'string') expect(found).toBe(expected)
    else
      expect([found.code, found.message]).toEqual([
        'sender-identity-mismatch',
        expect.stringContaining(expected),
      ])
  })
})
