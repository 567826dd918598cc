/**
 * Putting one loop turn's frames and envelopes where mailboxes find them: once per lane, however many read it (HD-03).
 */
import { isPersonInstrument, isTerminalInstrument } from '../../protocol/address/handle.ts'
import type { Audience } from '../audience/reached.ts'
import { ownLane, type Awaiting, type Lanes } from '../mail/lanes.ts'
import { NO_MAIL, type Reach } from '../ring/delivery.ts'
import { priorityOf, type Retained } from '../ring/retained.ts'
import type { Session } from '../session/session.ts'

export class MailDelivery {
  readonly #lanes: Lanes
  /** Mailboxes with somebody at them that got something this turn. */
  readonly #arrived = new Set<Awaiting>()
  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** Whom it reaches, and what is written down for mailboxes. */
  reach(audience: Audience, sender: Session | undefined): Reach {
    const { reach } = audience
    const mailbox = sender?.mailbox
    if (mailbox === undefined) return reach
    const isQueued = audience.queuedIn.has(mailbox)
    if (!isQueued && !audience.passedOver.has(mailbox)) return reach
    const { address } = mailbox
    const { mail } = reach
    const direct = mail.direct.filter((one) => one !== address)
    const isDirect = direct.length < mail.direct.length
    const spared = isDirect ? mail.spared : [...mail.spared, address]
    const { emittedTo, queuedTo, recipientCount, queuedCount } = reach
    const except = isQueued ? address : undefined
    const { instrument = '' } = sender ?? {}
    const isOwnSeat = isQueued && isPersonInstrument(instrument)
    const isOwnTerminal = isQueued && isTerminalInstrument(instrument)
    const people = {
      peopleCount: (reach.peopleCount ?? 0) - (isOwnSeat ? 1 : 0),
      terminalCount: (reach.terminalCount ?? 0) - (isOwnTerminal ? 1 : 0),
    }
    const own = { lane: mail.lane, spared, direct }
    return { emittedTo, queuedTo, except, recipientCount, queuedCount, ...people, mail: own }
  }

  /** Puts one that has its place. */
  put(retained: Retained, audience: Audience, sender: Session | undefined): void {
    const { seq, delivery } = retained
    const { lane, spared, direct } = delivery.mail
    if (lane !== undefined) this.#lanes.append(lane, seq, priorityOf(retained))
    for (const address of direct) this.#lanes.append(ownLane(address), seq, priorityOf(retained))
    for (const mailbox of audience.spared) mailbox.spare(seq)
    // A session never finds its own frames.
    if (spared.length > audience.spared.length) sender?.mailbox?.spare(seq)
    // It is written down by now.
    delivery.mail = NO_MAIL
    this.#wake(audience)
  }

  /** Ends the turn: whoever waits at a mailbox that got something looks again. */
  flush(): void {
    for (const one of this.#arrived) one.wake()
    this.#arrived.clear()
  }

  /** Looks through whichever are fewer: those that are waited at, or those that got something. */
  #wake({ queuedIn }: Audience): void {
    const { awaited } = this.#lanes
    if (awaited.size === 0) return
    const [few, many] = awaited.size < queuedIn.size ? [awaited, queuedIn] : [queuedIn, awaited]
    for (const one of few) if (many.has(one)) this.#arrived.add(one)
  }
}
