/**
 * Tasks and their answers: what is late, and what fits its task (AEE-024, AEE-026, AEE-028; AEQ-04, AEQ-05, AEQ-26).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { newEpoch } from '../../../src/core/ids.ts'
import { MemoryRing } from '../../../src/broker/ring/memory/memory-ring.ts'
import { MAX_REMEMBERED_TASKS, Workflows } from '../../../src/broker/envelopes/workflows.ts'
import type { EnvelopeFacts, RetainedEnvelope } from '../../../src/broker/ring/retained.ts'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { ROOMY, retainedEnvelope } from '../../support/rings.ts'
import { Workbench } from '../workbench.ts'

const TASK = { id: 'task-0001', corr: 'corr-0001', from: 'agent.a', to: 'bus.ops' }
const ANSWER = { type: 'result', corr: 'corr-0001', from: 'agent.b', to: 'bus.ops', reply_to: 'task-0001' }

function withTask(): Workbench {
  const bench = new Workbench()
  bench.tell(TASK)
  return bench
}

test.each(['result', 'error'])(
  'the first %s of a task ends it, and what comes after is delivered as late (AEQ-26)',
  (type) => {
    const bench = withTask()
    const { sink } = bench.open(bench.session('cc', 's1', { entities: ['bus.ops'] }))
    const before = bench.tell({ ...ANSWER, type: 'stream' })
    const first = bench.tell({ ...ANSWER, type, payload: { code: 'E_BUSY', message: 'x', retryable: true } })
    const after = bench.tell({ ...ANSWER, type: 'stream' })
    const second = bench.tell({ ...ANSWER })

    expect([before, first, after, second].map(({ late }) => late)).toEqual([undefined, undefined, true, true])
    expect([before, first, after].map(({ warnings }) => warnings)).toEqual([[], [], []])
    expect(second.warnings).toMatchObject([{ code: 'field-invalid', field: 'reply_to' }])
    expect(sink.events.map(({ comment }) => comment)).toEqual([
      undefined,
      undefined,
      'late=true',
      'late=true',
    ])
    expect(bench.broker.counters.envelopesLate).toBe(2)
  },
)

test('task, result and second result in one turn are judged like those of three turns (AEQ-26)', () => {
  const bench = new Workbench()
  const replies: unknown[] = []
  for (const changes of [TASK, ANSWER, ANSWER]) {
    bench.submitEnvelope(bench.envelope(changes), {
      respond: (reply) => replies.push(Reflect.get(reply, 'late')),
    })
  }
  bench.turn()

  expect(replies).toEqual([undefined, undefined, true])
})

test.each([
  ['an event', { type: 'event' }],
  ['a task that was delegated', { type: 'task', id: 'task-0002' }],
])(
  '%s that points to a task that has ended is not late: lineage is no answer (AEQ-03, AEE-C11)',
  (_says, change) => {
    const bench = withTask()
    bench.tell(ANSWER)

    const reply = bench.tell({ ...ANSWER, ...change })

    expect(reply).not.toHaveProperty('late')
    expect(reply.warnings.map(({ field }) => field)).not.toContain('reply_to')
  },
)

test('a delegated task ends for itself, not for the one it came from (AEE-C11)', () => {
  const bench = withTask()
  bench.tell({ ...TASK, id: 'task-0002', from: 'agent.b', reply_to: 'task-0001' })
  bench.tell({ ...ANSWER, reply_to: 'task-0002' })

  expect(bench.tell(ANSWER)).not.toHaveProperty('late')
})

test('an envelope that answers itself, or one that came later, is nobody’s answer', () => {
  const bench = new Workbench()

  expect(bench.tell({ ...ANSWER, id: 'result-01', reply_to: 'result-01' })).toMatchObject({ warnings: [] })
  expect(bench.tell(ANSWER)).toMatchObject({ warnings: [] })
  // Its answer is there already; the task itself is new all the same.
  expect(bench.tell(TASK)).toMatchObject({ warnings: [{ field: 'to' }] })
})

/** The way an answer goes back. */
const BACK = { from: 'agent.b', to: 'agent.a' }

function ofTask(change: Partial<EnvelopeFacts>): RetainedEnvelope {
  return retainedEnvelope({ id: 'task-0001', corr: 'corr-0001', ...change })
}

test('that a task has ended is read from the ring when it is no longer remembered', () => {
  const ring = new MemoryRing(newEpoch(), ROOMY)
  ring.append([ofTask({}), ofTask({ ...BACK, id: 'result-01', type: 'result', replyTo: 'task-0001' })])
  ring.append([
    ofTask({ id: 'task-0002' }),
    ofTask({ id: 'stream-01', type: 'stream', replyTo: 'task-0002' }),
  ])
  const workflows = new Workflows(ring)

  expect(['task-0001', 'task-0002'].map((id) => workflows.judge(answerTo(id)).isLate)).toEqual([true, false])
})

test('an answer in another workflow ends its task for whoever reads the ring, too (AEQ-05, AEQ-26)', () => {
  const ring = new MemoryRing(newEpoch(), ROOMY)
  const task = retainedEnvelope({ id: 'task-0001', corr: 'corr-0001' })
  const result = retainedEnvelope({
    ...BACK,
    id: 'result-01',
    type: 'result',
    replyTo: 'task-0001',
    corr: 'corr-other',
  })
  const remembering = new Workflows(ring)
  for (const one of [task, result]) {
    ring.append([one])
    remembering.accepted(one.envelope)
  }

  // The daemon that took both, and one that was started since, say the same.
  expect([remembering, new Workflows(ring)].map((one) => one.judge(answerTo('task-0001')).isLate)).toEqual([
    true,
    true,
  ])
})

test('what somebody else says under the id of a task is delivered with a word, and ends nothing (AEQ-04, AEE-092)', () => {
  const ring = new MemoryRing(newEpoch(), ROOMY)
  const workflows = new Workflows(ring)
  for (const one of [
    ofTask({}),
    ofTask({ from: 'agent.evil', to: 'agent.a', id: 'forged-1', type: 'result', replyTo: 'task-0001' }),
    ofTask({ from: 'agent.evil', to: 'agent.b', id: 'forged-2', type: 'error', replyTo: 'task-0001' }),
  ]) {
    ring.append([one])
    workflows.accepted(one.envelope)
  }

  const forged = workflows.judge({ ...answerTo('task-0001'), from: 'agent.evil' })
  expect(forged).toMatchObject({ isLate: false, advice: [{ field: 'reply_to', isStrict: true }] })
  expect(workflows.judge(answerTo('task-0001'))).toEqual({ isLate: false, advice: [] })
  expect(new Workflows(ring).judge(answerTo('task-0001'))).toEqual({ isLate: false, advice: [] })
})

test('tasks are remembered up to a bound, and judged rightly beyond it', () => {
  const ring = new MemoryRing(newEpoch(), ROOMY)
  const workflows = new Workflows(ring)
  const task = retainedEnvelope({ id: 'task-0001', corr: 'corr-0001' })
  const result = retainedEnvelope({
    ...BACK,
    id: 'result-01',
    corr: 'corr-0001',
    type: 'result',
    replyTo: 'task-0001',
  })
  for (const one of [task, result]) {
    ring.append([one])
    workflows.accepted(one.envelope)
  }
  const { envelope: template } = task
  if (template === undefined) throw new Error('a task is an envelope')

  for (let i = 0; i < MAX_REMEMBERED_TASKS; i += 1) workflows.accepted({ ...template, id: `other-${i}` })

  expect(workflows.judge(answerTo('task-0001')).isLate).toBe(true)
  // One of the others is in no ring: what was pushed out is not known any more.
  workflows.accepted({ ...template, id: 'other-last' })
  expect(workflows.judge({ ...answerTo('other-0'), corr: 'corr-other' }).advice).toEqual([])
})

test('whatever is accepted, refused and asked again, late is what follows an accepted end (AEQ-26)', () => {
  const step = fc.record({
    type: fc.constantFrom('result' as const, 'error' as const, 'stream' as const),
    task: fc.constantFrom('task-0001', 'task-0002', 'task-0003'),
    isRefused: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const ring = new MemoryRing(newEpoch(), ROOMY)
      const workflows = new Workflows(ring)
      for (const id of ['task-0001', 'task-0002', 'task-0003']) {
        const task = retainedEnvelope({ id, corr: 'corr-0001' })
        workflows.accepted(task.envelope)
        ring.append([task])
      }
      const ended = new Set<string>()
      steps.forEach(({ type, task, isRefused }, i) => {
        const { isLate } = workflows.judge({ ...answerTo(task), type })
        expect(isLate).toBe(ended.has(task))
        const one = retainedEnvelope({
          ...BACK,
          id: `answer-${i}`,
          corr: 'corr-0001',
          type,
          replyTo: task,
        })
        workflows.accepted(one.envelope)
        if (isRefused) return workflows.refused(one.envelope)
        ring.append([one])
        if (type !== 'stream') ended.add(task)
      })
    }),
    { numRuns: 200 },
  )
})

function answerTo(id: string): Envelope {
  return {
    v: '1',
    id: 'answer-01',
    ts: '2026-11-20T12:00:00Z',
    type: 'result',
    from: 'agent.b',
    to: 'agent.a',
    intent: 'ops.backup.check',
    corr: 'corr-0001',
    reply_to: id,
    priority: 'normal',
    payload: {},
  }
}
