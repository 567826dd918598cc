/**
 * The one bound of what a frame may say is the frame, but for those that memo §5 states (ACQ-14; decision 022).
 */
import { describe, expect, test } from 'vitest'
import { MAX_FRAME_OCTETS } from '../../src/core/limits.ts'
import type { Kind } from '../../src/protocol/frame/kinds.ts'
import { brokenFrame, validPayload } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { PAYLOAD_TABLE, withValueAt } from '../protocol/frame/payload-table.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** Members of a payload that the memo sets no length to, and whether they are lists. */
const UNBOUNDED: readonly (readonly [kind: Kind, path: string, isList: boolean])[] = [
  ['agent_advisory', 'file_refs', true],
  ['agent_broadcast', 'refs', true],
  ['agent_handover', 'handover_body', false],
  ['agent_handover', 'pointer_refs', true],
  ['agent_lock_release', 'resource', false],
  ['agent_response', 'response_text', false],
  ['agent_response', 'responder_session_id', false],
  ['agent_return_event', 'query_id', false],
  ['agent_binding_moment', 'synopsis', false],
  ['agent_binding_moment', 'findings', true],
  ['agent_binding_moment', 'recommendations', true],
  ['agent_binding_moment', 'offer', false],
  ['agent_binding_moment', 'question.stem', false],
  ['agent_binding_moment', 'question.options[1].label', false],
  ['agent_binding_moment', 'question.options[1].reasoning', false],
  ['peer_diagnostic_request', 'substrate_refs', true],
  ['peer_diagnostic_response', 'finding', false],
  ['peer_diagnostic_response', 'remediation', false],
  ['peer_diagnostic_response', 'substrate_refs', true],
  ['intent_declare', 'convergence_class', false],
  ['intent_declare', 'payload_ref', false],
  ['intent_withdraw', 'intent_ref', false],
  ['flush_executed', 'result_ref', false],
  ['flush_executed', 'batch_refs', true],
]

/** A frame of exactly so many octets, filled up in one place. */
function filled(frameWith: (value: unknown) => object, isList: boolean, octets: number): object {
  const wrap = (text: string): unknown => (isList ? [text] : text)
  const least = Buffer.byteLength(JSON.stringify(frameWith(wrap('a.b'))))
  return frameWith(wrap(`a.b${'x'.repeat(octets - least)}`))
}

async function outcomeOf(frame: object): Promise<unknown> {
  const { status, body } = await shared.post('/v1/frames', { frame })
  return status === 200 ? 200 : [status, body.code, body.field]
}

describe('what the memo sets no length to', () => {
  test.each(UNBOUNDED)('in a payload of %s, %s, fills the frame (ACQ-14)', async (kind, path, isList) => {
    const frameWith = (value: unknown): object =>
      brokenFrame(kind, { payload: withValueAt(validPayload(kind), path, value) })

    expect(await outcomeOf(filled(frameWith, isList, MAX_FRAME_OCTETS))).toBe(200)
    expect(await outcomeOf(filled(frameWith, isList, MAX_FRAME_OCTETS + 1))).toEqual([
      413,
      'frame-too-large',
      'frame',
    ])
  })

  test.each(['provenance_method', 'provenance_basis', 'provenance_return_ref'])(
    'of the provenance, %s, fills the frame (AC-026, AC-027, AC-029)',
    async (name) => {
      const frameWith = (value: unknown): object => brokenFrame('agent_advisory', { [name]: value })
      const isList = name === 'provenance_method'

      expect(await outcomeOf(filled(frameWith, isList, MAX_FRAME_OCTETS))).toBe(200)
      expect(await outcomeOf(filled(frameWith, isList, MAX_FRAME_OCTETS + 1))).toEqual([
        413,
        'frame-too-large',
        'frame',
      ])
    },
  )

  test('is in the table of payloads what is in this one (AC-050…AC-113)', () => {
    const named = UNBOUNDED.map(([kind, path]) => `${kind} ${path}`)
    const free = Object.entries(PAYLOAD_TABLE).flatMap(([kind, rows]) =>
      rows
        .filter(([, { valid }]) => valid.some((value) => JSON.stringify(value).length > 50_000))
        .map(([path]) => `${kind} ${path}`),
    )

    const missing = free.filter((one) => !named.includes(one.replace('options[0]', 'options[1]')))
    expect(missing).toEqual(['intent_withdraw convergence_class', 'flush_executed convergence_class'])
  })
})

const MANY = 5_000
const refs = Array.from({ length: MANY }, (_, i) => `f${i}`)

describe('five thousand references', () => {
  test('are taken from a verb, as JSON and as a form, and handed on whole (ACQ-14, docs/http.md §8)', async () => {
    using stream = await shared.listen(await shared.register())
    const form = ['text=x', ...refs.map((ref) => `file_refs=${ref}`)].join('&')

    const asJson = await shared.post('/v1/verbs/agent_advise', { text: 'x', file_refs: refs })
    const asForm = await request(shared.socket, '/v1/verbs/agent_advise', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    })

    expect([asJson.status, asForm.status]).toEqual([200, 200])
    const frames = await stream.frames(2)
    expect(frames).toMatchObject([{ payload: { file_refs: refs } }, { payload: { file_refs: refs } }])
  })

  test('come out of an inbox whole as JSON, and cut as a digest (ACQ-14, R-39)', async () => {
    const { token } = await shared.register({ mailbox: true })
    await shared.post('/v1/verbs/agent_advise', { text: 'x', file_refs: refs })

    const peek = await shared.post('/v1/inbox/drain', { peek: true }, token)
    const text = await shared.post('/v1/inbox/drain', { format: 'text' }, token)

    expect(peek.body.items.at(-1).frame.payload.file_refs).toEqual(refs)
    expect(text.body.text).toContain('(cut; agentd history has it whole)')
    expect(Buffer.byteLength(text.body.text)).toBeLessThan(5_000)
  })
})
