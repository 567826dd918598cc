/**
 * A bus over HTTP: frames and envelopes in, streams out, and sessions where it registers any.
 */
import { AdapterError, type Answer } from '../adapter.ts'
import { isJsonObject, requireText, type JsonObject } from '../json.ts'
import type { BusOptions } from '../options.ts'
import { exchange, toAnswer, type BusReply } from './requests.ts'
import { openStream, type Opened } from './subscription.ts'

/** How often it is looked whether earlier subscribers are gone, at the most. */
export const MAX_PROBES = 200

/** Between two such looks. */
const PROBE_MS = 10

const JSON_TYPE = { 'content-type': 'application/json' }

/** A session that was registered. */
export interface Registered {
  readonly token: string
}

export class Bus {
  readonly #base: string
  readonly #options: BusOptions

  /** @param base - `http://…`, or the path of a Unix socket */
  constructor(base: string, options: BusOptions) {
    this.#base = base
    this.#options = options
  }

  get entity(): string {
    return this.#options.entity
  }

  get hasEnvelopes(): boolean {
    return this.#options.envelopes !== undefined
  }

  get hasSessions(): boolean {
    return this.#options.sessions !== undefined
  }

  get hasKeys(): boolean {
    return this.#options.hasKeys
  }

  /** A question with the handle of this bus in place of `~alice`. */
  adapt(question: JsonObject): JsonObject {
    const { handle } = this.#options
    if (handle === '~alice') return question
    const adapted: unknown = JSON.parse(JSON.stringify(question).replaceAll(/~alice(?![a-z0-9-])/g, handle))
    return isJsonObject(adapted) ? adapted : question
  }

  /** Submits the text of a frame as it is, with its scope in the query. */
  async submit(frame: string, scope: unknown, token?: string): Promise<Answer> {
    const { submit, scopeName } = this.#options
    const query =
      typeof scope === 'string' ? `?${new URLSearchParams({ [scopeName]: scope }).toString()}` : ''
    return toAnswer(await this.#post(`${submit}${query}`, frame, token))
  }

  /** Submits the text of an envelope. */
  async submitEnvelope(text: string, token?: string): Promise<Answer> {
    return toAnswer(await this.#post(this.#options.envelopes ?? '', text, token))
  }

  /** Opens a stream of the handle. @param query - what stands behind the path */
  openStream(query: URLSearchParams, headers: Readonly<Record<string, string>> = {}): Promise<Opened> {
    return this.#open(this.#streamPath, query, headers)
  }

  /** Opens a stream of envelopes to an entity, which a stream of frames alone has no room for. */
  openEntity(entity: string): Promise<Opened> {
    return this.#open(this.#streamPath.replace(/\?.*$/, ''), new URLSearchParams({ entities: entity }), {})
  }

  get #streamPath(): string {
    return this.#options.stream.replace('{handle}', this.#options.handle)
  }

  #open(path: string, query: URLSearchParams, headers: Readonly<Record<string, string>>): Promise<Opened> {
    const separator = path.includes('?') ? '&' : '?'
    const rest = query.size === 0 ? '' : `${separator}${query.toString()}`
    return openStream(this.#base, `${path}${rest}`, { ...this.#options.headers, ...headers })
  }

  /** Registers a session. @throws AdapterError when the bus does not */
  async register(session: JsonObject): Promise<Registered> {
    const reply = await this.#post(this.#options.sessions ?? '', JSON.stringify(session))
    if (reply.status < 300 && isJsonObject(reply.body)) return { token: requireText(reply.body, 'token') }
    throw new AdapterError(`no session: ${JSON.stringify(reply.body)}`)
  }

  async unregister({ token }: Registered): Promise<void> {
    const path = `${this.#options.sessions ?? ''}/self`
    await exchange(this.#base, { method: 'DELETE', path, headers: this.#headers(token) })
  }

  async verb(name: string, args: unknown): Promise<Answer> {
    return toAnswer(await this.#post(`/v1/verbs/${name}`, JSON.stringify(args)))
  }

  /**
   * Waits until a frame to everybody reaches nobody.
   *
   * @throws AdapterError when somebody else is there, who would be counted
   */
  async untilQuiet(probe: () => string): Promise<void> {
    for (let tries = 0; tries < MAX_PROBES; tries += 1) {
      const { ok, recipient_count: count } = await this.submit(probe(), undefined)
      if (ok !== true) throw new AdapterError('the bus refuses a plain advisory to its own handle')
      if (count === 0) return
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
    }
    throw new AdapterError('somebody else is subscribed to this bus; start one of its own for the run')
  }

  #post(path: string, body: string, token?: string): Promise<BusReply> {
    return exchange(this.#base, {
      method: 'POST',
      path,
      headers: { ...this.#headers(token), ...JSON_TYPE },
      body,
    })
  }

  #headers(token?: string): Readonly<Record<string, string>> {
    return { ...this.#options.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  }
}
