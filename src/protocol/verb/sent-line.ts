/**
 * What a person is told when a frame was accepted: the same sentence from the daemon, for who asks it for one, and from
 * the command line, which reads it off the answer.
 *
 * It imports nothing: the short way of the command line has it too.
 *
 * @see docs/http.md §8; PD-01: "success" that was not delivery; OP-14
 */

/** The two counts of a submission (docs/http.md §5). */
export interface Addressees {
  readonly recipientCount: number
  readonly queuedCount: number
  /** Of both together, the person's own seats; absent from a daemon that does not tell them apart. */
  readonly peopleCount?: number | undefined
  /** Of both together, terminals; absent as well. */
  readonly terminalCount?: number | undefined
  /** Whom it names on other nodes; absent without a link, and of what stays here. */
  readonly remote?: Elsewhere | undefined
}

/** Sessions of other nodes that something names, by what those told last; the labels are safe to print (FED-50). */
export interface Elsewhere {
  readonly sessions: number
  readonly nodes: readonly string[]
  readonly away: readonly string[]
  /** Nodes that are there and do not say who is. */
  readonly untold?: readonly string[] | undefined
}

/** What is told of a frame that was accepted. */
export interface SentFrame extends Addressees {
  readonly kind: string
  /** Names of sessions that the scope may have meant, where it reached nobody. */
  readonly near: readonly string[]
  /** Sentences of the daemon about a frame that it took all the same. */
  readonly warnings: readonly string[]
  /** Of an organisation: members the scope names, and those reached here; absent of every other frame. */
  readonly org?: { readonly members: number; readonly reached: number } | undefined
  /** The id of the lease that was asked for, where one was. */
  readonly newLease: string | undefined
  /** Of a handover, whether it says where it belongs. */
  readonly isPlaced?: boolean | undefined
  /** The file in which the text of a handover stands that fits into no frame; safe to print. */
  readonly kept?: { readonly path: string; readonly octets: number } | undefined
}

/** What is said of a handover that nobody hears now, with a place and without one (OP-25). */
const HANDED_OVER = ', kept; the next session that starts here is shown it'
const HANDED_ON = ', kept; agentd takeover --latest prints it'

/** One line, with a lease or a file two, and one more for each warning, each with its end. */
export function formatSentFrame(sent: SentFrame): string {
  const { kind, newLease, kept, warnings, org } = sent
  const lines = [
    `sent ${kind}${formatWhom(sent)}${org === undefined ? '' : ` (${org.reached} of ${org.members} members)`}`,
    ...(newLease === undefined ? [] : [`lease ${newLease}`]),
    ...(kind === 'agent_lock_request' ? untoldLines(sent.remote?.away) : []),
    ...(kept === undefined ? [] : [`its ${kept.octets} octets are in ${kept.path} until it is forgotten`]),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function formatWhom(sent: SentFrame): string {
  const { near } = sent
  if (isUnheardHandover(sent)) {
    return sent.isPlaced === false ? HANDED_ON : `${HANDED_OVER}${unlessElsewhere(sent.remote)}`
  }
  const nobody =
    near.length === 0 ? nobodyWords(sent.remote) : `nobody is called that; there is ${near.join(', ')}`
  return formatAddressees(sent, nobody)
}

/** It leaves for those who do not say who is there, and waits for those who are away: what is taken over there is not here. */
function unlessElsewhere({ untold = [], away = [] }: Partial<Elsewhere> = {}): string {
  const names = [...untold, ...away]
  return names.length === 0 ? '' : `, unless one on ${listed(names, 'or')} has taken it over`
}

function isUnheardHandover({ kind, near, recipientCount, queuedCount, remote }: SentFrame): boolean {
  const reached = recipientCount + queuedCount + (remote?.sessions ?? 0)
  return kind === 'agent_handover' && near.length === 0 && reached === 0
}

/** Whether a handover says where it belongs: it points to a path, or comes from a session, which has a place. */
export function isPlaced(previousSessionId: unknown, pointers: unknown): boolean {
  const refs: readonly unknown[] = Array.isArray(pointers) ? pointers : []
  return previousSessionId !== 'shell' || refs.some((ref) => typeof ref === 'string' && ref.startsWith('/'))
}

const NOBODY = 'nobody is listening just now'

/**
 * The end of a sentence that begins with `sent …`; it claims no more than the daemon does.
 *
 * @param nobody - what is said when there was no one
 */
export function formatAddressees(addressees: Addressees, nobody = NOBODY): string {
  const { recipientCount, queuedCount, remote } = addressees
  const total = recipientCount + queuedCount
  const there = remote?.sessions ?? 0
  const away = awayWords(remote?.away)
  if (total + there === 0) return `; ${nobody}${away}`
  const on = there === 0 ? '' : ` on ${listed(remote?.nodes ?? [])}`
  if (total === 0) return ` to ${counted(there)}${on}${away}`
  const to = ` to ${whom(total, addressees)}`
  return `${to}${on && ' here'}${waiting(recipientCount, queuedCount)}${on && `, ${there}${on}`}${away}`
}

/** The same, and where there was no one, of which nodes that is not known. */
export function formatReached(sent: Addressees): string {
  return formatAddressees(sent, nobodyWords(sent.remote))
}

/** Nodes whose silence says nothing of who is there: `; ci is away`. */
export function awayWords(away?: readonly string[]): string {
  return told(away, 'is away', 'are away')
}

/** What is said where there was no one: of nodes that keep to themselves who is there nobody knows (`ci does not say who is there`). */
function nobodyWords({ untold = [] }: Pick<Elsewhere, 'untold'> = {}): string {
  if (untold.length === 0) return NOBODY
  return `nobody here is listening just now${told(untold, 'does not say who is there', 'do not say who is there')}`
}

function told(nodes: readonly string[] = [], ofOne: string, ofMore: string): string {
  return nodes.length === 0 ? '' : `; ${listed(nodes)} ${nodes.length === 1 ? ofOne : ofMore}`
}

/** Who is going to hear of a lease only later, and may announce the same meanwhile (FED-66). */
export function untoldLines(away: readonly string[] = []): readonly string[] {
  return away.length === 0 ? [] : [`not told yet: ${listed(away)}`]
}

/** `devbox`, `devbox and tower`, `ci, devbox and tower`. */
function listed(names: readonly string[], last = 'and'): string {
  return names.join(', ').replace(/, ([^,]*)$/, ` ${last} $1`)
}

/** How many of them only find it waiting. */
function waiting(recipientCount: number, queuedCount: number): string {
  if (queuedCount === 0) return ''
  const isOne = queuedCount === 1
  if (recipientCount > 0) return ` (${queuedCount} waiting in ${isOne ? 'a mailbox' : 'mailboxes'})`
  return ` (waiting in ${isOne ? 'its mailbox' : 'their mailboxes'})`
}

function counted(number: number, noun = 'session'): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Agents and terminals by their number and the person as such, however many seats there are of one. */
function whom(total: number, { peopleCount: people = 0, terminalCount: terminals = 0 }: Addressees): string {
  const agents = total - people - terminals
  if (agents === total) return counted(total)
  const named = [
    agents > 0 && counted(agents, 'agent'),
    terminals > 0 && counted(terminals, 'terminal'),
    people > 0 && 'you',
  ]
  return listed(named.filter((part) => part !== false))
}
