/**
 * A submission recognised by its shape is what it would have been when parsed, and nothing is recognised that would have been
 * refused (AC-001…AC-042, ACQ-08).
 */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentdError } from '../../../src/core/errors.ts'
import { readJson } from '../../../src/core/text/json.ts'
import { Frame, parseFrame } from '../../../src/protocol/frame/frame.ts'
import { findFrame } from '../../../src/protocol/frame/frame-shapes.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { decodeSubmission } from '../../../src/protocol/frame/submission.ts'
import { compileShaping } from '../../../src/protocol/frame/text-pattern.ts'
import { fingerprintOf } from '../../../src/broker/submit/fingerprint.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'
import { changed, oddities, placesIn } from '../../support/oddities.ts'

function isRecognised(text: string): boolean {
  return findFrame(text) !== undefined
}

/** Sends it as often as it takes for its shape to be known; one that is known is recognised at once. */
function learn(text: string): void {
  for (let times = 0; times < 4 && !isRecognised(text); times += 1) decodeSubmission(Buffer.from(text))
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

function hashOf(text: string, seed: number): number {
  return fingerprintOf({ scopeText: String(seed), text })
}

/** Kinds whose payload says where they go are parsed in any case. */
const READ = ['agent_query', 'agent_response', 'intent_declare']

test('a shape is learnt when it has come four times, of each kind whose payload nobody reads on the way (AC-031)', () => {
  for (const kind of KIND_NAMES) {
    // In an order of its own: what is learnt once is known to every test of the process.
    const text = JSON.stringify(Object.fromEntries(Object.entries(validFrame(kind)).toReversed()))
    const known = Array.from({ length: 5 }, () => {
      const before = isRecognised(text)
      decodeSubmission(Buffer.from(text))
      return before
    })
    expect([kind, known]).toEqual([kind, [false, false, false, false, !READ.includes(kind)]])
  }
})

test('members may have any order, and each that is known is recognised', () => {
  const frame = validFrame('agent_advisory')
  const orders = Array.from({ length: 5 }, (_, i) => {
    const members = Object.entries(frame)
    return JSON.stringify(Object.fromEntries([...members.slice(i), ...members.slice(0, i)]))
  })
  for (const text of orders) learn(text)

  expect(orders.map(isRecognised)).toEqual(orders.map(() => true))
})

test('line breaks, quotes and controls are recognised as they are written, and no other spelling of them is', () => {
  const said = 'one\n"two"\t\\ \u0001\u001f\u007f \u00e4 \u2028 \u{1f600}'
  const frame = { ...validFrame('agent_advisory'), payload: { advisory_text: `${said}HERE` } }
  const text = JSON.stringify(frame)
  learn(text)

  expect(isRecognised(text)).toBe(true)
  expect(decodeSubmission(Buffer.from(text)).frame).toEqual(frame)
  const other = ['\\/', '\\u000a', '\\u0041', '\\u001F', '\\x', '\\', '\\u00', '\u0001', '\n', '"', '\\\\\\']
  expect(other.map((spelled) => isRecognised(text.replace('HERE', spelled)))).toEqual(other.map(() => false))
})

test('a text of ten thousand line breaks is recognised as any other', () => {
  const frame = validFrame('agent_handover')
  const text = JSON.stringify({ ...frame, payload: { ...frame.payload, handover_body: '\n'.repeat(10_000) } })
  learn(text)

  expect(isRecognised(text)).toBe(true)
  expect(isRecognised(text.slice(0, -2))).toBe(false)
})

/** A frame with a text of so many line breaks, each an octet, where 256 may be. */
function ofLength(length: number): string {
  const payload = { return_event_ref: '\n'.repeat(length), summary: 'done' }
  return JSON.stringify({ ...validFrame('agent_return_event'), payload })
}

test('what is asked of a text is asked of what it says, not of how it is written', () => {
  learn(ofLength(256))

  expect([256, 257].map((length) => isRecognised(ofLength(length)))).toEqual([true, false])
})

test('shapes that come by turns without end are not all kept, and those that stay are found again', () => {
  const { payload, ...members } = validFrame('agent_broadcast')
  const inOrder = (seed: number): string => {
    const names = Object.keys(members).toSorted((one, other) => hashOf(one, seed) - hashOf(other, seed))
    return JSON.stringify({
      ...Object.fromEntries(names.map((name) => [name, Reflect.get(members, name)])),
      payload,
    })
  }
  const many = Array.from({ length: 200 }, (_, seed) => inOrder(seed))
  for (const text of many) learn(text)

  expect(many.filter(isRecognised).length).toBeLessThanOrEqual(8)
  const [, again = ''] = many
  learn(again)
  expect(isRecognised(again)).toBe(true)
})

test('of a recognised frame the head is what parsing gives (AC-005)', () => {
  let recognised = 0
  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      const text = JSON.stringify(frame)
      learn(text)
      if (!isRecognised(text)) return
      recognised += 1
      const { frame: whole } = parsed(text)
      expect(whole).toMatchObject(said(findFrame(text)))
    }),
    { numRuns: 2_000 },
  )
  expect(recognised).toBeGreaterThan(400)
})

test('nothing is recognised that is refused when it is parsed, wherever a frame is changed (AC-005, AC-041)', () => {
  let refused = 0
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), oddities, fc.constantFrom('set', 'drop', 'add'), (...args) => {
      const [frame, at, oddity, how] = args
      learn(JSON.stringify(frame))
      const places = placesIn(frame)
      const value = changed(frame, places[at % places.length] ?? [], (part) => {
        if (how === 'set') return oddity
        if (how === 'drop') return undefined
        return typeof part === 'object' ? { ...part, extra: oddity } : oddity
      })
      const text = JSON.stringify(value) ?? 'null'
      const { fault } = parsed(text)
      if (fault !== undefined) refused += 1
      else learn(text)
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
      learn(text)
      const place = at % text.length
      // As UTF-8 has it: half a pair is none.
      const other = (text.slice(0, place) + piece + text.slice(place + cut)).toWellFormed()
      const { frame: whole, fault } = parsed(other)
      if (fault !== undefined) broken += 1
      if (!isRecognised(other)) return
      expect(fault).toBeUndefined()
      // What is forwarded as it came is what re-serialising would give.
      expect(JSON.stringify(whole)).toBe(other)
      expect(whole).toMatchObject(said(findFrame(other)))
    }),
    { numRuns: 8_000 },
  )
  expect(broken).toBeGreaterThan(2_000)
})

describe('a submission in each of its forms is the same, recognised or parsed', () => {
  const frame = validFrame('agent_advisory')
  const text = JSON.stringify(frame)
  beforeAll(() => learn(text))
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
  learn(JSON.stringify(long))
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
    expect(() => compileShaping(schema)).toThrow(TypeError)
  })
})
