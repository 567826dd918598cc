/**
 * Registering a runtime's session with the daemon, and carrying one on under another id.
 *
 * @see docs/http.md §4; PD-04; docs/runtimes.md §10 rule 2
 */
import { readPersonKey } from '../../host/config/paths.ts'
import { setTimeout } from 'node:timers/promises'
import { findForebear, describeProcess, type Forebear } from '../../host/process/ancestry.ts'
import { fingerprint } from '../memory/fingerprint.ts'
import { HookStore } from '../memory/hook-store.ts'
import { newHookState, type HookState } from '../memory/hook-state.ts'
import { processStartTime } from '../../host/process/processes.ts'
import { findCheckout, realPath } from '../../host/repository.ts'
import type { HookContext, OwnSession } from './context.ts'
import { isAttended } from './attended.ts'
import { deliveryOf, findWakeChannels } from '../events/wake-channels.ts'
import type { DaemonReply } from './link.ts'
import { KEEP_STATE_MS } from '../events/budget.ts'
import { textMember } from '../events/members.ts'
import { findPredecessor } from './predecessor.ts'

/** Bounds of the wire, in octets. */
const MAX_PATH_OCTETS = 4_096
const MAX_NAME_OCTETS = 256

/** How long a hook that runs beside this one may take to write down its token, and how often we look. */
const TWIN_MS = 150
const TWIN_LOOK_MS = 10

/** Of a handle's body. */
const MAX_LABEL_CHARS = 32

/**
 * Registers, updates, or takes over. A subagent's event never comes here.
 *
 * @returns undefined when the daemon refuses
 * @throws Unreached
 */
export async function register(context: HookContext): Promise<OwnSession | undefined> {
  const { event, store, fileName, nowMs } = context
  const known = store.read(fileName)
  const forebear = runtimeProcess(context)
  const pid = forebear?.pid
  const pidStart = pid === undefined ? undefined : processStartTime(pid)
  const before = known?.token === undefined ? findPredecessor(context, { pid, pidStart }) : undefined
  const channels = { ...known?.wakeChannels, ...findWakeChannels(event, context.environment, forebear) }
  const facts = factsOf(context, known ?? before)
  const body = {
    ...facts.body,
    ...(pid !== undefined && { pid }),
    delivery: deliveryOf(
      event.runtime,
      context.settings.wakesIdle ? channels : {},
      known?.waiter?.kind === 'rewake' && isAttended(event.runtime, context.environment),
    ),
    ...(before !== undefined && { successor_of: addressWithoutHandle(before) }),
  }
  const done = await post(context, { body, token: known?.token, predecessor: before })
  const token = done && textMember(done.reply.body, 'token')
  if (done === undefined || token === undefined) return undefined
  const state = store.update(fileName, (current) => ({
    ...(current ?? newHookState(event.runtime.id, event.sessionId, nowMs)),
    ...(done.reply.status === 201 && { said: undefined }),
    ...inherited(before, event.cause),
    ...facts.place,
    endedMs: undefined,
    heir: undefined,
    atMs: nowMs,
    address: textMember(done.reply.body, 'address'),
    handle: textMember(done.reply.body, 'handle'),
    token,
    registration: done.body,
    pid,
    pidStart,
    wakeChannels: channels,
    hasBoard: false,
    boardAt: textMember(done.reply.body, 'event_id'),
  }))
  if (state === undefined) return undefined
  if (before !== undefined) await retire(context, before)
  // There is no better moment to forget those long gone than the start of another.
  if (event.name === 'session-start') store.sweep(nowMs, KEEP_STATE_MS)
  return { token, state }
}

/** The runtime's process: what it says itself, or the nearest forebear that is no shell. */
function runtimeProcess({ event, environment }: HookContext): Forebear | undefined {
  const { pidVariable } = event.runtime
  const said = pidVariable === undefined ? Number.NaN : Number(environment.env[pidVariable])
  if (Number.isInteger(said) && said > 1) return describeProcess(said) ?? findForebear()
  return findForebear()
}

interface Facts {
  readonly body: Readonly<Record<string, unknown>>
  readonly place: Pick<HookState, 'repository' | 'worktree' | 'branch'>
}

function factsOf({ event }: HookContext, known: HookState | undefined): Facts {
  const { tool } = event.runtime
  const found = event.cwd === undefined ? undefined : findCheckout(event.cwd)
  const worktree = found?.worktree ?? (event.cwd === undefined ? known?.worktree : realPath(event.cwd))
  const draftedWith = instrumentHandle(tool, event.model) ?? known?.registration?.['drafted_with']
  const body = {
    instrument: tool,
    session_id: wireSessionId(event.sessionId),
    tool,
    mailbox: true,
    agent: true,
    ...(typeof draftedWith === 'string' && { drafted_with: draftedWith }),
    ...short('title', event.title, MAX_NAME_OCTETS),
    ...short('cwd', event.cwd, MAX_PATH_OCTETS),
    ...short('repository', found?.commonDir, MAX_PATH_OCTETS),
    ...short('worktree', worktree, MAX_PATH_OCTETS),
    ...short('branch', found?.branch, MAX_NAME_OCTETS),
  }
  return { body, place: { repository: found?.commonDir, worktree, branch: found?.branch } }
}

/** What a successor takes along: its work goes on, but after `/clear` it has been shown nothing yet. */
function inherited(before: HookState | undefined, cause: string | undefined): Partial<HookState> {
  if (before === undefined) return {}
  const { edits, ownFrames, leases, board, wakes, shown, said } = before
  // The runtime's own waiter ends with its session, and while it does it must not keep the successor's out.
  const waiter = before.waiter?.kind === 'rewake' ? undefined : before.waiter
  const isBlank = cause === 'clear' || cause === 'compact'
  return {
    edits,
    ownFrames,
    leases,
    board,
    wakes,
    said,
    ...(waiter && { waiter }),
    ...(!isBlank && { shown }),
  }
}

interface Posted {
  readonly reply: DaemonReply
  readonly body: Readonly<Record<string, unknown>>
}

/** A registration as it is wished for. */
interface Wish {
  readonly body: Readonly<Record<string, unknown>>
  readonly token: string | undefined
  /** The session that is carried on; its token shows that it is ours to carry on (HD-01). */
  readonly predecessor: HookState | undefined
}

/** Tries, and tries once more in the way each refusal asks for. */
async function post(context: HookContext, wish: Wish): Promise<Posted | undefined> {
  const predecessorToken = wish.predecessor?.token
  const key = readPersonKey(context.environment)
  const headers = {
    ...(predecessorToken !== undefined && { 'agentd-predecessor': predecessorToken }),
    ...(key !== undefined && { 'agentd-key': key }),
  }
  let { body, token } = wish
  // One try for each of the refusals below, and the one that is granted.
  for (let tries = 0; tries < 6; tries += 1) {
    const reply = await context.link.send({ method: 'POST', path: '/v1/sessions', body, token, headers })
    const { status } = reply
    if (status === 200 || status === 201) return { reply, body }
    // The daemon has begun anew, or the token was revoked.
    if (status === 401 && token !== undefined) token = undefined
    // The one to carry on lives, and nothing shows that it was us: then without what waits for it.
    else if (status === 409 && textMember(reply.body, 'field') === 'successor_of')
      body = { ...body, successor_of: undefined }
    else if (status === 409) {
      // Another hook of this very session, at this very moment; or the token was lost with our memory: a name
      // beside it, and the mail of the old one.
      const shared = wish.token === undefined ? await tokenOfTwin(context) : undefined
      if (shared === undefined) body = besideOf(body, context.nowMs)
      else token = shared
    }
    // The principal's own name is that of the tool, as in a container of its own.
    else if (status === 403 && textMember(reply.body, 'field') === 'drafted_with')
      body = { ...body, drafted_with: `~${String(body['instrument'])}-agent` }
    else return undefined
  }
  return undefined
}

/**
 * The token that a hook that runs beside this one has been given. Copilot runs those of its first prompt and of
 * the start of the session at once; whoever comes second waits until the first has written down what it got.
 */
async function tokenOfTwin({ store, fileName }: HookContext): Promise<string | undefined> {
  for (let waitedMs = 0; waitedMs < TWIN_MS; waitedMs += TWIN_LOOK_MS) {
    const token = store.read(fileName)?.token
    if (token !== undefined) return token
    await setTimeout(TWIN_LOOK_MS)
  }
  return undefined
}

function besideOf(body: Readonly<Record<string, unknown>>, nowMs: number): Readonly<Record<string, unknown>> {
  const held = String(body['session_id'])
  const suffix = `.${nowMs.toString(36)}`
  return {
    ...body,
    session_id: `${held.slice(0, 128 - suffix.length)}${suffix}`,
    successor_of: `${String(body['instrument'])}@${held}`,
  }
}

/** The predecessor's file stays as a sign to its heir: an MCP server started with the old id still asks for it. */
async function retire({ link, store, event, nowMs }: HookContext, before: HookState): Promise<void> {
  const fileName = HookStore.fileName(before.runtime, before.sessionId)
  store.update(
    fileName,
    (state) => state && { ...state, heir: event.sessionId, endedMs: nowMs, token: undefined },
  )
  if (before.token !== undefined) {
    await link.send({ method: 'DELETE', path: '/v1/sessions/self', token: before.token })
  }
}

function addressWithoutHandle({ address = '' }: HookState): string {
  return address.slice(address.indexOf('/') + 1)
}

/** The runtime's id in the grammar of the wire; one that had to be changed stays told apart by its digest. */
export function wireSessionId(sessionId: string): string {
  const folded = sessionId.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 128)
  return folded === sessionId ? folded : `${folded.slice(0, 119)}-${fingerprint(sessionId).slice(0, 8)}`
}

/** `cc` and `claude-opus-4-6` make `~cc-opus-4-6`; undefined without a model, or for one that gives no handle. */
export function instrumentHandle(tool: string, model: string | undefined): string | undefined {
  if (model === undefined) return undefined
  const name = model
    .slice(0, 256)
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^claude-/, '')
    .replace(/-?20\d{6}.*$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  const body = `${tool}-${name.replace(/^-/, '')}`.slice(0, MAX_LABEL_CHARS).replace(/-+$/, '')
  return body === tool ? undefined : `~${body}`
}

function short(name: string, value: string | undefined, octets: number): Readonly<Record<string, string>> {
  return value === undefined || Buffer.byteLength(value) > octets ? {} : { [name]: value }
}
