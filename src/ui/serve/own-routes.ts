/**
 * What ends in this process: signing in and out, showing that it is itself, where a file stands, which key signs, a
 * workflow drawn, and whether somebody sees a page.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-05, SEAT-15, SEAT-16, SEAT-17, SEAT-29, SEAT-43
 */
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import type { NotifyWay } from './alerts/desktop.ts'
import { jsonAnswer, type SeatAnswer } from './entry/answer.ts'
import type { JsonBody } from './entry/body.ts'
import { enteredAnswer, notEnteredAnswer } from './entry/opening.ts'
import { refusal, type SeatRefusal } from './entry/refusal.ts'
import type { OwnMatch } from './entry/routes.ts'
import { Guesses } from './keys/guesses.ts'
import type { Links } from './keys/links.ts'
import type { Seat, Seats } from './keys/seats.ts'
import type { Editor } from './upstream/editor.ts'
import { humanEntity } from './upstream/human.ts'
import type { Pages } from './upstream/pages.ts'
import type { Signing } from './upstream/signing.ts'
import type { ThreadReader } from './upstream/thread-reader.ts'

/** What a browser may have as a nonce. */
const NONCE = /^[\w-]{16,128}$/

/** What a page is told of where it is; nothing of it is secret. */
export interface SeatFacts {
  readonly principal: string
  /** Whether the kernel says who connects. */
  readonly peer_check: 'kernel' | 'unavailable'
  /** Whether files can be opened in an editor. */
  readonly editor: boolean
  /** How the person is told of what needs them: `ui.notify`. */
  readonly notify: NotifyWay
  /** Whether keys without Ctrl do something at first: `ui.single_keys`. */
  readonly single_keys: boolean
}

/** What they are made from. */
export interface OwnParts {
  readonly facts: SeatFacts
  readonly clock: Clock
  readonly links: Links
  readonly seats: Seats
  readonly pages: Pages
  readonly editor: Editor
  readonly signing: Signing
  readonly threads: ThreadReader
  readonly log: Logger
}

/** A request for one of them. */
export interface OwnRequest {
  readonly match: OwnMatch
  /** Undefined where nobody has to be signed in. */
  readonly seat: Seat | undefined
  readonly body: JsonBody | undefined
  /** Whether it is a form, of a window that shows what comes back. */
  readonly isForm: boolean
}

/** What a page is told that signs in. */
interface SignedIn extends SeatFacts {
  readonly kind?: undefined
  readonly token: string
  readonly entity: string
}

type Answer = (SeatAnswer & { readonly kind?: undefined }) | SeatRefusal

export class OwnRoutes {
  readonly #parts: OwnParts
  readonly #guesses: Guesses

  constructor(parts: OwnParts) {
    this.#parts = parts
    this.#guesses = new Guesses(parts.clock, () => {
      parts.log.warn('key-guesses', { within_seconds: 60 })
      parts.pages.tellAll({ what: 'guesses' })
    })
  }

  /** @returns what is written back */
  answer({ match, seat, body, isForm }: OwnRequest): Answer | Promise<Answer> {
    if (match.route === 'login') return this.#answerLogIn(body?.value['key'], isForm)
    if (match.route === 'hello') return this.#greet(match.query['nonce'])
    if (match.route === 'thread') return this.#parts.threads.find(match.query)
    if (match.route === 'editor') return this.#parts.editor.find(match.query)
    if (match.route === 'signing') return this.#parts.signing.tell()
    if (match.route === 'visible') return this.#see(seat, body?.value['visible'])
    if (seat !== undefined) this.#parts.seats.end(seat)
    return jsonAnswer({ signed_out: true })
  }

  async #answerLogIn(key: unknown, isForm: boolean): Promise<Answer> {
    const came = await this.#logIn(key)
    if (came.kind === 'refused') return isForm ? notEnteredAnswer(came) : came
    return isForm ? enteredAnswer(came) : jsonAnswer(came)
  }

  async #logIn(key: unknown): Promise<SignedIn | SeatRefusal> {
    const { facts, links, seats } = this.#parts
    const redeemed = links.redeem(typeof key === 'string' ? key : '')
    if (redeemed.kind === 'good')
      return { token: seats.open(), entity: humanEntity(facts.principal), ...facts }
    if (redeemed.kind === 'late')
      return refusal('link-used', 'This link has run out; "agentd ui" makes another one.')
    if (redeemed.kind === 'used') {
      const usedAt = new Date(redeemed.atMs).toISOString()
      return refusal('link-used', `This link was used at ${usedAt}; "agentd ui" makes another one.`, {
        more: { used_at: usedAt },
      })
    }
    if (await this.#guesses.wrong())
      return refusal('link-used', 'This is no link of here, or an old one; "agentd ui" makes one.')
    return refusal('rate-limited', 'Wrong keys are answered one a second.', { retryAfterMs: 1_000 })
  }

  #see(seat: Seat | undefined, visible: unknown): Answer {
    if (typeof visible !== 'boolean') return refusal('field-invalid', '"visible" is true or false.')
    if (seat !== undefined) this.#parts.pages.see(seat, visible)
    return jsonAnswer({ visible })
  }

  /** Shows that this is the process a browser has signed in to, before the browser says a word. */
  #greet(nonce = ''): Answer {
    if (!NONCE.test(nonce)) return refusal('field-invalid', '"nonce" is 16 to 128 of A-Z a-z 0-9 _ -.')
    return jsonAnswer({ proofs: this.#parts.seats.prove(nonce), ...this.#parts.facts })
  }
}
