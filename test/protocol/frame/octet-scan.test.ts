/**
 * A submission recognised as text is what it would have been when parsed, and nothing is recognised that would have been
 * refused (AC-001…AC-042, ACQ-08).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentdError } from '../../../src/core/errors.ts'
import { readJson } from '../../../src/core/text/json.ts'
import { Frame, parseFrame } from '../../../src/protocol/frame/frame.ts'
import { findFrame } from '../../../src/protocol/frame/frame-octets.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { decodeSubmission } from '../../../src/protocol/frame/submission.ts'
import { compileScan } from '../../../src/protocol/frame/octet-scan.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'
import { changed, oddities, placesIn } from '../../support/oddities.ts'

/** Whether all of a text is recognised. */
function isRecognised(text: string): boolean {
  const octets = Buffer.from(text)
  return findFrame(octets, 0)?.end === octets.length
}

/** The members of a head that are there. */
function said(head: object | undefined): object {
  if (head === undefined) return { kind: 'none' }
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined))
}

/** What the long way says of a text: the frame, or the fault. */
function parsed(text: string): { frame?: Frame; fault?: unknown } {
  try {
    return { frame: parseFrame(readJson(text, 'frame').value) }
  } catch (fault) {
    return { fault }
  }
}

/** Kinds whose payload says where they go are parsed in any case. */
const READ = ['agent_query', 'agent_response', 'intent_declare']

test('every valid frame is recognised, of each kind whose payload nobody reads on the way (AC-031)', () => {
  for (const kind of KIND_NAMES) {
    // A line break is an escape in JSON, and a frame with one is parsed.
    const text = JSON.stringify(validFrame(kind)).replaceAll('\\n', ' ')
    expect(isRecognised(text)).toBe(!READ.includes(kind))
  }
})

test('of a recognised frame the head is what parsing gives (AC-005)', () => {
  let recognised = 0
  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      const text = JSON.stringify(frame)
      if (!isRecognised(text)) return
      recognised += 1
      const { frame: whole } = parsed(text)
      expect(whole).toMatchObject(said(findFrame(Buffer.from(text), 0)?.head))
    }),
    { numRuns: 2_000 },
  )
  expect(recognised).toBeGreaterThan(200)
})

test('nothing is recognised that is refused when it is parsed, wherever a frame is changed (AC-005, AC-041)', () => {
  let refused = 0
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), oddities, fc.constantFrom('set', 'drop', 'add'), (...args) => {
      const [frame, at, oddity, how] = args
      const places = placesIn(frame)
      const value = changed(frame, places[at % places.length] ?? [], (part) => {
        if (how === 'set') return oddity
        if (how === 'drop') return undefined
        return typeof part === 'object' ? { ...part, extra: oddity } : oddity
      })
      const text = JSON.stringify(value) ?? 'null'
      const { fault } = parsed(text)
      if (fault !== undefined) refused += 1
      // A lone surrogate is no UTF-8: whoever asks has seen to that.
      if (isRecognised(text) && text.isWellFormed()) expect(fault).toBeUndefined()
    }),
    { numRuns: 4_000 },
  )
  expect(refused).toBeGreaterThan(1_000)
})

test('nothing is recognised that is no JSON, or names a member twice, wherever its text is changed (ACQ-39)', () => {
  let broken = 0
  const pieces = fc.constantFrom(
    ...'"|{|}|[|]|,|:|\\|\n|\u0001| |0|-1|1e3|.5|null|""|"a":|\u00e9|true|,,'.split('|'),
    ...'"kind":"agent_query",|"frame_id":"x",|"ttl_ms":01,|"ttl_ms":5,|"payload":{},'.split('|'),
  )
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), fc.nat(3), pieces, (frame, at, cut, piece) => {
      const text = JSON.stringify(frame)
      const place = at % text.length
      // As UTF-8 has it: half a pair is none.
      const other = (text.slice(0, place) + piece + text.slice(place + cut)).toWellFormed()
      const { frame: whole, fault } = parsed(other)
      if (fault !== undefined) broken += 1
      if (!isRecognised(other)) return
      expect(fault).toBeUndefined()
      // What is forwarded as it came is what re-serialising would give.
      expect(JSON.stringify(whole)).toBe(other)
      expect(whole).toMatchObject(said(findFrame(Buffer.from(other), 0)?.head))
    }),
    { numRuns: 8_000 },
  )
  expect(broken).toBeGreaterThan(2_000)
})

describe('a submission in each of its forms is the same, recognised or parsed', () => {
  const frame = validFrame('agent_advisory')
  const text = JSON.stringify(frame)
  test.each([
    ['alone', text, undefined],
    ['wrapped', `{"frame":${text}}`, undefined],
    ['with a scope', `{"recipient_scope":"~alice/cc-*","frame":${text}}`, '~alice/cc-*'],
    ['with an empty scope', `{"recipient_scope":"","frame":${text}}`, ''],
    ['the scope behind', `{"frame":${text},"recipient_scope":"~alice/*"}`, '~alice/*'],
    ['with white space', `{ "frame" : ${text} }`, undefined],
    ['with an escape', `{"frame":${text.replace('"agent_advisory"', '"agent\\u005fadvisory"')}}`, undefined],
  ])('%s', (_, body, scope) => {
    const submission = decodeSubmission(Buffer.from(body))

    expect(submission.frame).toEqual(frame)
    expect(submission.frame).toMatchObject(said(submission.head))
    expect(submission.text).toBe(text)
    expect(submission.recipientScope).toBe(scope)
  })

  test.each([
    ['more behind', `{"frame":${text}}}`],
    ['a member more behind', `{"frame":${text},"x":1}`],
    ['text behind', `${text} x`],
    ['no end', `{"frame":${text}`],
    ['two frames', `{"frame":${text},"frame":${text}}`],
    ['a control character in a string', `{"frame":${text.replace('"agent_advisory"', '"agent\tadvisory"')}}`],
  ])('and is refused with %s', (_, body) => {
    expect(() => decodeSubmission(Buffer.from(body))).toThrow(AgentdError)
  })
})

test('what it says of itself does not keep the text it was cut out of', () => {
  const long = { ...validFrame('agent_advisory'), drafted_with: '~claude-sonnet-4-5' }
  const { head } = decodeSubmission(Buffer.from(JSON.stringify(long)))

  expect(head.drafted_with).toBe('~claude-sonnet-4-5')
  expect(head.frame_id).toBe(long.frame_id)
})

describe('a schema it does not know', () => {
  test.each<[string, z.ZodType]>([
    ['a number that may be a fraction', z.number()],
    ['a default', z.string().default('x')],
    ['a format of zod', z.email()],
    ['a literal that is no string', z.literal(5)],
    ['a word with an escape', z.literal('a"b')],
    ['any value', z.unknown()],
  ])('is refused when it is compiled: %s', (_, schema) => {
    expect(() => compileScan(schema)).toThrow(TypeError)
  })
})
