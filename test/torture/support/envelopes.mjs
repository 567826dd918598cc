/**
 * Envelopes for torture: valid ones, and texts in which nothing can be rewritten unseen.
 */
import { randomUUID } from 'node:crypto'

export const SERVICE = 'service.agentd'

/** A task to `bus.torture`, with all fourteen members. */
export function makeEnvelope(members = {}) {
  return {
    v: '1',
    id: randomUUID(),
    ts: new Date().toISOString(),
    type: 'task',
    from: 'agent.torture',
    to: 'bus.torture',
    intent: 'ops.torture.check',
    corr: 'torture-workflow',
    reply_to: null,
    trace: null,
    priority: 'normal',
    requires: null,
    payload: { note: 'torture' },
    sig: null,
    ...members,
  }
}

/**
 * Numbers no double holds, escapes nobody needs, space between tokens, members nobody knows: whoever reads this and
 * writes it again writes something else.
 */
const NASTY = String.raw`"x-nasty" : [12345678901234567890, 1e400, -0, 1.0, 1E2, "\u0041\/\ud83d\ude00€" ,{ } ] , "__proto__":{"10":1,"9":2}`

/** An envelope as text that is not what `JSON.stringify` would make of it. */
export function writeNasty(members = {}) {
  const text = JSON.stringify(makeEnvelope(members))
  return `{ ${NASTY} ,\t${text.slice(1)}`
}

/**
 * A workflow: a task, its result, a result that comes too late, and the refutation of the first result.
 *
 * @returns four of `{id, text, isLate, refutes}`, in the order they have to be sent
 */
export function makeWorkflow({ corr, from = 'agent.torture', to = 'bus.torture', text = '' }) {
  const common = { corr, from, to, payload: { note: text } }
  const [task, result, late, refutation] = Array.from({ length: 4 }, () => randomUUID())
  const refuting = { to: SERVICE, intent: 'aee.context.refute', payload: { id: result, reason: 'torture' } }
  return [
    { id: task, isLate: false, text: writeNasty({ ...common, id: task }) },
    {
      id: result,
      isLate: false,
      text: writeNasty({ ...common, id: result, type: 'result', reply_to: task }),
    },
    { id: late, isLate: true, text: writeNasty({ ...common, id: late, type: 'result', reply_to: task }) },
    {
      id: refutation,
      isLate: false,
      refutes: result,
      text: writeNasty({ ...common, id: refutation, ...refuting }),
    },
  ]
}
