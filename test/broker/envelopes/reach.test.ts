/** Whom an envelope may be for, and what its sender is told where that is nobody (docs/http.md §9; AEE-024, AEE-027). */
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

const NOBODY = { recipient_count: 0, queued_count: 0 }

const UNHEARD = {
  code: 'recipient-unknown',
  field: 'to',
  message: expect.stringMatching(/^Nobody hears for ".+" just now/),
}

describe('an envelope for an entity that nobody has ever registered', () => {
  test('is taken where it is an event: whoever hears it may be nobody (AEE-027)', () => {
    const bench = new Workbench()

    expect(bench.tell({ to: 'agent.nobody', type: 'event' })).toMatchObject({ ...NOBODY, warnings: [] })
  })

  test.each(['task', 'stream', 'result', 'error'])('is refused where it is a %s (AEQ-20)', (type) => {
    const bench = new Workbench()
    const reply_to = type === 'result' || type === 'error' ? 'task-0001' : null

    expect(refusalOf(() => bench.tell({ to: 'agent.nobody', type, reply_to }))).toEqual({
      code: 'recipient-unknown',
      field: 'to',
    })
  })

  test.each(['task', 'event', 'stream'])(
    'is taken where that is a log, %s or not (AEE-C11, AEQ-20)',
    (type) => {
      const bench = new Workbench()

      expect(bench.tell({ to: 'log.aocl', type })).toMatchObject(NOBODY)
      expect(refusalOf(() => bench.tell({ to: 'log.', type: 'task' }))?.code).toBe('recipient-unknown')
    },
  )
})

describe('a task', () => {
  test('that reaches nobody is taken, and warned of (AEE-024)', () => {
    const bench = new Workbench()
    const held = bench.register({ instrument: 'cc', session_id: 's1', entities: ['agent.worker'] })
    bench.register({ instrument: 'cc', session_id: 's1', entities: null }, held)

    for (const to of ['agent.worker', 'bus.ops'])
      expect(bench.tell({ to })).toMatchObject({ ...NOBODY, warnings: [UNHEARD] })
  })

  test('that reaches a stream or a mailbox is not, nor what is for the daemon itself', () => {
    const bench = new Workbench()
    bench.open(bench.session('cc', 's1', { entities: ['agent.streaming'] }))
    bench.session('cc', 's2', { entities: ['agent.waiting'], mailbox: true })

    for (const to of ['agent.streaming', 'agent.waiting', 'service.agentd'])
      expect(bench.tell({ to }).warnings, to).toEqual([])
  })

  test('that comes again is warned of again (AEQ-16)', () => {
    const bench = new Workbench()
    const envelope = bench.envelope({ to: 'bus.ops' })
    bench.publishEnvelope(envelope)

    expect(bench.publishEnvelope(envelope)).toMatchObject({ duplicate: true, warnings: [UNHEARD] })
  })
})
