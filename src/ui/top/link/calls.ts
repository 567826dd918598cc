/**
 * What the person does, asked of the daemon: once, in the name of the person, and never again by itself.
 *
 * @see SEAT-05, SEAT-19, SEAT-23
 */
import { AgentdError } from '../../../core/errors.ts'
import { memberOf, objectOf, parseMembers, type JsonObject } from '../../../core/text/json-object.ts'
import { AgentdUnknownAnswer, AgentdUnreachable, HostRefusal } from '../../../client/index.ts'
import type { Call, Connection } from '../../../client/http/connection.ts'
import type { SeatRequest } from '../../seat/needs/answers.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import type { Presence } from '../../serve/upstream/presence.ts'
import type { Signing } from '../../serve/upstream/signing.ts'
import { LISTED_AT_ONCE } from '../../seat/threads/thread-list.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'

/** What a frame says it rests on when a person wrote it. */
const PERSON_BASIS = 'person'

const ENVELOPES_PATH = '/v1/envelopes'
const VERB_PATH = /^\/v1\/verbs\/(\w+)$/
const FORGET_PATH = '/v1/frames?'

/** What it asks with. */
export interface CallsParts {
  readonly connection: Connection
  readonly presence: Presence
  /** With the person's keys; loaded when the first envelope is answered. */
  readonly loadSigning: () => Promise<Signing>
}

/** Asks for one terminal. */
export class SeatCalls {
  readonly #parts: CallsParts

  constructor(parts: CallsParts) {
    this.#parts = parts
  }

  /** Asks as the seat's session; the answer to an approval is signed where there is a key. */
  async call(request: SeatRequest): Promise<CallOutcome> {
    // Of the person alone: no session may forget.
    if (request.path.startsWith(FORGET_PATH))
      return perform(this.#parts.connection, forgetCall(request.path.slice(FORGET_PATH.length)))
    if (request.path !== ENVELOPES_PATH || request.body === undefined) return this.#askTwice(callOf(request))
    try {
      const signing = await this.#parts.loadSigning()
      const bytes = Buffer.from(JSON.stringify(request.body))
      const { bytes: text, isSigned } = signing.sign({ kind: 'body', bytes, value: request.body })
      const outcome = await this.#askTwice({
        route: 'submitEnvelope',
        body: parseMembers(text.toString('utf8')) ?? {},
      })
      return outcome.kind === 'done' ? { ...outcome, isSigned } : outcome
    } catch (error) {
      // Nothing was sent: whether it is to go unsigned is the person's to say.
      if (error instanceof HostRefusal)
        return { kind: 'refused', code: 'keys-refused', message: error.message }
      throw error
    }
  }

  /** Whether the answer to an approval would be signed now; undefined where the keys may not be read. */
  async willSign(): Promise<boolean | undefined> {
    try {
      return (await this.#parts.loadSigning()).hasKey
    } catch (error) {
      if (error instanceof HostRefusal) return undefined
      throw error
    }
  }

  /** Says that an item was shown (SEAT-04); that it could not be said is nobody's matter. */
  async seen(eventId: string): Promise<void> {
    await this.call({ method: 'POST', path: '/v1/seen', body: { event_ids: [eventId], via: 'stream' } })
  }

  /** One item in full, and its receipts. */
  item(eventId: string): Promise<CallOutcome> {
    return perform(this.#parts.connection, { route: 'getEvent', path: { event_id: eventId } })
  }

  /** The newest workflows. */
  threads(): Promise<CallOutcome> {
    return perform(this.#parts.connection, { route: 'getThreads', query: { limit: LISTED_AT_ONCE } })
  }

  /** One of them, drawn as the page draws it; what reads it is loaded when somebody looks. */
  async thread(corr: string): Promise<ThreadView | NotDone> {
    const { readThread } = await import('../../serve/upstream/thread-reader.ts')
    try {
      return await readThread(this.#parts.connection, corr)
    } catch (error) {
      return whyNot(error)
    }
  }

  /** A session that is not known any more was refused with nothing done, so it is asked once more, as another one. */
  async #askTwice(call: Call | undefined): Promise<CallOutcome> {
    if (call === undefined) return UNANSWERED
    return (await this.#ask(call)) ?? (await this.#ask(call)) ?? UNANSWERED
  }

  async #ask(call: Call): Promise<CallOutcome | undefined> {
    const { connection, presence } = this.#parts
    const token = await presence.token().catch(() => undefined)
    if (token === undefined) return UNANSWERED
    const outcome = await perform(connection.withToken(token), call)
    if (outcome.kind !== 'refused' || outcome.code !== 'unauthenticated') return outcome
    await presence.lost(token)
    return undefined
  }
}

type NotDone = Exclude<CallOutcome, { kind: 'done' }>

const UNANSWERED: NotDone = { kind: 'unanswered' }

async function perform(connection: Connection, call: Call): Promise<CallOutcome> {
  try {
    const { body, headers } = await connection.perform(call)
    const version = headers['agentd-version']
    return {
      kind: 'done',
      body: parseMembers(body.toString('utf8')) ?? {},
      version: typeof version === 'string' ? version : '',
    }
  } catch (error) {
    return whyNot(error)
  }
}

/** @throws whatever is no answer of a daemon, and not for want of one */
function whyNot(error: unknown): NotDone {
  if (error instanceof AgentdError) return { kind: 'refused', code: error.code, message: error.message }
  if (error instanceof AgentdUnknownAnswer)
    return { kind: 'refused', code: error.code ?? String(error.status), message: error.message }
  if (error instanceof AgentdUnreachable) return UNANSWERED
  throw error
}

function forgetCall(query: string): Call {
  return { route: 'forgetFrames', query: Object.fromEntries(new URLSearchParams(query)) }
}

/** @returns undefined for what a seat at a terminal does not ask */
function callOf({ path, body = {} }: SeatRequest): Call | undefined {
  const verb = VERB_PATH.exec(path)?.[1]
  if (verb !== undefined) return { route: 'callVerb', path: { verb }, body: asPerson(body) }
  return path === '/v1/seen' ? { route: 'markSeen', body } : undefined
}

/** Who speaks from here is the person, and says so (SEAT-05). */
function asPerson(body: JsonObject): JsonObject {
  return { ...body, provenance: { ...objectOf(memberOf(body, 'provenance')), basis: PERSON_BASIS } }
}
