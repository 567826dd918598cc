/**
 * The end of a session: its leases are given back, everybody is told, and it leaves the roster.
 *
 * `/clear` and its like end a session's context, not its agent: then all of it is kept for whoever carries on.
 * Before a compaction nothing is published at all: the newest handover is shown again when it is over, and an
 * announcement that a session compacts would be of no use to anyone.
 *
 * @see PD-04, PD-07
 */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { MAX_RELEASES } from '../../runtimes/events/budget.ts'
import { HOOK_BASIS } from '../../runtimes/events/tags.ts'
import { isOwn } from '../board/own.ts'
import { say, type HookContext, type OwnSession } from '../session/context.ts'
import { findSession } from '../session/registration.ts'

/** Reasons after which the agent goes on. */
const GOES_ON = new Set(['clear', 'resume', 'compact', 'fork'])

/** Resources named in the announcement, and their bound in octets. */
const MAX_REFS = 64
const MAX_REF_OCTETS = 512

/** Ends the session, where its agent does not go on. */
export async function endSession(context: HookContext): Promise<void> {
  const { event, hooks, nowMs, state } = context
  if (state === undefined || state.heir !== undefined) return
  const session = findSession(context, state)
  const goesOn = GOES_ON.has(event.cause ?? '')
  hooks.memory.update(
    context.key,
    (current) =>
      current && {
        ...current,
        isBusy: false,
        atMs: nowMs,
        ...(!goesOn && { endedMs: nowMs, token: undefined, wakeChannels: {} }),
      },
    true,
  )
  if (session === undefined || goesOn) return
  try {
    const board = await hooks.board.read()
    const leases = board.leases().filter((entry) => isOwn(entry, state))
    if (leases.length > 0) await giveBack(context, { session, state }, leases)
  } finally {
    hooks.broker.sessions.close(session)
  }
}

async function giveBack(
  { hooks }: HookContext,
  { session }: OwnSession,
  leases: readonly BoardEntry[],
): Promise<void> {
  const provenance = { basis: HOOK_BASIS }
  const held = leases.slice(-MAX_RELEASES)
  const refs = held
    .map(({ leaseId = '', resource }) => (resource === '' ? leaseId : resource))
    .filter((ref) => Buffer.byteLength(ref) <= MAX_REF_OCTETS)
    .slice(0, MAX_REFS)
  const text = 'The session has ended; its leases are free.'
  await Promise.all([
    ...held.map(({ leaseId }) =>
      say(hooks, session, ['agent_lock_release', { lease_id: leaseId, provenance }]),
    ),
    say(hooks, session, ['agent_broadcast', { text, event_class: 'released', refs, provenance }]),
  ])
}
