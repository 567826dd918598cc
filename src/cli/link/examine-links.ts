/**
 * What the doctor looks at of links: each as its daemon tells it, what leaves, clocks, the way to the hub, documents that end.
 *
 * @see FED-10, FED-14, FED-32, FED-54
 */
import { formatCount } from '../../core/text/counts.ts'
import { formatDuration } from '../../core/text/durations.ts'
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { stateDir } from '../../host/config/paths.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { readLinkEstate, readLinks, type StoredLink } from '../../host/links/link-folders.ts'
import { HUB_MAX_PAYLOAD } from '../../link/hub-config.ts'
import { decodeLink, isPlain, type LinkFile } from '../../link/link-file.ts'
import type { LinkReply } from '../../protocol/http/links-reply.ts'
import type { DoctorFinding, Notes } from '../../runtimes/doctor/finding.ts'
import type { CommandContext } from '../run/command-context.ts'
import { findDaemon } from '../run/stop-daemon.ts'
import { AuthorityFolder } from '../authority/authority-folder.ts'
import { askLinks } from './ask-links.ts'
import { examineAccord, examineCharter, type CharterOf } from './examine-charter.ts'
import { examineEnd } from './examine-end.ts'
import { examineHub } from './examine-hub.ts'
import { findAccord } from './hub/kept/hub-realms.ts'
import { examineTwins } from './examine-twins.ts'
import { CLOCK_OFF_MS, stateInWords } from './link-lines.ts'

/** What a hub's server has to be at least: Debian 12 has it (FED-10). */
const SERVER_FLOOR = [2, 9, 10] as const

/** What it has to take at once: the largest envelope in a batch, with room (FED-10). */
const PAYLOAD_FLOOR = 1_310_720

/** From here on what is behind is told. */
const LATE_MS = 60_000

/** How the daemon begins to say that nothing leaves. */
const NO_FRAME = 'no frame'

/** One link, as it is kept and as its daemon tells it. */
interface Examined {
  readonly name: string
  readonly file: LinkFile
  readonly reply: LinkReply | undefined
  /** The newest estate that came over it. */
  readonly estate?: string | undefined
}

/** Every link, and the hub where it is here; nothing at all where there is neither (FED-01). */
export async function examineLinks(context: CommandContext, notes: Notes): Promise<readonly DoctorFinding[]> {
  const stored = storedLinks(context)
  if (stored instanceof HostRefusal) return [notes.fail('links', stored.message)]
  const hub = examineHub(context, notes)
  if (stored.length === 0) return hub
  const client = await findDaemon(context)
  const twins = client === undefined ? [] : await examineTwins(client, notes)
  await client?.close()
  const replies = client === undefined ? [] : await askLinks(client.socketPath, context)
  const { environment } = context
  const authority = new AuthorityFolder(environment)
  const charterOf: CharterOf = (org) => authority.charters().get(org.slice(1))?.document
  const found = stored.flatMap(({ name, text }) => {
    const file = orRefusal(() => decodeLink(text))
    if (file instanceof AgentdError)
      return [notes.fail(name, `The link "${name}" cannot be read: ${file.message}`)]
    const reply = replies.find((one) => one.name === name)
    const estate = readLinkEstate(stateDir(environment), name, environment.uid)
    const nowMs = Date.now()
    const accord = findAccord(file.realm, authority)
    return [
      ...examineLink({ name, file, reply, estate }, nowMs, notes, charterOf),
      ...examineAccord({ name, realm: file.realm }, accord, nowMs, notes),
    ]
  })
  return [...found, ...twins, ...hub]
}

function storedLinks({ environment }: CommandContext): readonly StoredLink[] | HostRefusal {
  try {
    return readLinks(stateDir(environment), environment.uid)
  } catch (error) {
    if (error instanceof HostRefusal) return error
    throw error
  }
}

/** What is found of one. @param nowMs - wall time */
export function examineLink(
  link: Examined,
  nowMs: number,
  notes: Notes,
  charterOf: CharterOf = () => undefined,
): readonly DoctorFinding[] {
  const { name, file, reply, estate } = link
  return [
    stateOf(link, nowMs, notes),
    ...(reply === undefined ? [] : [...carrying(name, reply, notes), ...clocks(name, reply, notes)]),
    ...transport(name, file, notes),
    ...examineEnd({ name, node: file.node, estates: [file.estate, estate] }, nowMs, notes),
    ...examineCharter({ name, file }, charterOf, nowMs, notes),
  ]
}

function stateOf({ name, reply }: Examined, nowMs: number, notes: Notes): DoctorFinding {
  if (reply === undefined)
    return notes.warn(
      name,
      `The link "${name}" is not there: agentd does not run, or has not read it.`,
      'agentd start',
    )
  const sentence = `The link "${name}" is ${stateInWords(reply, nowMs)}`
  const { lanes, state, node, realm } = reply
  // Its bridge has tried both before it says so.
  const both = `${lanes.length === 1 ? 'its lane' : `each of its ${lanes.length} lanes`} can be written and read`
  if (state === 'up') return notes.ok(name, `${sentence}, as ${node} in ${realm}; ${both}.`)
  if (state === 'fenced')
    return notes.fail(
      name,
      `${sentence}.`,
      `another machine has the name "${node}" too: agentd link hub revoke ${node}, and invite each by a name of its own`,
    )
  if (state === 'refused')
    return notes.fail(
      name,
      `${sentence}.`,
      realm.startsWith('p.')
        ? 'a machine that was revoked needs a new file: agentd link hub invite'
        : 'whoever keeps the hub says whether this machine is let in: agentd link hub list',
    )
  return notes.warn(name, `${sentence}.`, 'where the hub is: agentd link hub list')
}

function carrying(name: string, reply: LinkReply, notes: Notes): readonly DoctorFinding[] {
  const { behind, behind_ms: behindMs, figures, lag_ms: lagMs } = reply
  const { max_payload: maxPayload, server, what_leaves: leaves } = reply
  const isNothing = leaves.startsWith(NO_FRAME)
  return [
    ...(isNothing
      ? [
          notes.warn(
            `${name}-leaves`,
            `Nothing leaves over "${name}".`,
            `agentd link allow ${name} --kinds all --presence full`,
          ),
        ]
      : []),
    ...(server !== null && isOlder(server)
      ? [
          notes.warn(
            `${name}-server`,
            `The hub is nats-server ${server}; links want ${SERVER_FLOOR.join('.')} or newer.`,
          ),
        ]
      : []),
    ...(maxPayload !== null && maxPayload < PAYLOAD_FLOOR
      ? [
          notes.warn(
            `${name}-payload`,
            `The hub of "${name}" takes ${formatCount(maxPayload, 'octet')} at once, and what is larger stays here.`,
            `in the hub's configuration: max_payload: ${HUB_MAX_PAYLOAD}`,
          ),
        ]
      : []),
    ...(lagMs !== null && lagMs > LATE_MS
      ? [
          notes.warn(
            `${name}-lag`,
            `"${name}" is ${formatDuration(lagMs)} behind, with ${reply.waiting} waiting.`,
          ),
        ]
      : []),
    ...(behindMs > LATE_MS
      ? [
          notes.warn(
            `${name}-behind`,
            `What comes over "${name}" is ${formatDuration(behindMs)} old, with ${behind} to read.`,
          ),
        ]
      : []),
    ...(figures.holes > 0
      ? [
          notes.warn(
            `${name}-holes`,
            `Something never came over "${name}": it was kept for less long than somebody was away.`,
          ),
        ]
      : []),
    ...(figures.refused > 0
      ? [
          notes.warn(
            `${name}-refused`,
            `${figures.refused} of what came over "${name}" was refused; the log says which.`,
          ),
        ]
      : []),
    ...(reply.is_durable
      ? []
      : [
          notes.warn(
            `${name}-ring`,
            `"${name}" has no replay: the ring is in memory, and a restart forgets what was read.`,
          ),
        ]),
  ]
}

function clocks(name: string, { nodes }: LinkReply, notes: Notes): readonly DoctorFinding[] {
  return nodes.flatMap(({ node, offset_ms: offsetMs }) =>
    offsetMs !== null && Math.abs(offsetMs) > CLOCK_OFF_MS
      ? [
          notes.warn(
            `${name}-clock`,
            `The clock of "${node}" is off by ${formatDuration(offsetMs)}; what expires there does so at another time.`,
            `on ${node}: timedatectl set-ntp true`,
          ),
        ]
      : [],
  )
}

function transport(name: string, file: LinkFile, notes: Notes): readonly DoctorFinding[] {
  if (!isPlain(file)) return []
  return [
    notes.warn(
      `${name}-plain`,
      `"${name}" goes without TLS to ${file.urls.join(', ')}: whoever is on the way reads all of it.`,
    ),
  ]
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  const at = SERVER_FLOOR.findIndex((floor, i) => parts[i] !== floor)
  return at !== -1 && (parts[at] ?? 0) < (SERVER_FLOOR[at] ?? 0)
}
