/**
 * Who is here, for the other nodes: told at once, within 100 ms of a change, and every ten seconds.
 *
 * It holds no path, and nothing that the person does not let out (FED-61, FED-62).
 *
 * @see FED-51
 */
import type { Session } from '../../broker/session/session.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { firstOctets } from '../../core/text/octets.ts'
import { formatPresence } from '../../link/presence.ts'
import { repositoryIdOf } from '../rosters/senders.ts'
import { MAX_PRESENT_FACT_OCTETS, type PresentSession } from '../../link/text/present-session.ts'

/** How long changes gather before they are told, in milliseconds. */
export const GATHER_MS = 100

/** How often it is told without one. */
export const HEARTBEAT_MS = 10_000

/** Versions of the link that this agentd reads. */
const SPEAKS: readonly number[] = [1]

interface PresenceParts {
  readonly clock: Clock
  readonly sessions: () => readonly Session[]
  /** How much of it is told; asked each time, because it may be reloaded. */
  readonly told: () => 'none' | 'addresses' | 'full'
  /** What is told of this machine's person beside it; undefined: nothing. */
  readonly standing: () => string | undefined
  /** Of the whole text. */
  readonly maxOctets: () => number
  readonly tell: (text: string) => void
}

export class OwnPresence {
  readonly #parts: PresenceParts
  /** Set while changes gather; cleared when they are told. */
  #gathering: Timer | undefined
  /** Set while somebody is told; cleared by `stop`. */
  #heartbeat: Timer | undefined
  #isStarted = false
  /** What was told last, but for when; set by telling, cleared by `stop`. */
  #told: string | undefined

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** Tells at once, and goes on. */
  start(): void {
    this.#isStarted = true
    this.#tell()
  }

  stop(): void {
    this.#isStarted = false
    this.#gathering?.cancel()
    this.#heartbeat?.cancel()
    this.#gathering = this.#heartbeat = this.#told = undefined
  }

  /** Somebody came, went, or may be no longer as they were. */
  changed(): void {
    if (!this.#isStarted || this.#gathering !== undefined) return
    this.#gathering = this.#parts.clock.after(GATHER_MS, () => this.#tellChange())
  }

  /** As it is just now. */
  text(): string {
    return this.#textAt(this.#parts.clock.nowMs())
  }

  /** Who only waits for an answer of their own, as `agentd ask` does, is nobody to speak to; who listens is, registered or not. */
  #textAt(sentAtMs: number): string {
    const { maxOctets, sessions, standing, told } = this.#parts
    const [how, estate] = [told(), standing()]
    const here = sessions().filter(({ isListening, isVisitor }) => isListening || !isVisitor)
    const listed = how === 'none' ? [] : here.map((session) => describe(session, how))
    const said = { sent_at: sentAtMs, state: 'here', speaks: SPEAKS, sessions: listed } as const
    const beside = {
      ...(how === 'none' && { untold: true as const }),
      ...(estate !== undefined && { estate }),
    }
    return formatPresence({ ...said, ...beside }, maxOctets())
  }

  /** Whoever looks at links has them looked through: where all of it is as it was, nothing is written to the hub. */
  #tellChange(): void {
    this.#gathering = undefined
    if (this.#textAt(0) !== this.#told) this.#tell()
  }

  #tell(): void {
    this.#gathering?.cancel()
    this.#heartbeat?.cancel()
    this.#gathering = undefined
    if (!this.#isStarted) return
    this.#heartbeat = this.#parts.clock.after(HEARTBEAT_MS, () => this.#tell())
    this.#told = this.#textAt(0)
    this.#parts.tell(this.text())
  }
}

function describe(session: Session, how: 'addresses' | 'full'): PresentSession {
  const { address, instrument, sessionId, tool, facts, mailbox, isListening, entities } = session
  const plain = {
    address,
    instrument,
    session_id: sessionId,
    tool,
    live: isListening,
    mailbox: mailbox !== undefined,
  }
  if (how === 'addresses') return plain
  const { title, branch } = facts
  const repositoryId = repositoryIdOf(session)
  return {
    ...plain,
    ...(title !== undefined && { title: clip(title) }),
    ...(repositoryId !== undefined && { repository_id: clip(repositoryId) }),
    ...(branch !== undefined && { branch: clip(branch) }),
    ...(entities.length > 0 && { entities }),
  }
}

function clip(text: string): string {
  return firstOctets(text, MAX_PRESENT_FACT_OCTETS)
}
