/**
 * The order of delivery, as the memo has it: validate, then who and where to, then expand, then emit (memo §7.1).
 */
import { expect, test } from 'vitest'
import { composeFrame } from '../../src/protocol/frame/compose.ts'
import { validFrame } from '../support/frames.ts'
import { openStream } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

test('a frame is validated before its sender is looked at, and the sender before the scope (AC-132, AC-133, AC-134)', async () => {
  const wrong = { sender_handle: '~mallory', recipient_handle: '~alice' }
  const faults = [
    [{ ...validFrame(undefined, wrong), ttl_ms: -1 }, 'org:acme/members/*', 'field-invalid'],
    [validFrame(undefined, wrong), 'org:acme/members/*', 'sender-identity-mismatch'],
    [validFrame(), 'nonsense', 'field-invalid'],
    [validFrame(), 'org:acme/members/*', 'scope-unimplemented'],
    [validFrame(), '~bob/*', 'scope-unauthorised'],
  ] as const

  for (const [frame, recipient_scope, code] of faults) {
    const { body } = await shared.post('/v1/frames', { recipient_scope, frame })
    expect(body.code).toBe(code)
  }
})

test('a scope is expanded against whoever is there when the frame comes, not before and not after (AC-115, AC-135)', async () => {
  const scope = '~alice/late*'
  const send = () => shared.post('/v1/frames', { recipient_scope: scope, frame: validFrame() })
  const before = await send()
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream?instrument=late')
  const during = await send()
  await stream.frames(1)
  stream.connection[Symbol.dispose]()
  await expect.poll(async () => (await send()).body.recipient_count).toBe(0)

  expect([before.body.recipient_count, during.body.recipient_count]).toEqual([0, 1])
})

test('a handle has one stream path, read-only: frames go in by another way (AC-130, AC-131)', async () => {
  const { status, headers } = await shared.post('/v1/handles/~alice/stream', { frame: validFrame() })

  expect(status).toBe(405)
  expect(headers.allow).toBe('GET')
})

test('ttl_ms keeps nothing and drops nothing at the daemon: it is for the recipient (AC-019, AC-146, AC-147)', async () => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream?instrument=ttl')
  const frame = validFrame(undefined, { ttl_ms: 0 })

  await shared.post('/v1/frames', { recipient_scope: '~alice/ttl*', frame })
  const [emitted] = await stream.frames(1)
  const { body } = await shared.get('/v1/frames?limit=1000')

  expect(emitted).toEqual(frame)
  expect(body.items.map((item: { frame: { frame_id: string } }) => item.frame.frame_id)).toContain(
    frame.frame_id,
  )
})

test('counts are exact for the own handle, and no other is told about (AC-187, AC-188, ACQ-24)', async () => {
  using _first = await openStream(shared.socket, '/v1/handles/~alice/stream?instrument=count')
  using _second = await openStream(shared.socket, '/v1/handles/~alice/stream?instrument=count')

  const { body } = await shared.post('/v1/frames', { recipient_scope: '~alice/count*', frame: validFrame() })
  const roster = await shared.get('/v1/handles/~bob/roster')

  expect(body.recipient_count).toBe(2)
  expect(roster).toMatchObject({ status: 403, body: { code: 'scope-unauthorised' } })
})

test('many declared intents without a flush are no reason to refuse: rates are, for any kind alike (AC-182, AC-179)', async () => {
  for (let i = 0; i < 50; i += 1) {
    const { status } = await shared.post('/v1/frames', { frame: validFrame('intent_declare') })
    expect(status).toBe(200)
  }
})

test('a composed frame claims no more than its author said: general tags, the own sessions (AC-185, AC-189, AC-190, AC-191)', async () => {
  const author = { senderHandle: '~alice', actedBy: '~alice', draftedWith: '~cc-opus', tool: 'cc' }
  const frame = composeFrame({ kind: 'agent_advisory', payload: {}, recipientHandle: '~alice' }, author, 0)
  const { body } = await shared.post('/v1/verbs/agent_diagnose', { symptom: 'slow', severity: 'info' })

  expect(frame).toMatchObject({ provenance_method: ['session-context'], provenance_basis: 'agentd' })
  expect(body.frame).toMatchObject({ sender_handle: '~alice', recipient_handle: '~alice' })
  expect(body.frame.payload.symptom).toBe('slow')
})
