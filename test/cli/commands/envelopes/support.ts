/**
 * What the tests of envelopes on the command line begin with.
 */
import { connect } from '../../../../src/client/index.ts'
import type { AgentdSession, TaskHandlers } from '../../../../src/client/index.ts'
import type { SharedDaemon } from '../../../server/shared-daemon.ts'
import { agentd, type Outcome } from '../../support.ts'

/** Runs `agentd envelope`. */
export function runEnvelope(shared: SharedDaemon, ...args: readonly string[]): Promise<Outcome> {
  return agentd(shared.daemon.env, ['envelope', ...args])
}

/** As {@link runEnvelope}, for `send --raw`. */
export function sendRaw(shared: SharedDaemon, input: string, ...args: readonly string[]): Promise<Outcome> {
  return agentd(shared.daemon.env, ['envelope', 'send', '--raw', ...args], input)
}

/** An entity at work, gone with the test. */
export async function serveEntity(
  shared: SharedDaemon,
  entity: string,
  handlers: TaskHandlers,
): Promise<AsyncDisposable & { readonly session: AgentdSession }> {
  const client = await connect({ socket: shared.socket })
  const session = await client.session({ instrument: 'doer', entities: [entity] })
  await session.serve(entity, handlers).opened
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session.close()
      await client.close()
    },
  }
}

/** Names that no other test of a file has. */
export class Names {
  #count = 0

  next(name: string): string {
    this.#count += 1
    return `${name}-${this.#count}`
  }
}

const ids = new Names()

/** A complete envelope as text. */
export function completeText(changes: object = {}): string {
  return JSON.stringify({
    v: '1',
    id: ids.next(`envelope-${process.pid}`),
    ts: new Date().toISOString(),
    type: 'event',
    from: 'agent.a',
    to: 'bus.ops',
    intent: 'ops.build.finished',
    corr: 'workflow-raw',
    priority: 'normal',
    payload: {},
    ...changes,
  })
}
