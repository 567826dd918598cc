/**
 * The way from this page to the process that serves it: signing in with the key of the link, and every request after that.
 *
 * @see SEAT-15, SEAT-16, SEAT-19; docs/http.md §3
 */
import {
  listMember,
  memberOf,
  parseMembers,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import { FIRST_PART, KEPT } from '../../seat/tab-memory.ts'
import { newNonce, proofOf } from './proof.ts'

/** What the process says of itself when somebody signs in. */
export interface SeatFacts {
  readonly principal: string
  /** `human.alice` */
  readonly entity: string
  /** Whether the kernel says who connects. */
  readonly isPeerChecked: boolean
  /** Whether files can be opened in an editor. */
  readonly hasEditor: boolean
  /** Whether keys without Ctrl do something, until the person says otherwise on the page. */
  readonly hasSingleKeys: boolean
  /** Whether the page is to tell the person what needs them (`ui.notify`). */
  readonly isNotifying: boolean
  /** `ui.notify` as it is set; undefined from a process that does not say. */
  readonly notify: string | undefined
}

/** A request of this page. */
export interface DoorCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject | undefined
}

/** How a page got in, or why it did not. */
export type Entry =
  | { readonly kind: 'in'; readonly facts: SeatFacts }
  | { readonly kind: 'out'; readonly code: string; readonly message: string }

/** No cookie goes along: there are only those that others have set for this host, as many as they like. */
const PLAIN = { credentials: 'omit' } as const

/** The field in which the daemon says its version. */
const VERSION_FIELD = 'agentd-version'

/** The field in which the process says whether it has signed. */
const SIGNED_FIELD = 'agentd-signed'

/** A page's own end of it. */
export class Door {
  #token = ''
  /** Whether the process has shown that it is itself since the connection broke. */
  #isProven = true

  /** Signs in with the key in the address, which is gone from there before anything is asked; or with what a reload left. */
  async enter(): Promise<Entry> {
    const key = location.hash.slice(1).replace(/^key=/, '')
    if (key !== '') {
      history.replaceState(null, '', location.pathname)
      const outcome = await this.#fetch({ method: 'POST', path: '/login', body: { key } })
      if (outcome.kind === 'unanswered') return { kind: 'out', code: 'process-gone', message: '' }
      if (outcome.kind === 'refused') return { kind: 'out', code: outcome.code, message: outcome.message }
      const token = textMember(outcome.body, 'token') ?? ''
      self.name = token.slice(0, FIRST_PART)
      sessionStorage.setItem(KEPT, JSON.stringify({ ...outcome.body, token: token.slice(FIRST_PART) }))
    }
    const kept = parseMembers(sessionStorage.getItem(KEPT) ?? '')
    if (kept === undefined) return { kind: 'out', code: 'signed-out', message: '' }
    this.#token = self.name + (textMember(kept, 'token') ?? '')
    this.#isProven = key !== ''
    return { kind: 'in', facts: readFacts(kept) }
  }

  /** The connection broke: whoever is at the port has to show first that it is the same process. */
  broke(): void {
    this.#isProven = false
  }

  /** The token is worth nothing any more. */
  forget(): void {
    this.#token = self.name = ''
    sessionStorage.removeItem(KEPT)
  }

  /** Asks once, and never again by itself. */
  async call(request: DoorCall): Promise<CallOutcome> {
    const fault = await this.prove()
    return fault ?? this.#fetch(request)
  }

  /**
   * Opens the watch.
   *
   * @returns the response, whose body is the stream; otherwise why there is none
   */
  async open(path: string, lastEventId: string, signal: AbortSignal): Promise<Response | CallOutcome> {
    const fault = await this.prove()
    if (fault !== undefined) return fault
    try {
      const headers = { ...this.#headers(), ...(lastEventId !== '' && { 'last-event-id': lastEventId }) }
      const response = await fetch(path, { headers, signal, ...PLAIN })
      return response.ok ? response : await outcomeOf(response)
    } catch {
      this.broke()
      return { kind: 'unanswered' }
    }
  }

  /** @returns undefined once the process has shown that it is itself */
  async prove(): Promise<CallOutcome | undefined> {
    if (this.#isProven) return undefined
    const nonce = newNonce()
    const outcome = await this.#fetch({ method: 'GET', path: `/hello?nonce=${nonce}` }, false)
    if (outcome.kind !== 'done') return outcome
    const proof = await proofOf(this.#token, nonce)
    if (!listMember(outcome.body, 'proofs').includes(proof)) {
      return { kind: 'refused', code: 'signed-out', message: '' }
    }
    this.#isProven = true
    return undefined
  }

  async #fetch({ method, path, body }: DoorCall, withToken = true): Promise<CallOutcome> {
    const headers = {
      ...(withToken && this.#headers()),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    try {
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      return await outcomeOf(await fetch(path, { method, headers, ...PLAIN, ...content }))
    } catch {
      // Whatever the reason: it went out or it did not, and no answer came.
      this.broke()
      return { kind: 'unanswered' }
    }
  }

  #headers(): Record<string, string> {
    return this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }
  }
}

async function outcomeOf(response: Response): Promise<CallOutcome> {
  const body = parseMembers(await response.text()) ?? {}
  const { ok, headers } = response
  const signed = headers.get(SIGNED_FIELD)
  const isSigned = signed === null ? undefined : signed === 'true'
  if (ok) return { kind: 'done', body, version: headers.get(VERSION_FIELD) ?? '', isSigned }
  const code = textMember(body, 'code') ?? String(response.status)
  return { kind: 'refused', code, message: textMember(body, 'message') ?? '' }
}

function readFacts(said: JsonObject): SeatFacts {
  const principal = textMember(said, 'principal') ?? '~'
  const notify = textMember(said, 'notify')
  return {
    principal,
    entity: textMember(said, 'entity') ?? `human.${principal.slice(1)}`,
    isPeerChecked: textMember(said, 'peer_check') !== 'unavailable',
    hasEditor: memberOf(said, 'editor') === true,
    hasSingleKeys: memberOf(said, 'single_keys') !== false,
    isNotifying: notify === 'auto' || notify === 'page',
    notify,
  }
}
