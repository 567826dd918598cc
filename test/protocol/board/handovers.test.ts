/** Who has taken over what, as any recipient may work it out of the frames alone (HO-02, HO-03, ACQ-18). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeClaim, readHandovers, type Handover } from '../../../src/protocol/board/handovers.ts'
import { KINDS } from '../../../src/protocol/frame/kinds.ts'
import { parseFrame } from '../../../src/protocol/frame/frame.ts'
import { brokenFrame } from '../../support/frames.ts'

const START_MS = Date.UTC(2026, 10, 20, 12)
const ONE = '~alice/cc@s1'
const TWO = '~alice/cc@s2'
const THREE = '~alice/codex@s3'

interface Words {
  readonly previous?: string
  readonly next?: string
  readonly refs?: readonly string[]
  readonly body?: string
  readonly ttlMs?: number
}

/** The id of the nth frame. */
const idOf = (n: number): string => `8f4e1c9a-0000-4000-8000-${String(n).padStart(12, '0')}`

function said(n: number, sender: string | null, words: Words) {
  const { previous = 's1', next, refs, body = `work ${n}`, ttlMs } = words
  const payload = {
    previous_session_id: previous,
    handover_body: body,
    ...(next !== undefined && { next_session_id: next }),
    ...(refs !== undefined && { pointer_refs: refs }),
  }
  const createdAt = new Date(START_MS + n).toISOString()
  const more = ttlMs === undefined ? {} : { ttl_ms: ttlMs }
  const frame = brokenFrame('agent_handover', { frame_id: idOf(n), created_at: createdAt, payload, ...more })
  return { sender, acceptedAtMs: START_MS + n, frame }
}

/** Body → who claimed it, in order. */
function read(frames: readonly ReturnType<typeof said>[]) {
  return readHandovers(frames).map(({ body, claims }) => [body, claims.map(({ next }) => next)])
}

test('a claim names the frame it claims, and the first of several has it (HO-03)', () => {
  const work = said(1, ONE, {})
  const first = said(2, THREE, { next: 's3', refs: [idOf(1)] })
  const second = said(3, TWO, { next: 's2', refs: [idOf(1)] })

  expect(read([work, first, second])).toEqual([['work 1', ['s3', 's2']]])
  expect(read([work, second, first])).toEqual([['work 1', ['s2', 's3']]])
})

test('a claim by the words of the memo alone claims the newest of that session (ACQ-18)', () => {
  const frames = [said(1, ONE, {}), said(2, ONE, {}), said(3, TWO, { next: 's2' })]

  expect(read(frames)).toEqual([
    ['work 1', []],
    ['work 2', ['s2']],
  ])
})

test('whoever hands over to somebody names them and claims nothing, a shell among them (ACQ-18)', () => {
  expect(read([said(1, ONE, {}), said(2, ONE, { next: 's2' })])).toEqual([
    ['work 1', []],
    ['work 2', []],
  ])
  expect(
    read([said(1, null, { previous: 'shell' }), said(2, null, { previous: 'shell', next: 's2' })]),
  ).toEqual([
    ['work 1', []],
    ['work 2', []],
  ])
})

test('a shell takes over what a shell has handed over, where it says which', () => {
  const work = said(1, null, { previous: 'shell' })
  const claim = said(2, null, { previous: 'shell', next: 'shell', refs: [idOf(1).toUpperCase()] })

  expect(read([work, claim])).toEqual([['work 1', ['shell']]])
})

test('a claim never stands in place of the work, also where that is forgotten (HO-06)', () => {
  expect(read([said(2, TWO, { next: 's2', refs: [idOf(1)] })])).toEqual([])
  expect(read([said(2, TWO, { next: 's2' })])).toEqual([])
  // Another one of the same session is not what it claims.
  expect(read([said(2, ONE, {}), said(3, TWO, { next: 's2', refs: [idOf(1)] })])).toEqual([['work 2', []]])
})

test('holds as long as its frame says, or as its kind does', () => {
  const [usual, short] = readHandovers([said(1, ONE, {}), said(2, ONE, { ttlMs: 1_000 })])

  expect(usual?.untilMs).toBe(START_MS + 1 + KINDS.agent_handover.defaultTtlMs)
  expect(short?.untilMs).toBe(START_MS + 2 + 1_000)
})

test('what is no handover, or has no time, says nothing', () => {
  const advisory = { sender: ONE, acceptedAtMs: START_MS, frame: brokenFrame('agent_advisory', {}) }

  expect(
    readHandovers([advisory, { ...said(1, ONE, {}), acceptedAtMs: undefined }, { ...advisory, frame: 7 }]),
  ).toEqual([])
})

test('a claim is a valid frame of one line, and is read as the claim it is (HO-03)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (body) => {
      const [work] = readHandovers([said(1, ONE, { body })])
      const { payload, ttlMs } = composeClaim(requireOne(work), { sessionId: 's2', nowMs: START_MS + 1 })
      const frame = brokenFrame('agent_handover', { frame_id: idOf(2), ttl_ms: ttlMs, payload })

      expect(parseFrame(frame).payload).toEqual(payload)
      expect(payload.handover_body).not.toMatch(/[\r\n]/)
      const claim = { sender: TWO, acceptedAtMs: START_MS + 2, frame }
      expect(read([said(1, ONE, { body }), claim])).toEqual([[body, ['s2']]])
    }),
  )
})

function requireOne(found: Handover | undefined): Handover {
  if (found === undefined) throw new Error('nothing was handed over')
  return found
}
