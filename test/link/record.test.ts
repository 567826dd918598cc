/**
 * Records of the link (FED-17).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { MAX_ENVELOPE_OCTETS, MAX_JSON_DEPTH, MAX_JSON_PARTS } from '../../src/core/limits.ts'
import {
  MAX_FORGOTTEN_IDS,
  MAX_RECORD_OCTETS,
  formatRecord,
  readRecord,
  type EnvelopeRecord,
  type FrameRecord,
  type LinkRecord,
} from '../../src/link/record.ts'
import { unlessRefused } from '../../src/core/thrown.ts'
import { MAX_REPORT_ITEMS, REPORTED_STATES, type ReportItem } from '../../src/link/text/report.ts'
import { AT_MS, hostileObject, hostileText } from './samples.ts'

const FRAME: FrameRecord = {
  t: 'frame',
  e: '6f1c-41',
  scope: '~alice/*',
  sender: '~alice/cc-opus@s1',
  tool: 'cc',
  at: AT_MS,
  frameText: '{"kind":"agent_advisory"}',
}
const ENVELOPE: EnvelopeRecord = {
  t: 'envelope',
  e: '6f1c-42',
  to: 'agent.reviewer',
  sender: undefined,
  at: AT_MS,
  priority: 'urgent',
  envelopeText: '{"v":"1"}',
}
const ITEM: ReportItem = ['aee:01JABCDEF', '~alice/cc-x@s2', 'seen', AT_MS, 'hook']

/** The line of a record, changed as JSON. */
function lineWith(record: LinkRecord, changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...JSON.parse(formatRecord(record)), ...changes })
}

/** The code and field a line is refused with; `ok` when it is not. */
function verdictOn(line: string): string {
  const found = orRefusal(() => readRecord(line))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

/** A report of so many items. */
function items(count: number): string {
  return JSON.stringify({ t: 'report', node: 'devbox', items: Array.from({ length: count }, () => ITEM) })
}

/** So many ids to forget. */
function ids(count: number): string {
  return JSON.stringify({ t: 'forget', ids: Array.from({ length: count }, () => 'x') })
}

describe('a frame', () => {
  test('is carried octet for octet, whatever its text holds (FED-17, R-13)', () => {
    fc.assert(
      fc.property(hostileObject, fc.boolean(), (frameText, isOfPerson) => {
        const record = { ...FRAME, frameText, ...(isOfPerson && { sender: undefined }) }

        const read = readRecord(formatRecord(record))

        expect(read).toEqual(record)
      }),
    )
  })

  test('may be the largest and the deepest there is: what is around it does not count against it', () => {
    const deep = `${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}`
    const wide = `[${'[],'.repeat(MAX_JSON_PARTS - 2)}[]]`
    const large = `{"payload":"${'é'.repeat(MAX_ENVELOPE_OCTETS / 2 - 10)}"}`

    for (const frameText of [deep, wide, large])
      expect(readRecord(formatRecord({ ...FRAME, frameText }))).toEqual({
        ...FRAME,
        frameText,
      })
  })

  test('is cut out wherever it stands, beside members that nobody here knows (FED-17)', () => {
    const line = `{ "frame":{"a":"}\\",\\"frame\\":1"} , "new":{"frame":[0]},"t":"frame","e":"6f1c-41","scope":"~a/*","at":1}`

    expect(readRecord(line)).toEqual({
      t: 'frame',
      e: '6f1c-41',
      scope: '~a/*',
      sender: undefined,
      at: 1,
      frameText: '{"a":"}\\",\\"frame\\":1"}',
    })
  })
})

test('an envelope is carried as a frame is, with what it is treated as (FED-17, AEE-C02)', () => {
  fc.assert(
    fc.property(hostileObject, (envelopeText) => {
      const record = { ...ENVELOPE, envelopeText }
      expect(readRecord(formatRecord(record))).toEqual(record)
    }),
  )
})

test('a report is about a machine of one’s own by its label, and about another member’s behind their handle (FED-17)', () => {
  const nodes = ['box', '~bob/box', '~bob', 'bob/box', '~bob/box/x', '~bob/', '/box', '~Bob/box', 'a.b']

  const read = nodes.filter(
    (node) => unlessRefused(() => readRecord(JSON.stringify({ t: 'report', node, items: [] }))) !== undefined,
  )

  expect(read).toEqual(['box', '~bob/box'])
})

test('a report tells of no time that a calendar has not: nobody could read it to a person (FED-17, FED-52)', () => {
  const times = [-1, 1.5, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER, 0, 8_640_000_000_000_000]

  const read = times.filter((atMs) => {
    const items = [['x', '', 'seen', atMs]]
    return (
      unlessRefused(() => readRecord(JSON.stringify({ t: 'report', node: 'devbox', items }))) !== undefined
    )
  })

  expect(read).toEqual([0, 8_640_000_000_000_000])
})

test('reports and what is to be forgotten come back as they went (FED-17)', () => {
  const item = fc
    .tuple(
      fc.constantFrom('0e37df36-f698-41e6-8b1d-3f0f4d8ad6a1', 'aee:01JABCDEF'),
      fc.constantFrom('', '~alice/cc-x@s2', '~bob'),
      fc.constantFrom(...REPORTED_STATES),
      fc.nat(),
    )
    .chain((whole) =>
      fc.option(hostileText, { nil: undefined }).map((detail): ReportItem => {
        const short = detail?.slice(0, 16)
        return short === undefined ? whole : [...whole, short]
      }),
    )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 20 }), (some) => {
      const report = { t: 'report' as const, node: 'devbox', items: some }
      expect(readRecord(formatRecord(report))).toEqual(report)
    }),
  )
  const forget = { t: 'forget' as const, ids: ['0e37df36-f698-41e6-8b1d-3f0f4d8ad6a1', 'aee:é'] }
  expect(readRecord(formatRecord(forget))).toEqual(forget)
})

describe('what a later version adds (FED-17)', () => {
  test('a record of an unknown sort is told apart, with its place where it has one', () => {
    expect(readRecord('{"t":"lease","e":"6f1c-9","x":{}}')).toEqual({
      t: 'unknown',
      sort: 'lease',
      e: '6f1c-9',
    })
    expect(readRecord('{"t":"lease"}')).toEqual({ t: 'unknown', sort: 'lease', e: undefined })
    expect(readRecord('{"t":"lease","e":"no place"}')).toEqual({ t: 'unknown', sort: 'lease', e: undefined })
  })

  test('an item in an unknown state is passed over and counted, as what follows its detail is', () => {
    const mixed = [ITEM, ['x', '', 'translated', AT_MS], [...ITEM, 'more', {}]]

    const line = JSON.stringify({ t: 'report', node: 'devbox', items: mixed })

    expect(readRecord(line)).toEqual({ t: 'report', node: 'devbox', items: [ITEM, ITEM], passedOver: 1 })
  })
})

describe('a line that is no record is refused, by name', () => {
  test.each([
    ['no JSON', '{', 'field-invalid record'],
    ['no object', '[]', 'field-invalid record'],
    ['no sort', '{"e":"6f1c-1"}', 'field-invalid t'],
    ['a sort as long as a line', `{"t":"${'x'.repeat(65)}"}`, 'field-invalid t'],
    ['half a surrogate pair', '{"t":"x\ud800"}', 'field-invalid record'],
    ['no frame', '{"t":"frame","e":"6f1c-41","scope":"~a/*","at":1}', 'field-missing frame'],
    ['a frame under an escaped name', '{"t":"frame","fr\\u0061me":{}}', 'field-missing frame'],
    [
      'two frames',
      '{"t":"frame","frame":{},"e":"6f1c-1","scope":"a","at":1,"frame":{}}',
      'field-invalid record',
    ],
    ['two frames, one escaped', '{"t":"frame","frame":{},"fr\\u0061me":1}', 'field-invalid record'],
    ['something behind its end', `${formatRecord(FRAME)}{}`, 'field-invalid record'],
    ['an end too early', '{"t":"frame","frame":{"a":1}},"e":"6f1c-1"}', 'field-invalid record'],
    ['no place', lineWith(FRAME, { e: 'x' }), 'field-invalid e'],
    ['a sender that is no session', lineWith(FRAME, { sender: '~alice' }), 'field-invalid sender'],
    ['a time of another sort', lineWith(FRAME, { at: '2026' }), 'field-invalid at'],
    ['a priority of one’s own', lineWith(ENVELOPE, { priority: 'now' }), 'field-invalid priority'],
    [
      'an address of nobody',
      lineWith({ t: 'report', node: 'x', items: [] }, { items: [['a', 'b', 'seen', 1]] }),
      'field-invalid items',
    ],
    ['nothing to forget', '{"t":"forget","ids":[]}', 'field-invalid ids'],
  ])('%s', (_, line, verdict) => {
    expect(verdictOn(line)).toBe(verdict)
  })

  test('items and ids are bounded', () => {
    expect([items(MAX_REPORT_ITEMS), ids(MAX_FORGOTTEN_IDS)].map(verdictOn)).toEqual(['ok', 'ok'])
    expect(verdictOn(items(MAX_REPORT_ITEMS + 1))).toBe('field-invalid items')
    expect(verdictOn(ids(MAX_FORGOTTEN_IDS + 1))).toBe('field-invalid ids')
  })
})

describe('writing', () => {
  test('a record of the largest size is written, and one octet more is not (FED-18)', () => {
    const rest = formatRecord({ ...FRAME, frameText: '""' }).length
    const textOf = (octets: number): string => `"${'x'.repeat(octets - rest)}"`

    expect(formatRecord({ ...FRAME, frameText: textOf(MAX_RECORD_OCTETS) })).toHaveLength(MAX_RECORD_OCTETS)
    const larger = orRefusal(() => formatRecord({ ...FRAME, frameText: textOf(MAX_RECORD_OCTETS + 1) }))
    expect(larger).toMatchObject({ code: 'envelope-too-large', field: 'record' })
  })

  test.each([
    ['a line break', '{\n}'],
    ['a carriage return', '{\r}'],
    ['half a surrogate pair', '"\udc00"'],
  ])('no text with %s is', (_, frameText) => {
    expect(() => formatRecord({ ...FRAME, frameText })).toThrow(AgentdError)
  })

  test('U+2028, which some take for a line break, stays inside its line', () => {
    const frameText = '{"a":"\u2028\u2029\u0085"}'

    const line = formatRecord({ ...FRAME, frameText })

    expect(line.split('\n')).toHaveLength(1)
    expect(readRecord(line)).toEqual({ ...FRAME, frameText })
  })
})
