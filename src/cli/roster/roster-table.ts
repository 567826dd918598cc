/**
 * The roster as a table: the sessions here, and those of the nodes this machine is linked with.
 */
import { basename } from 'node:path'
import type { RemoteSession, RosterNode, RosterSession } from '../../client/index.ts'
import { cutTo } from '../../core/display/width.ts'
import { formatAge } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { callSession } from '../run/session-names.ts'
import type { Output } from '../terminal/output.ts'
import { formatTable } from '../terminal/table.ts'

/** A narrower terminal has no room for addresses: names are what people write, and programs have `--json`. */
const WIDE_COLUMNS = 120

/** Beside the nodes: who is elsewhere is called by an address, which may be of any length. */
const MAX_NAME_COLUMNS = 22
const MAX_NODE_COLUMNS = 12

/** Who is shown; undefined nodes where there is no link, or nobody asked. */
interface Shown {
  readonly sessions: readonly RosterSession[]
  readonly nodes?: readonly RosterNode[] | undefined
}

/** What it is drawn on. */
type Drawn = Pick<Output, 'paint' | 'columns'>

/** One line, safe to print. */
interface Row {
  readonly name: string
  readonly node: string
  readonly address: string
  readonly tool: string
  readonly state: string
  readonly seen: string
  readonly about: string
}

/** A table with a line for each, and one more for who waits at a prompt of its own. */
export function formatRoster({ sessions, nodes }: Shown, output: Drawn): string {
  const nowMs = Date.now()
  const isWide = output.columns === undefined || output.columns >= WIDE_COLUMNS
  const rows = [
    ...sessions.map((session) => toRow(session, nowMs)),
    ...(nodes ?? []).flatMap((node) => node.sessions.map((session) => toRemoteRow(session, node, nowMs))),
  ]
  const columns = [
    { title: 'NAME', paint: output.paint.cyan, ...(nodes !== undefined && { most: MAX_NAME_COLUMNS }) },
    ...(nodes === undefined ? [] : [{ title: 'NODE', most: MAX_NODE_COLUMNS }]),
    ...(isWide ? [{ title: 'ADDRESS', paint: output.paint.dim }] : []),
    { title: 'TOOL' },
    { title: 'STATE' },
    { title: 'SEEN' },
    { title: 'ABOUT' },
  ]
  const cells = rows.map(({ name, node, address, tool, state, seen, about }) => [
    name,
    ...(nodes === undefined ? [] : [node]),
    ...(isWide ? [address] : []),
    tool,
    state,
    seen,
    about,
  ])
  const table = formatTable(columns, cells, { paint: output.paint, columns: output.columns })
  const [head = '', ...lines] = table.split('\n')
  return [
    head,
    ...sessions.flatMap((session, i) => [lines[i] ?? '', ...formatWait(session, output)]),
    ...lines.slice(sessions.length),
  ].join('\n')
}

function toRow(session: RosterSession, nowMs: number): Row {
  return {
    name: callSession(session),
    node: 'here',
    address: safeLine(session.address),
    tool: safeLine(session.tool),
    state: describeState(session),
    seen: formatAge(nowMs - Date.parse(session.lastSeenAt)),
    about: [
      ...describeTwins(session),
      ...describeActivity(session, nowMs),
      ...describeWork([session.title, session.branch, session.cwd === null ? null : basename(session.cwd)]),
    ].join(', '),
  }
}

/** Nobody has given it a name that would be known here: it is called by its address within the handle. */
function toRemoteRow(session: RemoteSession, { node, state, asOf }: RosterNode, nowMs: number): Row {
  const { address, tool, live, mailbox, title, branch } = session
  const reach = live ? 'listening' : 'mailbox'
  return {
    name: safeLine(address.slice(address.indexOf('/') + 1)),
    node: safeLine(node),
    address: safeLine(address),
    tool: safeLine(tool ?? '-'),
    state: state === 'here' && (live || mailbox) ? reach : 'away',
    seen: formatAge(nowMs - Date.parse(asOf)),
    about: describeWork([title, branch]).join(', '),
  }
}

/** One address on several nodes: what is for it reaches all of them (FED-54). */
function describeTwins({ alsoOn = [] }: RosterSession): readonly string[] {
  return alsoOn.length === 0 ? [] : [`also on ${safeLine(alsoOn.join(', '))}`]
}

/** How a frame for it would arrive. */
function describeState({ subscriptions, mailbox }: RosterSession): string {
  if (subscriptions > 1) return `listening x${subscriptions}`
  if (subscriptions === 1) return 'listening'
  if (mailbox === null) return 'away'
  return mailbox.unread === 0 ? 'mailbox' : `${mailbox.unread} unread`
}

/** `waiting 12s`, `idle 5m`; nothing where it does not say (W-4). */
function describeActivity({ activity }: RosterSession, nowMs: number): readonly string[] {
  return activity ? [`${activity.state} ${formatAge(nowMs - Date.parse(activity.since))}`] : []
}

/** A line of its own for what a session waits for: `permission: "Claude needs your permission"` (HD-18). */
function formatWait({ activity }: RosterSession, { columns, paint }: Drawn): readonly string[] {
  if (activity?.state !== 'waiting') return []
  const said = [activity.reason, activity.text && quoted(activity.text)].filter(Boolean).join(': ')
  if (said === '') return []
  const line = `  ${said}`
  return [paint.yellow(columns === undefined ? line : cutTo(line, columns))]
}

function describeWork(parts: readonly (string | null)[]): readonly string[] {
  return parts.flatMap((part) => (part ? [safeLine(part)] : []))
}
