/**
 * The end of a session: its leases are given back, everybody is told, and it leaves the roster.
 *
 * `/clear` and its like end a session's context, not its agent: then all of it is kept for whoever carries on.
 * Before a compaction nothing is published at all: the newest handover is shown again when it is over, and an
 * announcement that a session compacts would be of no use to anyone.
 *
 * @see PD-04, PD-07
 */
import { leaseIdOf } from '../../protocol/board/lease-key.ts'
import { MAX_RELEASES } from '../events/budget.ts'
import type { HookContext } from '../session/context.ts'
import { readBoard, withBoard } from './history.ts'
import { HOOK_BASIS } from '../events/tags.ts'

/** Reasons after which the agent goes on. */
const GOES_ON = new Set(['clear', 'resume', 'compact', 'fork'])

/** Resources named in the announcement, and their bound in octets. */
const MAX_REFS = 64
const MAX_REF_OCTETS = 512

/** @throws Unreached */
export async function endSession(context: HookContext): Promise<void> {
  const { event, link, nowMs } = context
  const state = context.store.read(context.fileName)
  if (state === undefined || state.heir !== undefined) return
  const { token } = state
  const goesOn = GOES_ON.has(event.cause ?? '')
  // First: whoever waits for this session sees that it is over, whatever comes of the rest.
  context.remember((current) => ({
    ...current,
    isBusy: false,
    atMs: nowMs,
    ...(!goesOn && { endedMs: nowMs, token: undefined, wakeChannels: {} }),
  }))
  if (token === undefined) return
  // What it holds, whatever way it took it.
  const { leases } = withBoard(state, await readBoard(context, { token, state }))
  if (goesOn) {
    context.remember((current) => ({ ...current, leases }))
    return
  }
  if (leases.size > 0) await giveBack(context, token, leases)
  await link.send({ method: 'DELETE', path: '/v1/sessions/self', token })
}

async function giveBack(
  { link }: HookContext,
  token: string,
  leases: ReadonlyMap<string, string>,
): Promise<void> {
  const held = [...leases].slice(-MAX_RELEASES).map(([key, resource]) => [leaseIdOf(key), resource] as const)
  const refs = held
    .map(([leaseId, resource]) => (resource === '' ? leaseId : resource))
    .filter((ref) => Buffer.byteLength(ref) <= MAX_REF_OCTETS)
    .slice(0, MAX_REFS)
  const provenance = { basis: HOOK_BASIS }
  await Promise.all([
    ...held.map(([lease_id]) =>
      link.send({
        method: 'POST',
        path: '/v1/verbs/agent_lock_release',
        token,
        body: { lease_id, provenance },
      }),
    ),
    link.send({
      method: 'POST',
      path: '/v1/verbs/agent_broadcast',
      token,
      body: {
        text: 'The session has ended; its leases are free.',
        event_class: 'released',
        refs,
        provenance,
      },
    }),
  ])
}
