/**
 * What a one-shot command says about what came of it: the same lines whichever way it took.
 *
 * Pure, and light: telling trouble takes `run/report.ts`, which the short way loads only then.
 */
import { escapeUnseen } from '../../core/text/unseen.ts'
import { formatSentFrame, isPlaced, type SentFrame } from '../../protocol/verb/sent-line.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import type { Trouble, Unanswered } from '../run/report.ts'
import type { OneAnswer } from '../../client/http/one-call.ts'

/** What a session or a node is called. */
const LABEL = /^[a-z0-9-]{1,32}$/

/** A node as others call it: `devbox`, or of another person `~bob/box`. */
const NODE = /^(?:~[a-z0-9-]{1,32}\/)?[a-z0-9-]{1,32}$/

/** How results are printed. */
export interface Manner {
  readonly json: boolean
  readonly quiet: boolean
}

/** The parts of an answer that are told; all of it is the daemon's word, and read as such. */
interface Sent extends SentFrame {
  readonly frameId: string | undefined
}

/** What an answer comes to: something to print, or trouble and the exit code that goes with it. */
export type VerbOutcome =
  | { readonly kind: 'sent'; readonly sent: Sent; readonly text: string }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly exit: ExitCode }
  | Unanswered

/** Reads the answer; all of it is the daemon's word. */
export function readOutcome(answer: OneAnswer, socketPath: string): VerbOutcome {
  if (answer.kind !== 'answered') return { ...answer, socketPath }
  const value = readObject(answer.text)
  const sent = answer.status === 200 ? readSent(value) : undefined
  if (sent !== undefined) return { kind: 'sent', sent, text: answer.text }
  const code = readText(value, 'code')
  if (code === undefined) {
    const message = `The peer answered ${answer.status} without saying what agentd would; is it agentd?`
    return { kind: 'trouble', trouble: { code: 'defect', message }, exit: EXIT.defect }
  }
  const trouble = { code, field: readText(value, 'field'), message: readText(value, 'message') ?? '' }
  return { kind: 'trouble', trouble, exit: EXIT.refused }
}

/** The lines, or the object, that an accepted frame is told by. */
export function formatSent({ sent, text }: Extract<VerbOutcome, { kind: 'sent' }>, manner: Manner): string {
  if (manner.json) return `${escapeUnseen(text)}\n`
  const { newLease } = sent
  if (manner.quiet) return newLease === undefined ? '' : `${newLease}\n`
  return formatSentFrame(sent)
}

/** @returns undefined for what is no answer of a verb */
function readSent(value: object | undefined): Sent | undefined {
  const recipientCount = readMember(value, 'recipient_count')
  const queuedCount = readMember(value, 'queued_count')
  const kind = readText(readMember(value, 'frame'), 'kind')
  if (typeof recipientCount !== 'number' || typeof queuedCount !== 'number' || kind === undefined) {
    return undefined
  }
  const newLease = kind === 'agent_lock_request' ? readText(value, 'lease_id') : undefined
  const near = readNames(readMember(value, 'near'))
  const warnings = readSentences(readMember(value, 'warnings'))
  return {
    kind,
    recipientCount,
    queuedCount,
    peopleCount: readNumber(value, 'people_count'),
    terminalCount: readNumber(value, 'terminal_count'),
    org: readOrg(readMember(value, 'org')),
    remote: readElsewhere(readMember(value, 'remote')),
    near,
    warnings,
    newLease,
    isPlaced: kind === 'agent_handover' ? isHandoverPlaced(value) : undefined,
    kept: readKept(readMember(value, 'kept')),
    frameId: readText(value, 'frame_id'),
  }
}

function readOrg(org: unknown): Sent['org'] {
  const [members, reached] = [readMember(org, 'members'), readMember(org, 'reached')]
  return typeof members === 'number' && typeof reached === 'number' ? { members, reached } : undefined
}

function readElsewhere(remote: unknown): Sent['remote'] {
  const sessions = readMember(remote, 'sessions')
  if (typeof sessions !== 'number') return undefined
  const [nodes = [], away = [], untold = []] = ['nodes', 'away', 'untold'].map((name) =>
    readLabels(remote, name),
  )
  return { sessions, nodes, away, untold }
}

function readLabels(remote: unknown, name: string): readonly string[] {
  const labels = readMember(remote, name)
  return Array.isArray(labels) ? labels.filter((one) => typeof one === 'string' && NODE.test(one)) : []
}

/** Names and nothing else: they go to the terminal as they are. */
function readNames(near: unknown): readonly string[] {
  const names = Array.isArray(near) ? near.map((one) => readText(one, 'name') ?? '') : []
  return names.filter((name) => LABEL.test(name))
}

/** What the daemon says; a scope that it repeats was checked by it, and is made harmless here all the same. */
function readSentences(warnings: unknown): readonly string[] {
  const sentences = Array.isArray(warnings) ? warnings.map((one) => readText(one, 'message') ?? '') : []
  return sentences.filter((sentence) => sentence !== '').map((sentence) => escapeUnseen(sentence))
}

function isHandoverPlaced(value: unknown): boolean {
  const payload = readMember(readMember(value, 'frame'), 'payload')
  return isPlaced(readMember(payload, 'previous_session_id'), readMember(payload, 'pointer_refs'))
}

function readKept(value: unknown): SentFrame['kept'] {
  const [path, octets] = [readText(value, 'path'), readMember(value, 'octets')]
  return path === undefined || typeof octets !== 'number' ? undefined : { path: escapeUnseen(path), octets }
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value instanceof Object ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readMember(value: unknown, name: string): unknown {
  return value instanceof Object ? Reflect.get(value, name) : undefined
}

function readNumber(value: unknown, name: string): number | undefined {
  const number = readMember(value, name)
  return typeof number === 'number' ? number : undefined
}

function readText(value: unknown, name: string): string | undefined {
  const text = readMember(value, name)
  return typeof text === 'string' ? text : undefined
}
