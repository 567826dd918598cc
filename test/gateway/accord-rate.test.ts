/**
 * What comes in over an accord beyond its rate, and what is for another machine of one's own side: refused before it is read, for
 * the price of finding out (FED-29, FED-57, FED-63).
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { OpenQueries } from '../../src/broker/audience/open-queries.ts'
import { AccordRules } from '../../src/gateway/accord/accord-rules.ts'
import { Allowances } from '../../src/gateway/in/allowances.ts'
import { RecordGate, type RecordVerdict } from '../../src/gateway/in/record-gate.ts'
import { grantToken } from '../../src/link/audience.ts'
import { laneOf } from '../../src/link/realm.ts'
import { formatRecord } from '../../src/link/record.ts'
import { grantOf, newSides, signedAccord } from '../authority/accords.ts'
import { TestAuthority } from '../support/authority.ts'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame, validPayload } from '../support/frames.ts'

const REALM = 'a.0123456789abcdef'
const SUPPORT = 'accord:~globex/grant:support'
const BACK = 'accord:~acme/grant:support'

/** Of the grant; what is sent under it in a minute may be sent at once. */
const PER_MINUTE = 3

const NO_KIND = '"kind":"nothing"'

const ACCEPT = { kinds: ['*'], from: ['*'], perSecond: undefined }

/** The gate of alice's machine at `~globex`, in the lane of bob's at `~acme`, at one moment of the engine. */
function gate({ role = 'support' } = {}) {
  const authority = new TestAuthority('~alice')
  authority.charter('~acme', '~bob')
  authority.charter('~globex', `~alice ${role}`)
  const grants = [grantOf({ perMinute: PER_MINUTE })]
  authority.accord(signedAccord(newSides(), { grants }))
  const queries = new OpenQueries()
  const audience = { of: 'grant', grant: grantToken('support'), from: '~acme' } as const
  const at = { audience, handle: '~bob', node: 'box', org: '~acme' }
  const rules = new AccordRules({
    lane: audience.grant,
    speaker: '~bob',
    node: '~bob/box',
    authority,
    queries,
    memberOf: (handle) => (handle === '~bob' ? { handle, roles: [], entities: ['agent.bob-*'] } : undefined),
    grants: () => grants,
    isOwnEntity: (name) => name === 'agent.alice-dev',
    isSigned: () => false,
    accept: () => ACCEPT,
  })
  const records = new RecordGate({
    node: '~alice/laptop',
    offsets: { translate: (atMs) => atMs },
    sealing: { isOn: false, open: (text) => ({ text, wasSealed: false }) },
  })
  const allowances = new Allowances({
    realm: REALM,
    strangerOf: ({ principal }) => principal,
    perMinuteOf: () => PER_MINUTE,
    marksOf: () => new Map(),
    accept: () => ACCEPT,
  })
  const subject = laneOf(REALM, at)
  const speaker = { principal: '~bob', node: '~bob/box', key: '' }
  const allowance = allowances.of(speaker, at, { subject, engine_at_ms: 1_000 })
  return {
    queries,
    judge: (line: string) =>
      records.judge(line, { node: '~bob/box', epoch: 'b1', subject, rules, allowance }),
  }
}

let places = 0

/** A question of bob's, or another frame; its text bent. */
function line(bend = (text: string) => text, scope = SUPPORT, answered?: string): string {
  places += 1
  const by = {
    sender_handle: '~bob',
    acted_by: '~bob',
    recipient_handle: scope === SUPPORT ? '~globex' : '~acme',
  }
  const query = { ...validPayload('agent_query'), response_scope: BACK }
  const frame =
    answered === undefined
      ? validFrame('agent_query', { ...by, payload: { ...query, query_id: randomUUID() } })
      : validFrame('agent_response', {
          ...by,
          payload: { ...validPayload('agent_response'), query_id: answered },
        })
  const frameText = bend(JSON.stringify(frame))
  return formatRecord({ t: 'frame', e: `b1-${places}`, scope, sender: undefined, at: 0, frameText })
}

function envelopeLine(to: string): string {
  places += 1
  const envelopeText = JSON.stringify(validEnvelope({ to, from: 'agent.bob-dev', v: '7' }))
  const beside = { e: `b1-${places}`, sender: undefined, at: 0, priority: 'normal' } as const
  return formatRecord({ t: 'envelope', to, ...beside, envelopeText })
}

const unread = (text: string): string =>
  text.replace('"responder_session_id":"s2"', '"responder_session_id":7')

const noKind = (text: string): string => text.replace('"kind":"agent_query"', NO_KIND)

/** What is said to whom: a kind of item and a code, and nothing of an item where the sender is told nothing. */
function wordsOf(verdict: RecordVerdict): string {
  if (!('item' in verdict)) return 'code' in verdict ? `untold ${verdict.code}` : verdict.answer
  return verdict.item.kind === 'refused' ? `told ${verdict.item.code}` : verdict.item.kind
}

describe('under an accord', () => {
  test('what is beyond the rate of the grant is refused unread, and its sender is told (FED-29, FED-63)', () => {
    const { judge } = gate()
    const taken = Array.from({ length: PER_MINUTE }, () => wordsOf(judge(line())))

    // No frame of any kind can be read from it, which nobody finds out.
    const beyond = [line(), line((text) => text.replace('"query_text":"', '"query_text":7,"x":"'))]

    expect(taken).toEqual(Array.from({ length: PER_MINUTE }, () => 'frame'))
    expect(beyond.map((one) => wordsOf(judge(one)))).toEqual(['told rate-limited', 'told rate-limited'])
  })

  test('what was refused for another reason before it is spent is told that reason', () => {
    const { judge } = gate()

    const verdict = judge(line((text) => text.replace('"query_text":"', '"query_text":7,"x":"')))

    expect(wordsOf(verdict)).toMatch(/^told field-/)
  })

  test('what says nowhere for whom it is is not told beyond the rate: it may be well taken elsewhere', () => {
    const { judge } = gate()
    for (let i = 0; i < PER_MINUTE; i += 1) judge(line())

    const escaped = line((text) => text.replace('"kind"', String.raw`"k\u0069nd"`))

    expect(wordsOf(judge(escaped))).toBe('untold rate-limited')
    expect(wordsOf(gate().judge(escaped))).toBe('frame')
  })

  test('what is for other machines is refused unread and untold, and costs its sender nothing (FED-57, FED-58)', () => {
    const { judge } = gate({ role: 'sales' })
    const elsewhere = [
      line(),
      line((text) => text.replace('"query_text":"', '"query_text":7,"x":"')),
      line(unread, BACK, randomUUID()),
      envelopeLine('agent.somebody-else'),
    ]

    for (let i = 0; i <= PER_MINUTE; i += 1)
      expect(elsewhere.map((one) => wordsOf(judge(one)))).toEqual(
        elsewhere.map(() => 'untold scope-unauthorised'),
      )
    expect(wordsOf(judge(line(noKind)))).toBe('told kind-unknown')
  })

  test('an answer to a question of here is for here, read or not (FED-58)', () => {
    const { judge, queries } = gate()
    const queryId = randomUUID()
    queries.remember({
      queryId,
      responseScope: 'accord:~globex/grant:desk',
      scopeText: 'accord:~acme/grant:desk',
      senderHandle: '~alice',
      senderAddress: undefined,
      origin: undefined,
    })
    const answer = line(undefined, SUPPORT, queryId.toUpperCase())
    for (let i = 0; i < PER_MINUTE; i += 1) judge(line())

    expect(wordsOf(judge(answer))).toBe('told rate-limited')
    expect(wordsOf(judge(line(undefined, SUPPORT, randomUUID())))).toBe('untold scope-unauthorised')
  })
})
