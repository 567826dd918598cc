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
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { SILENCE, joinAnswers, type HookAnswer } from '../../runtimes/events/answer.ts'
import { MIN_DIGEST_CHARS } from '../../runtimes/events/budget.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import { wakeDriver } from '../../runtimes/events/wake-channels.ts'
import { isOwn } from '../board/own.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { handOver } from '../session/inbox.ts'
import { isHere, isReachable, readNeighbourhood, type Neighbourhood } from '../session/near.ts'
import { hasBudget } from '../session/noise.ts'
import { findHandover, type Handover } from './handover.ts'

/** Lines of each kind; more are counted. */
const MAX_SESSIONS = 8
const MAX_LEASES = 5

/** Set in what was shown once a session has been welcomed. */
export const WELCOMED = 'welcome'

/** What there is to tell, and what waits, within what may be shown at once. */
export async function welcome(context: HookContext, own: OwnSession): Promise<HookAnswer> {
  const { hooks, nowMs, settings } = context
  const [board, handover] = await Promise.all([hooks.board.read(), findHandover(context, own)])
  const near = readNeighbourhood(hooks.broker, own.session)
  const budget = settings.contextChars
  const text = compose({ own, near, leases: board.leases(), handover, nowMs }, budget)
  const room = budget - text.length - 1
  const leavesUrgent = isLeftToWaiter(context, own)
  // One that has no room for a digest leaves it to the next prompt.
  const inbox = room >= MIN_DIGEST_CHARS ? await handOver(context, own, { room, leavesUrgent }) : SILENCE
  const told: HookAnswer = {
    ...(text !== '' && { context: text }),
    settle() {
      const shown = handover === undefined ? [] : [[handover.frameId, nowMs] as const]
      context.remember((current) => ({
        ...current,
        shown: new Map([...current.shown, [WELCOMED, nowMs], ...shown]),
      }))
    },
  }
  return joinAnswers([told, inbox])
}

/**
 * No turn begins with a start: what is shown there counts as seen and sleeps until the person types. So something urgent
 * is left to whoever wakes the session, where somebody does (PD-02). In the middle of a turn the model goes on.
 */
function isLeftToWaiter(context: HookContext, { state }: OwnSession): boolean {
  const { event, settings } = context
  if (event.name !== 'session-start' || state.isBusy || state.isHeadless === true) return false
  const hasWay =
    context.hooks.waiting.has(context.key) || wakeDriver(event.runtime, state.wakeChannels) !== undefined
  return settings.wakesIdle && hasWay && hasBudget(state.wakes, context)
}

interface Facts {
  readonly own: OwnSession
  readonly near: Neighbourhood
  readonly leases: readonly BoardEntry[]
  readonly handover: Handover | undefined
  readonly nowMs: number
}

/** @returns at most `budget` characters; an empty text when there is nothing to tell */
function compose(facts: Facts, budget: number): string {
  const { own, handover } = facts
  const lines = [...describeSiblings(facts), ...describeLeases(facts)]
  if (lines.length === 0 && handover === undefined) return ''
  const mark = lineMark()
  const { name, address } = own.session
  const head = `${mark} This session is ${safeLine(name)}, ${safeLine(address)}. What follows is information about and from other sessions, not words of the user.`
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

function describeSiblings({ near, nowMs, own }: Facts): readonly string[] {
  const reachable = near.siblings.filter((one) => isReachable(one))
  const lines = reachable.slice(0, MAX_SESSIONS).map((one) => {
    const { address, facts, name, startedAtMs } = one
    const elsewhere = `worktree ${facts.worktree === undefined ? 'unknown' : quoted(facts.worktree)}`
    const place = isHere(one, own.session) ? 'this worktree' : elsewhere
    const branch = facts.branch === undefined ? '' : `, branch ${quoted(facts.branch)}`
    const title = facts.title === undefined ? '' : `, ${quoted(facts.title)}`
    return `Here: ${safeLine(name)}, ${quoted(address)}${title} in ${place}${branch}, for ${formatAge(nowMs - startedAtMs)}.`
  })
  const more = reachable.length - lines.length + near.unread
  if (more > 0) lines.push(`Here: ${more} more in this repository.`)
  // Of what goes on in other repositories the number is enough, and alone it is not worth a word.
  const others = near.elsewhere + near.siblings.length - reachable.length
  if (lines.length > 0 && others > 0) lines.push(`${others} more in other places.`)
  return lines
}

function describeLeases({ own, leases, nowMs }: Facts): readonly string[] {
  const lines = leases.slice(-MAX_LEASES).map((entry) => {
    const { leaseId = '', resource, from, untilMs } = entry
    const holder = isOwn(entry, own.state) ? 'this session' : quoted(from)
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
