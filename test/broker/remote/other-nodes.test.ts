import { expect, test } from 'vitest'
import { principalAlone } from '../../../src/broker/authority/authority.ts'
import {
  MAX_COUNT_KEY_LENGTH,
  MAX_REMEMBERED_COUNTS,
  OtherNodes,
} from '../../../src/broker/remote/other-nodes.ts'
import type { RetainedEnvelope, RetainedFrame } from '../../../src/broker/ring/retained.ts'
import { readScope } from '../../../src/protocol/address/scope.ts'
import { FilledRemote, remoteNode, remoteSession } from '../../support/other-nodes.ts'
import { ALICE, Workbench } from '../workbench.ts'

const SINCE = '2026-01-01T00:00:00.000Z'

/** The answer to a question under a grant, without a broker around it. */
function retainedFrame(): RetainedFrame {
  const bench = new Workbench()
  bench.publish()
  const retained = bench.ring.get(bench.ring.lastSeq)
  if (retained?.type !== 'frame') throw new Error('nothing was retained')
  return retained
}

/** What a count is asked for, without a broker around it. */
function retainedEnvelope(): RetainedEnvelope {
  const bench = new Workbench()
  bench.tell({ to: 'bus.ops' })
  const retained = bench.ring.get(bench.ring.lastSeq)
  if (retained?.type !== 'envelope') throw new Error('nothing was retained')
  return retained
}

test('without a link no reply speaks of other nodes (FED-01)', () => {
  const bench = new Workbench()
  bench.session('cc', 's1', { mailbox: true })

  const frame = bench.publish()
  const envelope = bench.tell()

  expect(Object.keys(frame)).toEqual(['frame_id', 'event_id', 'recipient_count', 'queued_count', 'ack'])
  expect(Object.keys(envelope)).not.toContain('remote')
})

test('a reply says beside its own counts which sessions a scope names on which nodes, and who is away (FED-50)', () => {
  const remote = new FilledRemote(
    remoteNode('devbox', ['~alice/cc-opus@s1', '~alice/codex@s2']),
    remoteNode('tower', ['~alice/codex@s3']),
    remoteNode('ci', ['~alice/cc-opus@s4'], { state: 'away', asOfMs: Date.UTC(2025, 0, 1) }),
    remoteNode('old', ['~alice/cc-opus@s5'], { state: 'left' }),
  )
  const bench = new Workbench({ remote })
  bench.open(bench.session('cc-opus', 's0'))

  expect(bench.publish()).toMatchObject({
    recipient_count: 1,
    queued_count: 0,
    remote: { sessions: 3, nodes: ['devbox', 'tower'], away: ['ci'], as_of: SINCE },
  })
  expect(bench.publish({ scope: '~alice/cc-*' })).toMatchObject({
    recipient_count: 1,
    remote: { sessions: 1, nodes: ['devbox'], away: ['ci'] },
  })
})

test('whoever does not say who is there is named where nobody is known to have it, and counted nowhere (FED-50, FED-53)', () => {
  const hidden = remoteNode('devbox', [], { isUntold: true })
  const alone = new Workbench({ remote: new FilledRemote(hidden) })
  const remote = new FilledRemote(hidden, remoteNode('tower', ['~alice/cc@s1']))
  const beside = new Workbench({ remote })
  const scope = '~alice/cc@s1'

  expect(alone.publish({ scope }).remote).toMatchObject({ sessions: 0, nodes: [], untold: ['devbox'] })
  expect(beside.publish({ scope }).remote).toMatchObject({ sessions: 1, nodes: ['tower'] })
  expect(beside.publish({ scope }).remote).not.toHaveProperty('untold')
  expect(beside.publish({ scope: '~alice/*' }).remote).toMatchObject({ sessions: 1, untold: ['devbox'] })
})

test('whether somebody of another principal still waits for an answer is said to be unknown, not to be nobody (FED-50, FED-58)', () => {
  const asker = { senderHandle: '~bob', senderAddress: undefined, origin: { realm: 'a.1', node: '~bob/box' } }
  const [scopeText, scope] = ['accord:~globex/grant:support', readScope('accord:~globex/grant:support')]
  if (scope === undefined) throw new Error('it is a scope')
  const countWith = (sessions: readonly string[]) => {
    const box = remoteNode('~bob/box', sessions, { realm: 'a.1', handle: '~bob' })
    const remote = new FilledRemote(box, remoteNode('~bob/tower', [], { realm: 'a.1', handle: '~bob' }))
    const others = new OtherNodes(remote, principalAlone(ALICE), { addresseeOf: () => asker })
    return others.countOf({ ...retainedFrame(), scope, scopeText })
  }

  expect(countWith([])).toMatchObject({ sessions: 0, nodes: [], away: [], untold: ['~bob/box'] })
  expect(countWith(['~bob/cc@b1'])).not.toHaveProperty('untold')
})

test('of one session that is somewhere, nobody who is away and never had it is named (FED-50)', () => {
  const remote = new FilledRemote(
    remoteNode('devbox', ['~alice/cc-opus@s1']),
    remoteNode('ci', ['~alice/codex@s2'], { state: 'away' }),
  )
  const bench = new Workbench({ remote })

  expect(bench.publish({ scope: '~alice/cc-opus@s1' }).remote).toMatchObject({ sessions: 1, away: [] })
  expect(bench.publish({ scope: '~alice/codex@s2' }).remote).toMatchObject({ sessions: 0, away: ['ci'] })
})

test('a count is of the nodes as they are told of last, and says since when (FED-50)', () => {
  const remote = new FilledRemote(remoteNode('devbox', ['~alice/cc-opus@s1']))
  const bench = new Workbench({ remote })
  bench.publish()

  remote.become(remoteNode('devbox', ['~alice/cc-opus@s1'], { state: 'away' }))
  expect(bench.publish().remote).toEqual({ sessions: 0, nodes: [], away: ['devbox'], as_of: SINCE })
  remote.become()
  expect(bench.publish().remote).toEqual({ sessions: 0, nodes: [], away: [], as_of: null })
})

test('what stays on this node says nothing of others (FED-24, FED-50)', () => {
  const remote = new FilledRemote(remoteNode('devbox', ['~alice/cc-opus@s1']))
  remote.stays = ({ kind }) => kind === 'agent_advisory'
  const bench = new Workbench({ remote })

  expect(bench.publish()).not.toHaveProperty('remote')
  expect(bench.publish({ kind: 'agent_handover' })).toHaveProperty('remote')
})

test('nobody near is offered where another node has whom a scope names (FED-50)', () => {
  const remote = new FilledRemote(remoteNode('devbox', ['~alice/cc-opus@s1']))
  const bench = new Workbench({ remote })
  bench.session('cc-opus', 's2', { mailbox: true })

  expect(bench.publish({ scope: '~alice/cc-opus@s1' })).not.toHaveProperty('near')
  remote.become()
  expect(bench.publish({ scope: '~alice/cc-opus@s1' })).toHaveProperty('near')
})

test('an entity on a roster of another node is known, counted, and offered when a name is near it (FED-50, FED-69)', () => {
  const reviewer = remoteSession('~alice/cc@s1', { entities: ['agent.reviewer'] })
  const remote = new FilledRemote(remoteNode('devbox', [reviewer]))
  const bench = new Workbench({ remote })
  const from = bench.session('codex', 's2', { entities: ['agent.asker'] })
  const ask = (to: string) => bench.tell({ from: 'agent.asker', to, type: 'task' }, from)

  const reply = ask('agent.reviewer')

  expect(reply.remote).toEqual({ sessions: 1, nodes: ['devbox'], away: [], as_of: SINCE })
  expect(reply.warnings.map(({ code }) => code)).not.toContain('recipient-unknown')
  expect(() => ask('agent.reviewr')).toThrow(/There is "agent\.reviewer"/)
})

test('a task that nobody hears now says whom it waits for (FED-50, FED-69)', () => {
  const reviewer = remoteSession('~alice/cc@s1', { entities: ['agent.reviewer'] })
  const remote = new FilledRemote(remoteNode('devbox', [reviewer]))
  const bench = new Workbench({ remote })
  const from = bench.session('codex', 's2', { entities: ['agent.asker'] })
  const to = { from: 'agent.asker', to: 'agent.reviewer', type: 'task' }
  bench.tell(to, from)

  remote.become(remoteNode('devbox', [reviewer], { state: 'away' }))

  expect(bench.tell(to, from).warnings).toMatchObject([
    { code: 'recipient-unknown', message: expect.stringMatching(/waits for devbox, which is away/) },
  ])
})

test('a count is worked out once until a roster changes, and no more of them are remembered than a bound', () => {
  const remote = new FilledRemote(remoteNode('devbox'))
  const others = new OtherNodes(remote, principalAlone(ALICE))
  const retained = retainedEnvelope()
  const count = (scopeText: string) => others.countOf({ ...retained, scopeText })

  count('agent.a')
  count('agent.a')
  expect(remote.asked).toBe(1)

  // One more than fits beside it, and the first is worked out anew.
  for (let i = 0; i < MAX_REMEMBERED_COUNTS; i += 1) count(`agent.n${i}`)
  const before = remote.asked
  count('agent.a')
  expect(remote.asked).toBe(before + 1)

  const long = 'x'.repeat(MAX_COUNT_KEY_LENGTH)
  count(long)
  count(long)
  expect(remote.asked).toBe(before + 3)
})

test('a scope of 64 nodes with 4 096 sessions each is counted by look-ups, and a heartbeat indexes nothing anew (FED-50)', () => {
  let reads = 0
  const rosters = Array.from({ length: 64 }, (_, n) => {
    const sessions = Array.from({ length: 4_096 }, (_unused, i) => remoteSession(`~alice/cc-${i}@n${n}`))
    return new Proxy(sessions, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
        return Reflect.get(target, key, receiver)
      },
    })
  })
  const nodes = (asOfMs: number) =>
    rosters.map((sessions, n) => ({ ...remoteNode(`n${n}`), sessions, asOfMs }))
  const remote = new FilledRemote(...nodes(Date.UTC(2026, 0, 1)))
  const bench = new Workbench({ remote })

  expect(bench.publish({ scope: `${ALICE}/cc-7*` }).remote?.sessions).toBe(64 * 111)
  expect(reads).toBe(64 * 4_096)
  remote.become(...nodes(Date.UTC(2026, 0, 2)))
  const again = bench.publish({ scope: `${ALICE}/cc-12*` }).remote

  expect(again).toMatchObject({ sessions: 64 * 111, as_of: '2026-01-02T00:00:00.000Z' })
  expect(reads).toBe(64 * 4_096)
})
