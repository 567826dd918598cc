/**
 * Every sentence of the seat, once: the page and the terminal say the same.
 *
 * None of them holds a sender's words; those are shown beside them, marked as the sender's.
 *
 * @see SEAT-08, SEAT-21, SEAT-23, SEAT-26, SEAT-28
 */
import { formatCount } from '../../core/text/counts.ts'
import { formatAddressees, type Addressees } from '../../protocol/verb/sent-line.ts'
import type { Collision, CollisionParty } from './here/collisions.ts'
import type { HereLine } from './here/here-list.ts'
import type { SeatNeed } from './needs/need.ts'
import { formatLeft, formatSince } from './text/times.ts'

/** Names of what is on the screen. */
export const HEADINGS = {
  now: 'Now',
  passing: 'Passing',
  threads: 'Threads',
  needsYou: 'Needs you',
  anyoneMayAnswer: 'Anyone may answer',
  here: 'Here',
  collisions: 'Collisions',
  help: 'Keys',
} as const

/** A state with nothing to show, or a broken one: what is the case, and the command that changes it. */
export interface StateWords {
  readonly says: string
  /** A command of the shell; undefined where there is none. */
  readonly command?: string
}

/** What stands where nothing is, or where something is the matter (SEAT-26). */
export const STATES = {
  nobodyHere: { says: 'Nobody is here yet. Set up your agents and start one.', command: 'agentd setup' },
  nothingNeedsYou: { says: 'Nothing needs you.' },
  nothingPassed: { says: 'Nothing has passed yet.' },
  nothingFits: { says: 'Nothing that has passed fits the filter.' },
  noCollisions: { says: 'No file has two sessions at it.' },
  connecting: { says: 'Connecting…' },
  daemonGone: {
    says: 'The daemon is gone; this is how it was. It goes on when it is back.',
    command: 'agentd start',
  },
  signedOut: { says: 'This page is signed out. Open a new one:', command: 'agentd ui' },
  linkUsed: { says: 'This link has been used. Open a new one:', command: 'agentd ui' },
  tooManyPages: {
    says: 'The seat may be open in four tabs, and is. Close one, or use it here.',
  },
  processGone: { says: 'The process of this page has ended. Start it:', command: 'agentd ui' },
  updated: { says: 'agentd was updated under this page.' },
} as const satisfies Readonly<Record<string, StateWords>>

/** What a need is called on its card. */
export const NEED_NAMES: Readonly<Record<SeatNeed['type'], string>> = {
  question: 'Question',
  decision: 'Decision',
  diagnostic: 'Diagnostic',
  task: 'Task',
  approval: 'Approval',
  prompt: 'Prompt',
}

/** Words on buttons. */
export const BUTTONS = {
  answer: 'Answer',
  dismiss: 'Dismiss',
  other: 'something else',
  revise: 'the question is not the right one',
  approve: 'Approve',
  reject: 'Reject',
  send: 'Send',
  ask: 'Ask',
  handOver: 'Hand over',
  cancel: 'Cancel',
  close: 'Close',
  confirm: 'Yes',
  forget: 'Forget…',
  openInEditor: 'Open in your editor',
  showAll: 'Show all of it',
  useItHere: 'Use it here',
  reload: 'Reload',
  notify: 'Notify me',
  signOut: 'Sign out',
  follow: 'Follow',
  pause: 'Pause',
  goOn: 'Go on',
} as const

/** Before who has said that no answer to the person's question comes (SEAT-12). */
export const DISMISSED_BY = 'dismissed by'

/** The switch of one tab, and what stands for all of them. */
export const SINGLE_KEYS = 'single keys, in this tab; ui.single_keys of the configuration is for good'

/** `5 here · 1 waiting · 2 need you` */
export function headline(counts: { here: number; waiting: number; you: number }): string {
  const { here, waiting, you } = counts
  return [
    `${here} here`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(you > 0 ? [needYouWords(you)] : []),
  ].join(' · ')
}

/** `1 needs you`, `3 need you` */
export function needYouWords(count: number): string {
  return `${count} ${count === 1 ? 'needs' : 'need'} you`
}

/** How long a need has been there, and how long is left: `2m ago · ends in 21h`, `41s left`, `late: …`. */
export function needTimes({ askedAtMs, untilMs, state }: SeatNeed, nowMs: number): string {
  const asked = formatSince(askedAtMs, nowMs)
  const ago = asked === 'now' ? 'just now' : `${asked} ago`
  if (state === 'late' || (untilMs !== undefined && untilMs <= nowMs))
    return `${ago} · late: its time is over, and an answer still reaches it`
  return untilMs === undefined ? ago : `${ago} · ${formatLeft(untilMs, nowMs)} left`
}

/** Why a need of this type cannot be answered here; undefined where it can. */
export function cannotAnswer({ type }: SeatNeed): string | undefined {
  return type === 'prompt' ? 'Answer it only where that session runs.' : undefined
}

/**
 * What a line of the list says of its session in our words: `waits at its own prompt:`, `idle`; '' where its own say it all.
 * Behind it come the session's ({@link HereLine.doing}), and then since when.
 */
export function hereWords({ mark, session, doing }: HereLine): string {
  if (mark === '▲') return doing === undefined ? 'waits at its own prompt' : 'waits at its own prompt:'
  if (mark === '○') return session.activity === undefined ? '' : 'idle'
  return doing === undefined ? 'working' : ''
}

/** Since when it is so: `12s`; '' where nothing tells. */
export function hereSince({ sinceMs }: HereLine, nowMs: number): string {
  return sinceMs === undefined ? '' : formatSince(sinceMs, nowMs)
}

/** `lease announced, 3m left`, `edit announced 12s ago`: never a lock (SEAT-24). */
export function partyWords({ by, sinceMs, untilMs }: CollisionParty, nowMs: number): string {
  if (by === 'lease') return `lease announced, ${formatLeft(untilMs, nowMs)} left`
  const since = formatSince(sinceMs, nowMs)
  return since === 'now' ? 'edit announced just now' : `edit announced ${since} ago`
}

/** Where those at one file meet. */
export function collisionWords({ worktree }: Pick<Collision, 'worktree'>): string {
  return worktree === 'same' ? 'same worktree' : 'other worktree: they meet at the merge'
}

/** What became of what was sent: `Sent to 2 sessions (1 waiting in a mailbox).` */
export function sentWords(addressees: Addressees): string {
  return `Sent${formatAddressees(addressees)}.`
}

/** What became of an item that passed, as short as a row: `2 reached, 4 wait`. @param seen - of the person's own, by how many */
export function deliveredWords(
  { recipients, queued }: { readonly recipients: number; readonly queued: number },
  seen: number,
): string {
  if (seen > 0) return `seen by ${seen}`
  const words = [recipients > 0 && `${recipients} reached`, queued > 0 && `${queued} wait`]
  return words.filter((word) => word !== false).join(', ') || 'nobody'
}

/** Of many at one file the newest are named. */
export const PARTIES_NAMED = 3

/** Whom it reaches, before it is sent: `reaches 3 sessions`, `reaches nobody just now`. */
export function reachWords(count: number): string {
  return count === 0 ? 'reaches nobody just now' : `reaches ${formatCount(count, 'session')}`
}

/** `Seen by 1 of 2.` */
export function seenWords(seen: number, of: number): string {
  return `Seen by ${seen} of ${of}.`
}

/** `Forgot 3 items.` */
export function forgotWords(count: number): string {
  return `Forgot ${formatCount(count, 'item')}.`
}

/** `12 new` */
export function newRowsWords(count: number): string {
  return `${count} new`
}

/** What a refusal says, and that nothing was lost by it. */
export function refusedWords(message: string): string {
  return `Not sent. ${message}`
}

/** What a yes means. */
export const APPROVAL_WARNING = 'You approve exactly the task of this hash.'

/** Beside what came of an approval: whether whoever asked can prove who answered (SEAT-05). */
export function signedWords(isSigned: boolean): string {
  return `It is ${isSigned ? '' : 'not '}signed.`
}

/** The same before the person has answered. */
export function signingWords(isSigned: boolean): string {
  return `Your answer will ${isSigned ? '' : 'not '}be signed.`
}

/** Why nothing came back; nothing is sent twice by itself (SEAT-19). */
export const UNANSWERED = 'No answer came: it may have been sent. What you wrote is still here.'

/** What the second key or click says: `Press Enter to choose "Drop it now".` */
export function confirmWords(what: string): string {
  return `Press Enter to ${what}, Esc to leave it.`
}

/** `1 character is not shown`; where a long line of a sender is folded (SEAT-28). */
export function foldedWords(characters: number): string {
  return formatCount(characters, 'more character')
}

/** What closed a need, as the daemon names it → as people say it. */
const CLOSINGS: ReadonlyMap<string, string> = new Map([
  ['answer', 'answered elsewhere'],
  ['return', 'dismissed elsewhere'],
  ['result', 'answered elsewhere'],
  ['error', 'rejected elsewhere'],
  ['activity', 'the session went on'],
  ['left', 'who asked has left'],
  ['expired', 'it was asked a day ago'],
  ['forgotten', 'the question was forgotten'],
  ['displaced', 'there were too many'],
])

/** What became of a need that was open a moment ago. */
export function closedWords(closedBy: string | undefined): string {
  const why = CLOSINGS.get(closedBy ?? '')
  return why === undefined ? 'This is settled.' : `This is settled: ${why}.`
}

/** For somebody who cannot see the screen: one line for what opened, nothing of a sender's but the name. */
export function openedWords(need: SeatNeed): string {
  return `${NEED_NAMES[need.type]} from ${askerName(need)}`
}

/** What whoever asks is called: by name, else by address within the handle. */
export function askerName({ from }: SeatNeed): string {
  const { name, address } = from
  return name ?? (address === '' ? 'you' : address.slice(address.indexOf('/') + 1))
}
