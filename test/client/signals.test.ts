/**
 * Every call of the library ends with the reason of its signal (LB-01).
 */
import { expect, test } from 'vitest'
import type { AgentdClient } from '../../src/client/client.ts'
import { connect } from '../../src/client/connect.ts'
import type { EnvelopeDraft } from '../../src/client/envelopes/outgoing-envelope.ts'
import type { CallOptions } from '../../src/client/http/call-options.ts'
import type { Lease } from '../../src/client/lease.ts'
import type { AgentdSession } from '../../src/client/session.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'

/** What is there to be called. */
interface Parts {
  readonly client: AgentdClient
  readonly session: AgentdSession
  readonly lease: Lease
}

const ENVELOPE: EnvelopeDraft = {
  type: 'event',
  from: 'agent.a',
  to: 'agent.b',
  intent: 'a.b.c',
  payload: {},
}

/** Class and method → how it is called with a signal. */
const CALLS: Readonly<Record<string, (parts: Parts, options: Required<CallOptions>) => unknown>> = {
  'AgentdClient.session': ({ client }, options) => client.session({ instrument: 'cc', ...options }),
  'AgentdClient.attach': ({ client, session }, options) => client.attach(session.token, options),
  'AgentdClient.stream': ({ client }, options) => client.stream(options).next(),
  'AgentdClient.forget': ({ client }, options) => client.forget({ corr: 'c', ...options }),
  'AgentdClient.countForgettable': ({ client }, options) =>
    client.countForgettable({ corr: 'c', ...options }),
  'AgentdClient.needs': ({ client }, options) => client.needs(options),
  'AgentdClient.summary': ({ client }, options) => client.summary(options),
  'AgentdClient.stop': ({ client }, options) => client.stop(options),
  'AgentdClient.endSession': ({ client }, options) => client.endSession('~alice/cc@none', options),
  'AgentdClient.close': ({ client }, options) => client.close(options),
  'AgentdSession.stream': ({ session }, options) => session.stream(options).next(),
  'AgentdSession.seen': ({ session }, options) => session.seen({ eventIds: [], ...options }),
  'AgentdSession.setActivity': ({ session }, options) => session.setActivity({ state: 'idle', ...options }),
  'AgentdSession.close': ({ session }, options) => session.close(options),
  'AgentdSession.detach': ({ session }, options) => session.detach(options),
  'Participant.takeOver': ({ session }, options) => session.takeOver(options),
  'Participant.ask': ({ session }, options) => session.ask('who?', options),
  'Participant.roster': ({ session }, options) => session.roster(undefined, options),
  'Participant.rosterPage': ({ session }, options) => session.rosterPage(options),
  'Participant.leases': ({ session }, options) => session.leases(options),
  'Participant.history': ({ session }, options) => session.history(options),
  'Participant.receipts': ({ session }, options) => session.receipts('x', options),
  'Participant.watch': ({ session }, options) => session.watch(options).next(),
  'Participant.health': ({ session }, options) => session.health(options),
  'Speaker.send': ({ session }, options) =>
    session.send({ kind: 'agent_advisory', payload: { advisory_text: 'x' }, ...options }),
  'Speaker.submit': ({ session }, options) => session.submit(validFrame(), undefined, options),
  'Speaker.advise': ({ session }, options) => session.advise('x', options),
  'Speaker.broadcast': ({ session }, options) => session.broadcast('x', options),
  'Speaker.handover': ({ session }, options) => session.handover('x', options),
  'Speaker.lock': ({ session }, options) => session.lock('x', options),
  'Speaker.unlock': ({ session, lease }, options) => session.unlock(lease.leaseId, options),
  'Speaker.extendLease': ({ session, lease }, options) => session.extendLease(lease.leaseId, 1, options),
  'Speaker.respond': ({ session }, options) => session.respond({ queryId: 'x' }, 'y', options),
  'Speaker.verb': ({ session }, options) => session.verb('agent_advise', { text: 'x' }, options),
  'Speaker.scopeOf': ({ session }, options) => session.scopeOf('otter', options),
  'Correspondent.sendEnvelope': ({ session }, options) => session.sendEnvelope(ENVELOPE, options),
  'Correspondent.submitEnvelope': ({ session }, options) => session.submitEnvelope('{}', options),
  'Correspondent.request': ({ session }, options) => session.request(ENVELOPE, options).terminal,
  'Correspondent.envelope': ({ session }, { signal }) => session.envelope('x', signal),
  'Correspondent.thread': ({ session }, { signal }) => session.thread('x', signal),
  'Correspondent.threads': ({ session }, options) => session.threads(options),
  'Correspondent.envelopeReceipts': ({ session }, options) => session.envelopeReceipts('x', options),
  'Correspondent.resolve': ({ session }, { signal }) => session.resolve('store://envelopes/x', signal),
  'Correspondent.log': ({ session }, { signal }) =>
    session.log({ v: '1', id: 'x', type: 'event', from: 'agent.a', intent: 'log.x' }, signal),
  'Inbox.drain': ({ session }, options) => session.inbox.drain(options),
  'Inbox.wait': ({ session }, options) => session.inbox.wait(1_000, options),
  'Lease.release': ({ lease }, options) => lease.release(options),
  'Lease.extend': ({ lease }, options) => lease.extend(1, options),
}

/** What is no call: tasks are served until the service is closed, and the others are for heirs alone. */
const NO_CALLS = new Set([
  'AgentdSession.serve',
  'AgentdClient.openReplies',
  'AgentdSession.openReplies',
  'Participant.openStream',
  'Participant.release',
  'Speaker.release',
  'Correspondent.release',
])

function methodsOf(one: object): string[] {
  const found: string[] = []
  for (
    let at = Reflect.getPrototypeOf(one);
    at !== null && at !== Object.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor') found.push(`${at.constructor.name}.${name}`)
  }
  return found
}

test('every method that asks the daemon takes a signal, and ends with its reason (LB-01)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await using session = await client.session({ instrument: 'cc', mailbox: true })
  const lease = await session.lock('src/a.ts')
  const parts = { client, session, lease }
  const methods = new Set([client, session, session.inbox, lease].flatMap(methodsOf))
  const reason = new Error('given up')
  const signal = AbortSignal.abort(reason)

  expect([...methods].filter((name) => !NO_CALLS.has(name)).toSorted()).toEqual(Object.keys(CALLS).toSorted())
  for (const [name, call] of Object.entries(CALLS)) {
    const ended = await Promise.resolve()
      .then(() => call(parts, { signal }))
      .then(
        () => 'done',
        (thrown: unknown) => thrown,
      )
    expect(ended, name).toBe(reason)
  }
})

test('a call that is under way ends with the reason of its signal (LB-01)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await using session = await client.session({ instrument: 'cc', mailbox: true })
  const controller = new AbortController()
  const waiting = session.inbox.wait(60_000, { signal: controller.signal })
  const reason = new Error('given up')

  controller.abort(reason)

  await expect(waiting).rejects.toBe(reason)
})
