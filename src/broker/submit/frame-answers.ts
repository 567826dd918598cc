/**
 * The answers to frames, as columns: what most of them say are four numbers, and the rest they share.
 */
import { GrowingColumn } from '../../core/collections/growing-column.ts'
import type { SubmissionReply } from '../../protocol/http/frame-replies.ts'
import { KeptAnswers, type Answers } from './answers.ts'

/** What an answer may say besides; one that does is kept as it is. */
type Aside = Pick<SubmissionReply, 'org' | 'remote' | 'duplicate' | 'near' | 'warnings'>

/** What has a column, or is the key of the row. */
type Column = Omit<SubmissionReply, keyof Aside>

/** What an answer has in common with those before it: the ring did not begin anew, and keeps what it kept. */
interface Mould {
  /** What their event ids begin with. */
  readonly start: string
  readonly ack: SubmissionReply['ack']
}

export class FrameAnswers implements Answers<SubmissionReply> {
  readonly #moulds: (Mould | undefined)[] = []
  readonly #seqs = new GrowingColumn(Float64Array)
  readonly #recipients = new GrowingColumn(Uint32Array)
  readonly #queued = new GrowingColumn(Uint32Array)
  readonly #people = new GrowingColumn(Uint32Array)
  readonly #terminals = new GrowingColumn(Uint32Array)
  readonly #whole = new KeptAnswers<SubmissionReply>()
  #mould: Mould = { start: '-', ack: 'memory' }

  put(row: number, reply: SubmissionReply): void {
    if (hasAside(reply)) {
      this.#whole.put(row, reply)
      return
    }
    const { start } = this.#mouldOf(reply)
    this.#moulds[row] = this.#mould
    this.#seqs.set(row, Number(reply.event_id.slice(start.length)))
    this.#recipients.set(row, reply.recipient_count)
    this.#queued.set(row, reply.queued_count)
    this.#people.set(row, reply.people_count ?? 0)
    this.#terminals.set(row, reply.terminal_count ?? 0)
  }

  at(row: number, key: string): SubmissionReply | undefined {
    const mould = this.#moulds[row]
    if (mould === undefined) return this.#whole.at(row)
    const [people, terminals] = [this.#people.at(row), this.#terminals.at(row)]
    const reply: Column = {
      frame_id: key,
      event_id: `${mould.start}${this.#seqs.at(row)}`,
      recipient_count: this.#recipients.at(row),
      queued_count: this.#queued.at(row),
      ...(people > 0 && { people_count: people }),
      ...(terminals > 0 && { terminal_count: terminals }),
      ack: mould.ack,
    }
    return reply
  }

  clear(row: number): void {
    this.#moulds[row] = undefined
    this.#whole.clear(row)
  }

  #mouldOf({ event_id: eventId, ack }: SubmissionReply): Mould {
    if (eventId.startsWith(this.#mould.start) && this.#mould.ack === ack) return this.#mould
    this.#mould = { start: eventId.slice(0, eventId.lastIndexOf('-') + 1), ack }
    return this.#mould
  }
}

/** Whether it says more than the columns hold. */
function hasAside({ org, remote, duplicate, near, warnings }: Aside): boolean {
  const isPlain = org === undefined && remote === undefined && duplicate === undefined
  return !isPlain || near !== undefined || warnings !== undefined
}
