/**
 * What the person does, asked of the daemon: once, in the name of the person, and never again by itself.
 *
 * @see SEAT-05, SEAT-19, SEAT-23
 */
import { AgentdError } from '../../../core/errors.ts'
import { objectOf, parseMembers, type JsonObject } from '../../../core/text/json-object.ts'
import { memberOf } from '../../../core/text/json-object.ts'
import { AgentdUnknownAnswer, AgentdUnreachable } from '../../../client/index.ts'
import type { Call, Connection } from '../../../client/http/connection.ts'
import type { SeatRequest } from '../../seat/needs/answers.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import type { Presence } from '../../serve/upstream/presence.ts'

/** What a frame says it rests on when a person wrote it. */
const PERSON_BASIS = 'person'

const VERB_PATH = /^\/v1\/verbs\/(\w+)$/

/** Asks for one terminal. */
export class SeatCalls {
  readonly #connection: Connection
  readonly #presence: Presence

  constructor(connection: Connection, presence: Presence) {
    this.#connection = connection
    this.#presence = presence
  }

  /** Asks as the seat's session. */
  async call(request: SeatRequest): Promise<CallOutcome> {
    const call = callOf(request)
    const first = await this.#ask(call, await this.#presence.token().catch(() => undefined))
    return first ?? (await this.#ask(call, await this.#presence.token().catch(() => undefined))) ?? UNANSWERED
  }

  /** Says that an item was shown (SEAT-04); that it could not be said is nobody's matter. */
  async seen(eventId: string): Promise<void> {
    await this.call({ method: 'POST', path: '/v1/seen', body: { event_ids: [eventId], via: 'stream' } })
  }

  /** One item in full, and its receipts. */
  item(eventId: string): Promise<CallOutcome> {
    return perform(this.#connection, { route: 'getEvent', path: { event_id: eventId } })
  }

  /** @returns undefined where the session is not known any more: nothing was done, and there is another one by now */
  async #ask(call: Call | undefined, token: string | undefined): Promise<CallOutcome | undefined> {
    if (call === undefined || token === undefined) return UNANSWERED
    const outcome = await perform(this.#connection.withToken(token), call)
    if (outcome.kind !== 'refused' || outcome.code !== 'unauthenticated') return outcome
    await this.#presence.lost(token)
    return undefined
  }
}

const UNANSWERED: CallOutcome = { kind: 'unanswered' }

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
    if (error instanceof AgentdError) return { kind: 'refused', code: error.code, message: error.message }
    if (error instanceof AgentdUnknownAnswer)
      return { kind: 'refused', code: error.code ?? String(error.status), message: error.message }
    if (error instanceof AgentdUnreachable) return UNANSWERED
    throw error
  }
}

/** @returns undefined for what a seat at a terminal does not ask */
function callOf({ path, body = {} }: SeatRequest): Call | undefined {
  const verb = VERB_PATH.exec(path)?.[1]
  if (verb !== undefined) return { route: 'callVerb', path: { verb }, body: asPerson(body) }
  if (path === '/v1/envelopes') return { route: 'submitEnvelope', body }
  return path === '/v1/seen' ? { route: 'markSeen', body } : undefined
}

/** Who speaks from here is the person, and says so (SEAT-05). */
function asPerson(body: JsonObject): JsonObject {
  return { ...body, provenance: { ...objectOf(memberOf(body, 'provenance')), basis: PERSON_BASIS } }
}
