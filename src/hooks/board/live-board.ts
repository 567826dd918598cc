/**
 * The board as the daemon hosts it for the sessions of hooks: observing what passes, as any receiver does.
 *
 * It is the recipients' correlation. The broker never reads it, and no frame is refused, delayed or changed by it (memo
 * §4.4, OP-06). What passes is only put aside; it is read when somebody looks.
 */
import type { Broker } from '../../broker/broker.ts'
import { OWN_WORK } from '../../broker/ring/background.ts'
import { frameOf, type Retained } from '../../broker/ring/retained.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { Board, type CarriesOn } from '../../protocol/board/board.ts'
import { BOARD_KINDS, type BoardEntry } from '../../protocol/board/board-frame.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'

/** Frames of each kind that are looked back at. */
const LOOK_BACK_FRAMES = 1_000

/** Frames that may be put aside; with more they are read at once. */
const MAX_ASIDE = 1_024

const KINDS: ReadonlySet<string> = new Set(BOARD_KINDS)

interface LiveBoardParts {
  readonly broker: Broker
  readonly clock: Clock
  readonly carriesOn: CarriesOn
}

export class LiveBoard {
  readonly #board: Board
  readonly #aside: Retained[] = []
  readonly #ready: Promise<void>
  readonly #ignore: readonly (() => void)[]
  #isFilled = false

  constructor({ broker, clock, carriesOn }: LiveBoardParts) {
    this.#board = new Board({ clock, carriesOn })
    this.#ignore = [
      broker.observe((retained) => this.#passing(retained)),
      broker.sessions.observeEnds((address, isCarriedOn) => {
        if (!isCarriedOn) this.#sessionEnded(address)
      }),
    ]
    this.#ready = this.#fill(broker)
  }

  /** With everything that was sent until now. */
  async read(): Promise<Board> {
    await this.#ready
    this.#takeAside()
    return this.#board
  }

  /** Leases of these addresses that live, with what was sent until now. */
  leasesOf(addresses: ReadonlySet<string>): readonly BoardEntry[] {
    this.#takeAside()
    return this.#board.leases().filter(({ from }) => addresses.has(from))
  }

  /** Observes nothing any more. */
  close(): void {
    for (const ignore of this.#ignore) ignore()
  }

  #passing(retained: Retained): void {
    if (!KINDS.has(retained.kind)) return
    this.#aside.push(retained)
    if (this.#aside.length >= MAX_ASIDE && this.#isFilled) this.#takeAside()
  }

  /** A session ended that nobody carries on: what it announced holds nobody back any more (OP-27). */
  #sessionEnded(address: string): void {
    this.#takeAside()
    this.#board.sessionEnded(address)
  }

  #takeAside(): void {
    if (this.#isFilled) for (const retained of this.#aside.splice(0)) this.#observe(retained)
  }

  #observe(retained: Retained): void {
    if (retained.type !== 'frame') return
    const { senderAddress, acceptedAtMs, origin } = retained
    this.#board.observe({ sender: senderAddress, acceptedAtMs, frame: frameOf(retained), node: origin?.node })
  }

  /** What was sent before it was there, from the ring; a daemon that goes meanwhile needs none. */
  async #fill(broker: Broker): Promise<void> {
    try {
      const pages = await Promise.all(BOARD_KINDS.map((kind) => lookBack(broker, kind)))
      for (const retained of pages.flat().toSorted((a, b) => a.seq - b.seq)) this.#observe(retained)
      // Who went before there was a board to take it off.
      for (const { from, node } of this.#board.entries()) {
        if (node === undefined && from.includes('/') && broker.sessions.find(from) === undefined)
          this.#board.sessionEnded(from)
      }
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
    } finally {
      this.#isFilled = true
    }
  }
}

/** The newest frames of a kind, oldest first, as far as anybody may see them. */
export async function lookBack(broker: Broker, kind: string): Promise<readonly Retained[]> {
  const filter = parseFilter(`kind:${kind}`)
  const { frames } = await broker.readHistory({
    afterSeq: undefined,
    limit: LOOK_BACK_FRAMES,
    search: { filter, handle: undefined, withEnvelopes: false },
    asker: OWN_WORK,
    admits: (retained) => retained.type === 'frame' && retained.kind === kind,
  })
  return frames
}
