/**
 * What agentd decides about envelopes, told as AOCL tells it, by the real daemon; and AOCL's own traces, which pass.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readKey } from '../../../src/aee/keys/key.ts'
import { createKey } from '../../../src/aee/keys/new-key.ts'
import { signEnvelope } from '../../../src/aee/keys/signature.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { sendEnvelope, validEnvelope, type AnyEnvelope } from '../../support/envelopes.ts'
import { post, request } from '../../support/http.ts'

/** The workflow as it is retained. */
async function threadOf(daemon: TestDaemon, corr: string): Promise<readonly AnyEnvelope[]> {
  const { body } = await request(daemon.socket, `/v1/threads/${encodeURIComponent(corr)}`)
  return body.items.map(({ envelope }: { envelope: AnyEnvelope }) => envelope)
}

/** Of each layer that spoke: its name, its code, and whether the envelope was halted there. */
async function decisionsOn(daemon: TestDaemon, envelope: AnyEnvelope): Promise<readonly unknown[]> {
  const { status } = await sendEnvelope(daemon.socket, envelope)
  const found = (await threadOf(daemon, envelope.corr)).filter(
    ({ intent }) => intent === 'aocl.layer.decision',
  )
  for (const event of found) {
    expect(event).toMatchObject({
      type: 'event',
      from: 'service.agentd',
      to: 'log.aocl',
      reply_to: envelope.id,
    })
  }
  return [status, ...found.map(({ payload }) => toShort(payload))]
}

// A wrong guess at a payload is a failing test.
// oxlint-disable-next-line typescript/no-explicit-any
function toShort({ layer, decisions, control }: any): string {
  return `${layer.id} ${decisions[0].code}${control.halt_pipeline ? ' halted' : ''}`
}

function ping(payload: object): AnyEnvelope {
  return validEnvelope({ intent: 'aee.status.ping', to: 'service.agentd', payload })
}

function high(): AnyEnvelope {
  return validEnvelope({ priority: 'high' })
}

describe('opt-in: what is decided anyway is told in the same workflow (AEE-C11, AEE-C12)', () => {
  test('unless it was asked for, nothing is', async () => {
    await using daemon = await startTestDaemon()

    expect(await decisionsOn(daemon, validEnvelope())).toEqual([200])
  })

  test('a signature that holds, one that is not there, and one that was changed', async () => {
    await using daemon = await startTestDaemon({ config: { aee: { aocl: true } } })
    const { text } = createKey({ alg: 'ed25519', entities: ['agent.*'], nowMs: Date.now() })
    const key = readKey(text)
    const folder = daemon.dir.file('state', 'keys')
    mkdirSync(folder, { mode: 0o700, recursive: true })
    writeFileSync(daemon.dir.file('state', 'keys', `${key.kid}.json`), text, { mode: 0o600 })
    const plain = validEnvelope()
    const signed = { ...plain, sig: signEnvelope(JSON.parse(JSON.stringify(plain)), key, { form: 'object' }) }

    expect(await decisionsOn(daemon, validEnvelope())).toEqual([200, 'agentd.signature SIGNATURE_ABSENT'])
    expect(await decisionsOn(daemon, signed)).toEqual([200, 'agentd.signature SIGNATURE_VERIFIED'])
    const other = { ...signed, id: validEnvelope().id, corr: validEnvelope().corr }
    expect(await decisionsOn(daemon, other)).toEqual([403, 'agentd.signature SIGNATURE_INVALID halted'])
  })

  test('a payload under a policy, a priority that is used up, and a task that waits for a person', async () => {
    await using daemon = await startTestDaemon({
      config: {
        aee: { aocl: true, signatures: 'relay', payloads: { 'aee.status.ping': 'enforce' } },
        limits: { priority_burst: 1 },
      },
    })

    expect(await decisionsOn(daemon, ping({}))).toEqual([200, 'agentd.payload PAYLOAD_ADMITTED'])
    expect(await decisionsOn(daemon, ping({ unknown: 1 }))).toEqual([
      422,
      'agentd.payload PAYLOAD_INVALID halted',
    ])
    expect(await decisionsOn(daemon, high())).toEqual([200])
    expect(await decisionsOn(daemon, high())).toEqual([200, 'agentd.priority PRIORITY_CAPPED'])
    expect(await decisionsOn(daemon, validEnvelope({ requires: { human_approval: true } }))).toEqual([
      200,
      'agentd.approval APPROVAL_REQUIRED halted',
    ])
  })

  test('nothing of what an envelope says stands in a decision, and none is taken about a decision', async () => {
    await using daemon = await startTestDaemon({
      config: { aee: { aocl: true, payloads: { 'aee.status.ping': 'enforce' } } },
    })
    const hush = validEnvelope({ intent: 'aee.status.ping', payload: { hush: 'hush' } })
    await decisionsOn(daemon, hush)

    expect(JSON.stringify(await threadOf(daemon, hush.corr))).not.toContain('hush')
    expect(
      await decisionsOn(
        daemon,
        validEnvelope({ type: 'event', intent: 'aocl.stack.select', to: 'log.aocl' }),
      ),
    ).toEqual([200])
  })
})

test('a whole trace of an orchestrator passes: root-linked events to a log, delegation, the answer to a person (AEE-C11, AEE-C12)', async () => {
  await using daemon = await startTestDaemon()
  const open = async (facts: object): Promise<string> =>
    (await post(daemon.socket, '/v1/sessions', facts)).body.token
  const person = await open({ instrument: 'cli', tool: 'human', entities: ['human.alice'], mailbox: true })
  const orchestrator = await open({ instrument: 'cc-opus', entities: ['agent.orchestrator'], mailbox: true })
  const worker = await open({ instrument: 'codex', entities: ['agent.worker'], mailbox: true })
  const corr = 'one-work-item'
  const root = validEnvelope({
    corr,
    from: 'human.alice',
    to: 'agent.orchestrator',
    requires: { timeout_ms: 60_000, evidence: true },
  })
  const event = (intent: string, payload: object): readonly [string, AnyEnvelope] => [
    orchestrator,
    validEnvelope({
      corr,
      type: 'event',
      from: 'agent.orchestrator',
      to: 'log.aocl',
      intent,
      reply_to: root.id,
      payload,
    }),
  ]
  const task = validEnvelope({ corr, from: 'agent.orchestrator', to: 'agent.worker', reply_to: root.id })
  const answer = { type: 'result', corr, intent: 'ops.backup.check' }
  const sent: readonly (readonly [string, AnyEnvelope])[] = [
    [person, root],
    event('aocl.stack.select', { run_id: 'r1', stack_id: 'default' }),
    event('aocl.layer.enter', { layer: { id: 'L0', version: '0.1' } }),
    event('aocl.layer.decision', {
      layer: { id: 'L3', version: '0.1' },
      decisions: [{ code: 'POLICY_ALLOW', reason: 'read only' }],
    }),
    event('aocl.context.patch', { delta: { 'C5.mode': 'restricted' }, refs: ['inv://clusters/one'] }),
    event('aocl.control.branch', { from: 'L3', to: 'L6', reason: 'nothing cached' }),
    event('aocl.control.bypass', {
      requested_by: 'human.alice',
      layers: ['L5'],
      allowed: false,
      reason: 'policy',
    }),
    [orchestrator, task],
    [worker, validEnvelope({ ...answer, from: 'agent.worker', to: 'agent.orchestrator', reply_to: task.id })],
    event('aocl.verify.result', { verification: { status: 'pass', confidence: 0.96 } }),
    [
      orchestrator,
      validEnvelope({ ...answer, from: 'agent.orchestrator', to: 'human.alice', reply_to: root.id }),
    ],
    event('aocl.run.summary', { layers_bypassed: [], branch_taken: null, timing_ms_total: 6_000 }),
  ]

  for (const [token, envelope] of sent) {
    const { status, body } = await sendEnvelope(daemon.socket, envelope, token)
    expect({ intent: envelope['intent'], status, body }).toMatchObject({ status: 200 })
  }

  expect((await threadOf(daemon, corr)).map(({ id }) => id)).toEqual(sent.map(([, { id }]) => id))
})
