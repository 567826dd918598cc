/**
 * A workbench with somebody who wants to know what needs the person.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LiveNeeds } from '../../../src/broker/needs/live-needs.ts'
import { NEED_MS } from '../../../src/broker/needs/open-needs.ts'
import type { RetentionBounds } from '../../../src/broker/ring/ring.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import type { Need } from '../../../src/protocol/http/need.ts'
import { ActivityRequest } from '../../../src/protocol/http/requests.ts'
import { validPayload } from '../../support/frames.ts'
import { Workbench } from '../workbench.ts'

/** What the person is asked with, and by what it is answered: as the wire has the ids of both. */
export interface Asked {
  readonly id: string
  readonly eventId: string | null
  /** What of an envelope an answer names. */
  readonly corr?: string
}

export const PERSON = 'human.alice'

/** A broker, an agent, and a person's seat that hears for `human.alice`. */
export class NeedsBench extends Workbench {
  /** Sessions live for longer than any need does. */
  constructor(retention: Partial<RetentionBounds> = {}) {
    super({ retention, limits: { leaseMs: 3 * NEED_MS } })
  }

  readonly agent: Session = this.session('cc-opus', 's1', { title: 'api refactor', entities: ['agent.cc'] })
  readonly person: Session = this.session('human', 'p1', { tool: 'human', entities: [PERSON] })

  /** Somebody who looks now, with what was sent before. */
  async look(): Promise<LiveNeeds> {
    const needs = new LiveNeeds({ broker: this.broker, clock: this.clock })
    const state = { isReady: false }
    void needs.ready.then(() => (state.isReady = true))
    for (; !state.isReady; await setImmediate()) this.turn()
    return needs
  }

  question({ from = this.agent, scope = '~alice/*', timeoutMs = 60_000 } = {}): Asked {
    const payload = { ...validPayload('agent_query'), timeout_ms: timeoutMs }
    const { event_id } = this.publish({ kind: 'agent_query', from, scope, frame: { payload } })
    return { id: payload.query_id, eventId: event_id }
  }

  decision(scope = '~alice/human*'): Asked {
    const { frame_id, event_id } = this.publish({ kind: 'agent_binding_moment', from: this.agent, scope })
    return { id: frame_id, eventId: event_id }
  }

  diagnostic(severity: 'info' | 'blocked' = 'blocked'): Asked {
    const payload = { ...validPayload('peer_diagnostic_request'), severity }
    const { event_id } = this.publish({
      kind: 'peer_diagnostic_request',
      from: this.agent,
      scope: '~alice/*',
      frame: { payload },
    })
    return { id: payload.diagnostic_id, eventId: event_id }
  }

  task(changes: Readonly<Record<string, unknown>> = {}): Asked {
    const task = this.envelope({ from: 'agent.cc', to: PERSON, intent: 'ops.door.open', ...changes })
    const { event_id } = this.publishEnvelope(task, this.agent)
    return { id: task.id, eventId: event_id, corr: task.corr }
  }

  approval(): Asked {
    const task = {
      id: randomUUID(),
      intent: 'ops.db.drop',
      from: 'agent.boss',
      hash: `sha-256:${'0'.repeat(64)}`,
    }
    return this.task({ intent: 'approval.request', payload: { task, summary: 'Drop the table?' } })
  }

  prompt(text = 'run "npm test"?'): Asked {
    this.act({ state: 'waiting', reason: 'permission', text })
    return { id: this.agent.address, eventId: null }
  }

  act(said: Readonly<Record<string, unknown>>): void {
    this.broker.setActivity(this.agent, ActivityRequest.parse(said))
  }

  answer({ id }: Asked): void {
    const payload = { ...validPayload('agent_response'), query_id: id }
    this.publish({ kind: 'agent_response', from: this.person, scope: '~alice/cc*', frame: { payload } })
  }

  giveBack({ id }: Asked): void {
    const payload = { ...validPayload('agent_return_event'), query_id: id }
    this.publish({ kind: 'agent_return_event', from: this.person, scope: '~alice/cc*', frame: { payload } })
  }

  diagnose({ id }: Asked): void {
    const payload = { ...validPayload('peer_diagnostic_response'), diagnostic_id: id }
    this.publish({
      kind: 'peer_diagnostic_response',
      from: this.person,
      scope: '~alice/cc*',
      frame: { payload },
    })
  }

  end(type: 'result' | 'error', { id, corr }: Asked, from = this.person): void {
    const payload = type === 'error' ? { code: 'E_REJECTED', message: 'no', retryable: false } : { ok: true }
    const entity = from === this.person ? PERSON : 'agent.cc'
    this.tell(
      { type, from: entity, to: 'agent.cc', intent: 'ops.door.open', corr, reply_to: id, payload },
      from,
    )
  }
}

/** What became of needs, as somebody who watches them is told. */
export function watch(needs: LiveNeeds): Need[] {
  const told: Need[] = []
  needs.observe((_change, need) => told.push(need))
  return told
}

export function idsOf(needs: LiveNeeds): readonly string[] {
  return needs.list().map(({ need_id }) => need_id)
}
