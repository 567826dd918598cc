/**
 * Whom an envelope is shown to: who sent it, received it, or is part of its workflow; for anybody else there is none
 * (AEQ-23, AEE-062, AEE-063).
 */
import { describe, expect, test } from 'vitest'
import type { Session } from '../../../src/broker/session/session.ts'
import { Workbench } from '../workbench.ts'

const SERVICE = 'service.agentd'
const SECRET = { id: 'secret-01', corr: 'corr-secret', from: 'agent.a', to: 'agent.b' }

/** A bench on which agent.a has written to agent.b; carol and a listener of bus.ops are there too. */
function withSecret() {
  const bench = new Workbench()
  const sessions = {
    a: bench.session('cc', 'a', { entities: ['agent.a'] }),
    b: bench.session('cc', 'b', { entities: ['agent.b'] }),
    carol: bench.session('cc', 'carol', { entities: ['agent.carol'] }),
    ops: bench.session('cc', 'ops', { entities: ['agent.ops', 'bus.ops'], mailbox: true }),
  }
  const sinks = new Map<Session, ReturnType<Workbench['open']>['sink']>()
  for (const session of [sessions.a, sessions.b, sessions.carol]) sinks.set(session, bench.open(session).sink)
  const readLast = (session: Session): string =>
    sinks.get(session)?.envelopes.at(-1) ?? bench.drainEnvelopes(session, { max_items: 100 }).at(-1) ?? ''
  /** What `service.agentd` says to a task of an entity. */
  const ask = async (session: Session, intent: string, payload: object, more: object = {}) => {
    const [from] = session.entities
    const task = bench.envelope({ from, to: SERVICE, intent, payload, ...more })
    bench.publishEnvelope(task, session)
    await bench.serve()
    const answer = JSON.parse(readLast(session))
    expect(answer).toMatchObject({ from: SERVICE, reply_to: task.id })
    return { task, payload: answer.payload }
  }
  const sees = async (session: Session, more: object = {}, payload: object = {}) =>
    (await ask(session, 'aee.context.fetch', { id: SECRET.id, ...payload }, more)).payload.found
  bench.tell(SECRET, sessions.a)
  return { bench, sessions, ask, sees }
}

describe('aee.context.fetch (AEQ-23)', () => {
  test('the sender and the recipient see it, and whoever has no part in it does not', async () => {
    const { sessions, sees } = withSecret()

    expect([await sees(sessions.a), await sees(sessions.b), await sees(sessions.carol)]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('what is not for one and what never was are told in the same words', async () => {
    const { sessions, ask } = withSecret()
    const hidden = await ask(sessions.carol, 'aee.context.fetch', { id: SECRET.id, hash: 'sha256:00' })
    const absent = await ask(sessions.carol, 'aee.context.fetch', { id: 'never-was', hash: 'sha256:00' })

    expect(hidden.payload).toEqual({ found: false })
    expect(absent.payload).toEqual(hidden.payload)
  })

  test('who received it by a channel sees it, and who listens to the channel only since does not', async () => {
    const { bench, sessions, ask } = withSecret()
    bench.tell({ id: 'event-001', type: 'event', from: 'agent.a', to: 'bus.ops' }, sessions.a)
    const late = bench.session('cc', 'late', { entities: ['agent.late', 'bus.ops'], mailbox: true })
    const payload = { id: 'event-001' }

    expect((await ask(sessions.ops, 'aee.context.fetch', payload)).payload.found).toBe(true)
    expect((await ask(late, 'aee.context.fetch', payload)).payload.found).toBe(false)
    expect((await ask(sessions.carol, 'aee.context.fetch', payload)).payload.found).toBe(false)
  })

  test('who is part of its workflow sees it, whether by sending or by being written to', async () => {
    const { bench, sessions, sees } = withSecret()
    bench.tell({ corr: SECRET.corr, from: 'agent.b', to: 'agent.carol', type: 'event' }, sessions.b)

    expect(await sees(sessions.carol)).toBe(true)
    bench.tell({ corr: SECRET.corr, from: 'agent.ops', to: 'bus.other', type: 'event' }, sessions.ops)
    expect(await sees(sessions.ops)).toBe(true)
  })

  test('asking within its workflow makes nobody a part of it, however often, and neither do the answers', async () => {
    const { sessions, sees } = withSecret()
    const within = { corr: SECRET.corr }

    expect(await sees(sessions.carol, within)).toBe(false)
    expect(await sees(sessions.carol, within)).toBe(false)
    expect(await sees(sessions.carol, {}, within)).toBe(false)
  })

  test('nor does any other task to the daemon within its workflow', async () => {
    const { bench, sessions, ask, sees } = withSecret()
    await ask(sessions.carol, 'aee.status.ping', {}, { corr: SECRET.corr })
    await ask(sessions.carol, 'ops.no.such', {}, { corr: SECRET.corr })
    bench.tell({ type: 'event', from: 'agent.carol', to: SERVICE, corr: SECRET.corr }, sessions.carol)

    expect(await sees(sessions.carol)).toBe(false)
  })

  test('a corr that is asked for has to be its own', async () => {
    const { sessions, sees } = withSecret()

    expect(await sees(sessions.a, {}, { corr: SECRET.corr })).toBe(true)
    expect(await sees(sessions.a, {}, { corr: 'corr-other' })).toBe(false)
  })

  test('an envelope of another name in the same session is seen by it: it has received it', async () => {
    const { bench, ask } = withSecret()
    const both = bench.session('cc', 'both', { entities: ['agent.one', 'agent.two'], mailbox: true })
    bench.tell({ id: 'to-two-01', to: 'agent.two' })

    expect((await ask(both, 'aee.context.fetch', { id: 'to-two-01' })).payload.found).toBe(true)
  })

  test('a frame is no envelope: its id finds nothing', async () => {
    const { bench, sessions, ask } = withSecret()
    const { frame_id: id } = bench.publish({ from: sessions.a })

    expect((await ask(sessions.a, 'aee.context.fetch', { id })).payload.found).toBe(false)
  })

  test('what was forgotten is found by nobody', async () => {
    const { bench, sessions, sees } = withSecret()
    await bench.forget({ key: `aee:${SECRET.id}` })

    expect(await sees(sessions.a)).toBe(false)
  })
})

describe('aee.context.refute (AEE-063)', () => {
  const refutation = { id: SECRET.id, reason: 'the window was another' }

  test('who may see an envelope refutes it on record, once per task, in the order they came', async () => {
    const { bench, sessions, ask } = withSecret()
    const first = await ask(sessions.b, 'aee.context.refute', refutation)
    const second = await ask(sessions.a, 'aee.context.refute', { ...refutation, reason: 'my mistake' })

    expect([first, second].map(({ payload }) => payload)).toEqual([
      { acknowledged: true },
      { acknowledged: true },
    ])
    const refutations = bench.ring.refutationsOf(SECRET.id)
    expect(refutations.map(({ envelope }) => [envelope?.id, envelope?.from, envelope?.refutes])).toEqual([
      [first.task.id, 'agent.b', SECRET.id],
      [second.task.id, 'agent.a', SECRET.id],
    ])
    expect(JSON.parse(refutations[0]?.text ?? '').payload.reason).toBe(refutation.reason)
  })

  test('who may not see it puts nothing on record, and is told as of one that never was', async () => {
    const { bench, sessions, ask } = withSecret()
    const hidden = await ask(sessions.carol, 'aee.context.refute', refutation)
    const again = await ask(sessions.carol, 'aee.context.refute', refutation, { corr: SECRET.corr })
    const absent = await ask(sessions.carol, 'aee.context.refute', { ...refutation, id: 'never-was' })

    expect([hidden, again, absent].map(({ payload }) => payload)).toEqual([
      { acknowledged: false },
      { acknowledged: false },
      { acknowledged: false },
    ])
    expect(['never-was', SECRET.id].flatMap((id) => bench.ring.refutationsOf(id))).toEqual([])
  })

  test.each([
    ['to somebody else', { to: 'agent.b' }],
    ['as an event', { type: 'event' }],
    ['of another intent', { intent: 'ops.context.refute' }],
    ['without a reason', { payload: { id: SECRET.id } }],
    ['with an id that is none', { payload: { ...refutation, id: [SECRET.id] } }],
  ])('a refutation %s refutes nothing', async (_says, change) => {
    const { bench, sessions } = withSecret()
    const task = { from: 'agent.a', to: SERVICE, intent: 'aee.context.refute', payload: refutation }
    bench.tell({ ...task, ...change }, sessions.a)
    await bench.serve()

    expect(bench.ring.refutationsOf(SECRET.id)).toEqual([])
  })

  test('a refuted envelope is not changed, and is still fetched: the ledger keeps both', async () => {
    const { bench, sessions, ask, sees } = withSecret()
    const before = bench.ring.find(`aee:${SECRET.id}`)?.text
    await ask(sessions.b, 'aee.context.refute', refutation)

    expect(bench.ring.find(`aee:${SECRET.id}`)?.text).toBe(before)
    expect(await sees(sessions.a)).toBe(true)
  })

  test('an envelope and its refutation in one turn: what was accepted first can be refuted', async () => {
    const { bench, sessions } = withSecret()
    bench.submitEnvelope(bench.envelope({ id: 'pipelined-01', from: 'agent.a' }), { from: sessions.a })
    const payload = { id: 'pipelined-01', reason: 'too early' }
    const task = { from: 'agent.a', to: SERVICE, intent: 'aee.context.refute', payload }
    bench.submitEnvelope(bench.envelope(task), { from: sessions.a })
    bench.turn()
    await bench.serve()

    expect(bench.ring.refutationsOf('pipelined-01')).toHaveLength(1)
  })
})
