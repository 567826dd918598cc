/**
 * The WARD chain (docs/requirements.md §2.4, AEE-C16, AEE-C17), with the vectors of docs/requirements.md §9.
 */
import { UsageError } from '../../../src/core/errors.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWardEntry, verifyWard, type WardReport } from '../../../src/aee/evidence/ward-verify.ts'
import {
  UNCHAINED_MEMBERS,
  formatWardEntry,
  wardChainHash,
  wardEntry,
  wardGenesis,
} from '../../../src/aee/evidence/ward.ts'
import type { WardDraft, WardEntry } from '../../../src/aee/evidence/ward.ts'
import { changed, ledgerLines, shortFaults } from './ledgers.ts'
import { E0_HASH } from '../vectors.ts'

const ZEROS = '0'.repeat(64)

const FIRST: WardDraft = {
  chainId: 'ward:org/acme/env/test',
  entryId: '01WARD-T001',
  issuerId: 'service.agentd',
  atMs: Date.parse('2026-03-05T14:30:00.000Z'),
  sourceKind: 'AEE',
  sourceId: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  payloadHash: E0_HASH,
}

const SECOND: WardDraft = {
  ...FIRST,
  entryId: '01WARD-T002',
  atMs: Date.parse('2026-03-05T14:30:01.000Z'),
  sourceId: '01JFB2S7T8N4J8B7QH1GJ8Z1Y2',
  payloadHash: ZEROS,
}

const HASH_1 = '89302acb96f16fc1c59dedef0536acf9eb858bbed55fb6ad94c09dd0ae450d85'
const HASH_2 = 'd174d9c8255464f360772b3bfd225d0ebd645f88595e5fd9297d2cc3d940e054'

/** A chain of so many entries. */
function chain(length: number): readonly WardEntry[] {
  const entries: WardEntry[] = []
  for (let i = 1; i <= length; i += 1)
    entries.push(wardEntry(entries.at(-1), { ...FIRST, entryId: `W${i}`, sourceId: `envelope-${i}` }))
  return entries
}

const LINES = chain(4).map(formatWardEntry)

function verify(lines: readonly (string | Uint8Array)[]): WardReport {
  return verifyWard(ledgerLines(lines))
}

/** An entry with some members changed, and a hash that fits them. */
function forged(line: string, changes: Readonly<Record<string, unknown>>): string {
  const entry = Object(JSON.parse(changed(line, changes)))
  return JSON.stringify({ ...entry, chain_hash: wardChainHash(entry) })
}

/** The lines, with some of them replaced; undefined takes one out. */
function withLines(replacements: Readonly<Record<number, string | undefined>>): readonly string[] {
  return LINES.map((line, i) => (i + 1 in replacements ? replacements[i + 1] : line)).filter(
    (line) => line !== undefined,
  )
}

describe('the vectors of docs/requirements.md §9', () => {
  test.each([
    ['ward:org/quox/env/production', '4228bb654b660969b96b84d502e1615de0ac7bffaeb37c52a7007b310127f481'],
    ['ward:org/acme/env/test', 'a24cd03520ea0ba34eae8cd37e1fc870eef4622287acf5769c1a172841ca9601'],
  ])('the chain %s begins with the genesis of the vector', (chainId, genesis) => {
    expect(wardGenesis(chainId)).toBe(genesis)
  })

  test('two entries have the hashes of the vector, and their chain is intact (AEE-C16, AEE-C17)', () => {
    const first = wardEntry(undefined, FIRST)
    const second = wardEntry(first, SECOND)

    expect(first).toMatchObject({ seq: 1, prev_chain_hash: wardGenesis(FIRST.chainId), chain_hash: HASH_1 })
    expect(second).toMatchObject({ seq: 2, prev_chain_hash: HASH_1, chain_hash: HASH_2 })
    expect(verify([first, second].map(formatWardEntry))).toEqual({
      verdict: 'INTACT',
      entries: 2,
      last: { chain_id: FIRST.chainId, seq: 2, chain_hash: HASH_2 },
      faults: [],
      faultCount: 0,
    })
  })
})

test('an entry holds its eleven members, and the time of the source when that is UTC', () => {
  const entry = wardEntry(undefined, { ...FIRST, sourceTs: '2025-12-14T03:45:12Z' })
  const without = wardEntry(undefined, { ...FIRST, sourceTs: '2025-12-14T04:45:12+01:00' })

  expect(entry).toMatchObject({
    ward_version: '0.1',
    witnessed_at: '2026-03-05T14:30:00.000Z',
    issuer_id: 'service.agentd',
    source_ts: '2025-12-14T03:45:12Z',
  })
  expect(Object.keys(entry)).toHaveLength(12)
  expect(Object.keys(without)).toHaveLength(11)
  expect(without.chain_hash).toBe(entry.chain_hash)
})

test('ids that could make two entries one are refused, and only those', () => {
  expect(() => wardEntry(undefined, { ...FIRST, entryId: 'a|b' })).toThrow(UsageError)
  expect(() => wardEntry(undefined, { ...FIRST, chainId: 'a|b' })).toThrow(UsageError)
  expect(verify([formatWardEntry(wardEntry(undefined, { ...FIRST, sourceId: 'a|b' }))]).verdict).toBe(
    'INTACT',
  )
})

test('a source whose id is long stands there by its hash', () => {
  expect(wardEntry(undefined, { ...FIRST, sourceId: 'i'.repeat(256) }).source_id).toBe('i'.repeat(256))
  expect(wardEntry(undefined, { ...FIRST, sourceId: 'i'.repeat(257) }).source_id).toMatch(/^sha256:/)
})

function isHex(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

test('the members that are named as uncovered are those whose change leaves a chain whole, and no others (HD-22)', () => {
  const lines = LINES.map((line) => JSON.parse(line))
  const other: Readonly<Record<string, unknown>> = { seq: 9, ward_version: '9.9', source_kind: 'EXTERNAL' }
  const otherTimes = ['witnessed_at', 'source_ts']
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)).concat('source_ts'))]

  const unseen = names.filter((name) => {
    const changed = otherTimes.includes(name)
      ? '1999-01-01T00:00:00.000Z'
      : isHex(lines[1][name])
        ? 'f'.repeat(64)
        : (other[name] ?? 'other')
    const text = lines.map((line, i) => JSON.stringify(i === 1 ? { ...line, [name]: changed } : line))
    return verify(text).verdict === 'INTACT'
  })

  expect(unseen.toSorted()).toEqual([...UNCHAINED_MEMBERS].toSorted())
})

describe('a chain that was tampered with is broken', () => {
  test('the chain these tests break is intact as it is', () => {
    expect(verify(LINES)).toMatchObject({ verdict: 'INTACT', entries: 4 })
  })

  test.each([
    [
      'a member changed',
      withLines({ 2: changed(LINES[1]!, { payload_hash: ZEROS }) }),
      ['2 CHAIN_HASH_MISMATCH'],
    ],
    [
      'a hash changed',
      withLines({ 2: changed(LINES[1]!, { chain_hash: ZEROS }) }),
      ['2 CHAIN_HASH_MISMATCH', '3 CHAIN_LINK_BROKEN'],
    ],
    [
      'an entry forged whole',
      withLines({ 2: forged(LINES[1]!, { source_id: 'x' }) }),
      ['3 CHAIN_LINK_BROKEN'],
    ],
    ['an entry taken out', withLines({ 2: undefined }), ['2 SEQ_INVALID', '2 CHAIN_LINK_BROKEN']],
    ['the first taken out', withLines({ 1: undefined }), ['1 SEQ_INVALID', '1 GENESIS_MISMATCH']],
    ['another genesis', [forged(LINES[0]!, { prev_chain_hash: ZEROS })], ['1 GENESIS_MISMATCH']],
    [
      'an entry of another chain',
      withLines({ 4: forged(LINES[3]!, { chain_id: 'ward:meta/other' }) }),
      ['4 CHAIN_LINK_BROKEN'],
    ],
    [
      'a source witnessed twice',
      withLines({ 4: forged(LINES[3]!, { source_id: 'envelope-1' }) }),
      ['4 DUPLICATE_SOURCE'],
    ],
    [
      'a line that is no JSON in the middle',
      withLines({ 3: 'x' }),
      ['3 ENTRY_INVALID', '4 SEQ_INVALID', '4 CHAIN_LINK_BROKEN'],
    ],
    ['a line that is no entry', withLines({ 4: '{}' }), ['4 ENTRY_INVALID']],
  ])('by %s', (_what, lines, faults) => {
    const report = verify(lines)

    expect(shortFaults(report)).toEqual(faults)
    expect(report).toMatchObject({ verdict: 'BROKEN', faultCount: faults.length })
  })

  test('by an entry of another chain in between, which does not make strangers of those after it', () => {
    const [one] = chain(1)
    const stranger = wardEntry({ chain_id: 'ward:meta/x', seq: 1, chain_hash: one!.chain_hash }, SECOND)
    const next = wardEntry(
      { chain_id: FIRST.chainId, seq: 2, chain_hash: stranger.chain_hash },
      { ...SECOND, sourceId: 'another' },
    )

    expect(shortFaults(verify([one!, stranger, next].map(formatWardEntry)))).toEqual(['2 CHAIN_LINK_BROKEN'])
  })

  test('the same id of another kind is another source', () => {
    expect(
      verify(withLines({ 4: forged(LINES[3]!, { source_kind: 'VOLT', source_id: 'envelope-1' }) })),
    ).toMatchObject({
      verdict: 'INTACT',
    })
  })
})

test('a chain whose last line was not written to its end is whole up to there: partial', () => {
  const report = verify(withLines({ 4: LINES[3]!.slice(0, 40) }))

  expect(report).toMatchObject({ verdict: 'PARTIAL', entries: 3, last: { seq: 3 } })
  expect(shortFaults(report)).toEqual(['4 INCOMPLETE_CHAIN'])
})

test('a chain that is broken further up is broken, whatever its end is like', () => {
  expect(verify(withLines({ 2: undefined, 4: LINES[3]!.slice(0, 40) })).verdict).toBe('BROKEN')
})

test('a chain without an entry says nothing, and is partial', () => {
  expect(verify([])).toMatchObject({ verdict: 'PARTIAL', entries: 0, last: undefined })
})

test.each([
  ['ward_version', 1],
  ['ward_entry_id', 'a|b'],
  ['chain_id', ''],
  ['seq', 0],
  ['witnessed_at', '2026-03-05T14:30:00'],
  ['source_kind', 'MCP'],
  ['source_kind', 'toString'],
  ['source_id', ''],
  ['payload_hash', E0_HASH.toUpperCase()],
  ['prev_chain_hash', undefined],
  ['chain_hash', null],
  ['issuer_id', ''],
])('an entry whose %s is %j is none', (member, value) => {
  const line = changed(LINES[0]!, { [member]: value })

  expect(shortFaults(verify([line]))).toEqual(['1 ENTRY_INVALID'])
  expect(verify([line]).faults[0]?.message).toContain(`"${member}"`)
  expect(readWardEntry(Buffer.from(line))).toBeUndefined()
})

test('a chain goes on where it ended, whoever goes on, and any byte of what is hashed shows', () => {
  const hashed = ['ward_entry_id', 'witnessed_at', 'source_kind', 'source_id', 'payload_hash', 'seq'] as const
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...hashed), (length, member) => {
      const lines = chain(length).map(formatWardEntry)
      const last = readWardEntry(Buffer.from(lines.at(-1) ?? ''))
      const next = wardEntry(last, { ...SECOND, chainId: 'not used' })
      expect(verify([...lines, formatWardEntry(next)])).toMatchObject({
        verdict: 'INTACT',
        entries: length + 1,
      })
      const other = {
        source_kind: 'WARD',
        seq: length + 2,
        payload_hash: E0_HASH,
        witnessed_at: '2026-03-05T14:30:02Z',
      }
      const value = member in other ? Object(other)[member] : 'another'
      expect(verify([...lines, changed(formatWardEntry(next), { [member]: value })]).verdict).toBe('BROKEN')
    }),
  )
})
