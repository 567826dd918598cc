/**
 * Presence (FED-51, FED-17, FED-62).
 */
import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { AgentdError } from '../../src/core/errors.ts'
import { MAX_ENTITIES } from '../../src/core/limits.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import {
  MAX_PRESENCE_OCTETS,
  MAX_PRESENT_SESSIONS,
  formatPresence,
  readPresence,
  type Presence,
} from '../../src/link/presence.ts'
import type { PresentSession } from '../../src/link/text/present-session.ts'
import { changed, oddities, placesIn } from '../support/oddities.ts'
import { AT_MS } from './samples.ts'

const FULL: PresentSession = {
  address: '~alice/cc-opus@s1',
  instrument: 'cc-opus',
  session_id: 's1',
  tool: 'cc',
  live: true,
  mailbox: false,
  title: 'auth: 💥 "quoted"',
  repository_id: 'git:github.com/acme/api',
  branch: 'main',
  entities: ['agent.reviewer'],
}

function presenceOf(sessions: readonly PresentSession[]): Presence {
  return { sent_at: AT_MS, state: 'here', speaks: [1], sessions }
}

/** So many sessions, each with a fact of so many octets. */
function crowd(count: number, titleOctets: number): PresentSession[] {
  return Array.from({ length: count }, (_, i) => ({
    address: `~alice/cc-opus@${i}`,
    instrument: 'cc-opus',
    session_id: String(i),
    live: true,
    mailbox: true,
    title: 'x'.repeat(titleOctets),
  }))
}

/** A text of so many octets that is no presence. */
function ofSize(octets: number): string {
  return `{"x":"${'x'.repeat(octets - 8)}"}`
}

function verdictOn(value: unknown): string {
  const found = orRefusal(() => readPresence(JSON.stringify(value)))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

test('comes back as it went (FED-51)', () => {
  const { title: _, ...bare } = FULL
  for (const presence of [
    presenceOf([]),
    presenceOf([FULL, bare]),
    { ...presenceOf([]), state: 'left' as const },
    { ...presenceOf([]), untold: true as const },
  ])
    expect(readPresence(formatPresence(presence))).toEqual(presence)
})

test('members that nobody here knows are passed over (FED-17), paths of a careless node among them (FED-62)', () => {
  const later = { ...presenceOf([{ ...FULL, cwd: '/home/alice' } as PresentSession]), later: [{ a: 1 }] }

  expect(readPresence(JSON.stringify({ ...later, speaks: [1, 2] }))).toEqual({
    ...presenceOf([FULL]),
    speaks: [1, 2],
  })
})

describe('bounds', () => {
  test('all of 4 096 sessions are told, and no more of a text that says so (FED-51)', () => {
    const most = formatPresence(presenceOf(crowd(MAX_PRESENT_SESSIONS, 1)))

    expect(readPresence(most).sessions).toHaveLength(MAX_PRESENT_SESSIONS)
    expect(readPresence(most).more).toBeUndefined()
    expect(verdictOn(presenceOf(crowd(MAX_PRESENT_SESSIONS + 1, 1)))).toBe('field-invalid sessions')
  })

  test('one more is left out, and counted', () => {
    const read = readPresence(formatPresence(presenceOf(crowd(MAX_PRESENT_SESSIONS + 1, 1))))

    expect([read.sessions.length, read.more]).toEqual([MAX_PRESENT_SESSIONS, 1])
  })

  test('what is too long is told without what the sessions are about, before any of them is left out', () => {
    const text = formatPresence(presenceOf(crowd(MAX_PRESENT_SESSIONS, 256)))

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PRESENCE_OCTETS)
    expect(readPresence(text).sessions).toHaveLength(MAX_PRESENT_SESSIONS)
    expect(readPresence(text).sessions[0]?.title).toBeUndefined()
  })

  test('what is too long even so is told as far as there is room, and the rest counted', () => {
    const long = crowd(MAX_PRESENT_SESSIONS, 1).map((session, i) => {
      const sessionId = `${String(i).padStart(4, '0')}${'x'.repeat(124)}`
      return { ...session, session_id: sessionId, address: `~alice/cc-opus@${sessionId}` }
    })

    const text = formatPresence(presenceOf(long))
    const read = readPresence(text)

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PRESENCE_OCTETS)
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_PRESENCE_OCTETS - 1_024)
    expect(read.sessions.length + (read.more ?? 0)).toBe(MAX_PRESENT_SESSIONS)
    expect(read.sessions.length).toBeLessThan(MAX_PRESENT_SESSIONS)
  })

  test('an octet too many, a level too deep and parts without end are refused', () => {
    expect(orRefusal(() => readPresence(ofSize(MAX_PRESENCE_OCTETS)))).toMatchObject({ field: 'sessions' })
    expect(orRefusal(() => readPresence(ofSize(MAX_PRESENCE_OCTETS + 1)))).toMatchObject({
      field: 'presence',
    })
    expect(verdictOn({ ...presenceOf([]), later: [[[]]] })).toBe('ok')
    expect(verdictOn({ ...presenceOf([]), later: [[[[]]]] })).toBe('field-invalid presence')
    expect(
      verdictOn({ ...presenceOf([]), later: Array.from({ length: 16 * MAX_PRESENT_SESSIONS }, () => []) }),
    ).toBe('field-invalid presence')
    expect(verdictOn(presenceOf([{ ...FULL, entities: Array<string>(MAX_ENTITIES).fill('agent.x') }]))).toBe(
      'ok',
    )
    expect(
      verdictOn(presenceOf([{ ...FULL, entities: Array<string>(MAX_ENTITIES + 1).fill('agent.x') }])),
    ).toBe('field-invalid sessions[0].entities')
  })
})

describe('what is none is refused, by name', () => {
  test.each([
    ['a name twice', '{"state":"here","state":"left","sessions":[]}', 'presence'],
    ['half a surrogate pair', '{"a":"\ud800"}', 'presence'],
    ['no JSON', '{', 'presence'],
    ['no object', '[]', 'presence'],
  ])('%s', (_, text, field) => {
    expect(orRefusal(() => readPresence(text))).toMatchObject({ code: 'field-invalid', field })
  })

  test('an address of other parts than it has', () => {
    const verdict = verdictOn(presenceOf([FULL, { ...FULL, session_id: 's2' }]))
    expect(verdict).toBe('field-invalid sessions[1].address')
  })

  test('anything in the place of anything is taken, or refused with a code: nothing breaks', () => {
    const good = presenceOf([FULL])
    fc.assert(
      fc.property(fc.constantFrom(...placesIn(good)), oddities, (way, odd) => {
        const text = JSON.stringify(changed(good, way, () => odd)) ?? ''
        const found = orRefusal(() => readPresence(text))
        if (!(found instanceof AgentdError)) expect(readPresence(formatPresence(found))).toEqual(found)
      }),
    )
  })
})
