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
  /** What was last taken out of an audience, so that a sender's frames share it. */
  #last: { readonly of: Reach; readonly reach: Reach } | undefined

  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** Records whom something reaches, and what is to be written down for mailboxes. */
  record({ acceptedAtMs, delivery }: Retained, audience: Audience, sender: Session | undefined): void {
    const mailbox = sender?.mailbox
    const isQueued = mailbox !== undefined && audience.queuedIn.has(mailbox)
    if (mailbox === undefined || (!isQueued && !audience.passedOver.has(mailbox))) {
      delivery.record(audience.reach, acceptedAtMs, audience.mail)
      return
    }
    const { address } = mailbox
    const { mail } = audience
    const direct = mail.direct.filter((one) => one !== address)
    const isDirect = direct.length < mail.direct.length
    const spared = isDirect ? mail.spared : [...mail.spared, address]
    const reach = isQueued ? this.#reachWithout(address, audience, sender?.instrument) : audience.reach
    delivery.record(reach, acceptedAtMs, { lane: mail.lane, spared, direct })
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

  /** What an audience comes to without its sender; the same as before where the same one goes on. */
  #reachWithout(except: string, { reach }: Audience, instrument = ''): Reach {
    const last = this.#last
    if (last?.of === reach && last.reach.except === except) return last.reach
    const { peopleCount = 0, terminalCount = 0 } = reach
    const own = {
      ...reach,
      except,
      peopleCount: peopleCount - (isPersonInstrument(instrument) ? 1 : 0),
      terminalCount: terminalCount - (isTerminalInstrument(instrument) ? 1 : 0),
    }
    this.#last = { of: reach, reach: own }
    return own
  }

  /** Looks through whichever are fewer: those that are waited at, or those that got something. */
  #wake({ queuedIn }: Audience): void {
    const { awaited } = this.#lanes
    if (awaited.size === 0) return
    const [few, many] = awaited.size < queuedIn.size ? [awaited, queuedIn] : [queuedIn, awaited]
    for (const one of few) if (many.has(one)) this.#arrived.add(one)
  }
}
