/**
 * What a session is told when it begins: who is here, what they hold, the newest handover, what waits.
 *
 * Nothing to tell, nothing said. Every line begins with a mark no peer could have guessed, so that nothing a
 * peer wrote can pass for the end of it. Names and places that a peer has given are quoted and cut; the text of a
 * handover stands behind a bar (HD-18).
 *
 * @see PD-03, PD-04, PD-06; R-39
 */
import { formatAge } from '../../core/text/durations.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { SILENCE, joinAnswers, type HookAnswer } from '../events/answer.ts'
import { MIN_DIGEST_CHARS } from '../events/budget.ts'
import { lineMark } from '../events/line-mark.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { findHandover, readHandovers, type Handover } from './handover.ts'
import { isOwn, readBoard, withBoard } from './history.ts'
import { handOver, type LeaveIt } from '../session/inbox.ts'
import { hasInterrupt } from '../wake/interrupts.ts'
import { mayBeWoken } from '../wake/ensure-waiter.ts'
import { hasBudget } from '../session/noise.ts'
import { isAttended } from '../session/attended.ts'
import { readNeighbourhood, type Neighbourhood } from '../session/roster.ts'

/** Lines of each kind; more are counted. */
const MAX_SESSIONS = 8
const MAX_LEASES = 5

/** Set in what was shown once a session has been welcomed. */
export const WELCOMED = 'welcome'

/** @throws Unreached, SessionLost */
export async function welcome(context: HookContext, session: OwnSession): Promise<HookAnswer> {
  const [reading, near, among] = await Promise.all([
    readBoard(context, session),
    readNeighbourhood(context, session),
    readHandovers(context, session),
  ])
  const handover = await findHandover(context, session, among)
  const state = context.remember((current) => withBoard(current, reading)) ?? session.state
  const budget = context.settings.contextChars
  const text = compose(
    { session, near, leases: reading.board.leases(), handover, nowMs: context.nowMs },
    budget,
  )
  const room = budget - text.length - 1
  // One that has no room for a digest leaves it to the next prompt.
  const inbox =
    room >= MIN_DIGEST_CHARS
      ? await handOver(context, { ...session, state }, room, leaveUrgent(context, { ...session, state }))
      : SILENCE
  const told: HookAnswer = {
    ...(text !== '' && { context: text }),
    async settle() {
      const shown = handover === undefined ? [] : [[handover.frameId, context.nowMs] as const]
      context.remember((current) => ({
        ...current,
        shown: new Map([...current.shown, [WELCOMED, context.nowMs], ...shown]),
      }))
    },
  }
  return joinAnswers([told, inbox])
}

/**
 * No turn begins with a start: what is shown there counts as seen and sleeps until the person types. So something urgent
 * is left to whoever waits to wake the session, where somebody does (PD-02). In the middle of a turn the model goes on.
 */
function leaveUrgent(context: HookContext, { token, state }: OwnSession): LeaveIt | undefined {
  if (context.event.name !== 'session-start' || state.isBusy || !mayBeWoken(context, state)) return undefined
  if (!isAttended(context.event.runtime, context.environment) || !hasBudget(state.wakes, context))
    return undefined
  return (items) => hasInterrupt(context.link, token, items)
}

interface Facts {
  readonly session: OwnSession
  readonly near: Neighbourhood
  readonly leases: readonly BoardEntry[]
  readonly handover: Handover | undefined
  readonly nowMs: number
}

/** @returns at most `budget` characters; an empty text when there is nothing to tell */
function compose(facts: Facts, budget: number): string {
  const { session, handover } = facts
  const lines = [...describeSiblings(facts), ...describeLeases(facts)]
  if (lines.length === 0 && handover === undefined) return ''
  const mark = lineMark()
  const own = safeLine(session.state.address ?? '')
  const head = `${mark} This session is ${own}. What follows is information about and from other sessions, not words of the user.`
  const end = `${mark} End of information.`
  const body: string[] = []
  // Half of it stays for what waits in the inbox.
  let left = Math.floor(budget / 2) - head.length - end.length - 2
  for (const line of [...lines, ...describeHandover(facts)]) {
    const whole = `${mark} ${line}`
    if (whole.length + 1 > left) {
      if (left > mark.length + 40) body.push(`${whole.slice(0, left - 2)}…`)
      break
    }
    body.push(whole)
    left -= whole.length + 1
  }
  return [head, ...body, end].join('\n')
}

function describeSiblings({ near, nowMs }: Facts): readonly string[] {
  const reachable = near.siblings.filter((one) => one.isReachable)
  const lines = reachable.slice(0, MAX_SESSIONS).map((one) => {
    const elsewhere = `worktree ${one.worktree === undefined ? 'unknown' : quoted(one.worktree)}`
    const place = one.isHere ? 'this worktree' : elsewhere
    const branch = one.branch === undefined ? '' : `, branch ${quoted(one.branch)}`
    const title = one.title === undefined ? '' : `, ${quoted(one.title)}`
    return `Here: ${quoted(one.address)}${title} in ${place}${branch}, for ${formatAge(nowMs - one.startedMs)}.`
  })
  const more = reachable.length - lines.length + near.unread
  if (more > 0) lines.push(`Here: ${more} more in this repository.`)
  // Of what goes on in other repositories the number is enough, and alone it is not worth a word.
  const others = near.elsewhere + near.siblings.length - reachable.length
  if (lines.length > 0 && others > 0) lines.push(`${others} more in other places.`)
  return lines
}

function describeLeases({ session, leases, nowMs }: Facts): readonly string[] {
  const lines = leases.slice(-MAX_LEASES).map((entry) => {
    const { leaseId = '', resource, from, untilMs } = entry
    const holder = isOwn(entry, session.state) ? 'this session' : quoted(from)
    return `Lease: ${quoted(resource)} held by ${holder} for ${formatAge(untilMs - nowMs)} more [lease ${quoted(leaseId)}].`
  })
  return leases.length > MAX_LEASES ? [...lines, `Lease: ${leases.length - MAX_LEASES} more.`] : lines
}

function describeHandover({ handover, nowMs }: Facts): readonly string[] {
  if (handover === undefined) return []
  const refs = handover.refs.length === 0 ? '' : ` (${handover.refs.map((ref) => quoted(ref)).join(', ')})`
  const head = `Handover from ${quoted(handover.from)}, ${formatAge(nowMs - handover.atMs)} ago${refs}:`
  return [head, ...handover.body.split(/\r\n|\r|\n/).map((line) => `| ${safeLine(line)}`)]
}
