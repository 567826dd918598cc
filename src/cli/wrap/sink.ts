/**
 * Where wrapped envelopes go: to stdout, or to the daemon. Neither ever disturbs what is wrapped (AEE-C14).
 */
import { messageOf } from '../../core/thrown.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { Participant } from '../../client/index.ts'
import { encodeEnvelope } from '../../client/envelopes/outgoing-envelope.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { printJson } from '../terminal/print.ts'
import { asParticipant } from '../run/reach.ts'

/** Takes envelopes one by one. */
export interface WrapSink {
  /** @returns its id */
  take(envelope: Envelope): string
  /** Resolves when there is room for more. */
  settle(): Promise<void>
  /** Resolves when all are where they should be. @returns how many are not */
  close(): Promise<number>
}

/** Envelopes on their way at once: `settle` waits beyond it, so that what is read waits at its source. */
const MAX_SENDING = 64

/** @param emits - whether they are printed */
export function openSink(emits: boolean, context: CommandContext): WrapSink {
  return emits ? new PrintSink() : new DaemonSink(context)
}

class PrintSink implements WrapSink {
  take(envelope: Envelope): string {
    printJson(encodeEnvelope(envelope))
    return envelope.id
  }

  async settle(): Promise<void> {}

  async close(): Promise<number> {
    return 0
  }
}

/** Connects with the first envelope; what cannot be sent is a note on stderr. */
class DaemonSink implements WrapSink {
  readonly #context: CommandContext
  /** Ends the connection; undefined until there is one. */
  #participant: Promise<Participant> | undefined
  #finish: (() => void) | undefined
  #connection: Promise<void> | undefined
  readonly #sending = new Set<Promise<void>>()
  #failed = 0

  constructor(context: CommandContext) {
    this.#context = context
  }

  take(envelope: Envelope): string {
    const sending = this.#send(envelope).finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
    return envelope.id
  }

  async settle(): Promise<void> {
    while (this.#sending.size >= MAX_SENDING) await Promise.race(this.#sending)
  }

  async close(): Promise<number> {
    await Promise.all(this.#sending)
    this.#finish?.()
    await this.#connection
    return this.#failed
  }

  async #send(envelope: Envelope): Promise<void> {
    try {
      this.#participant ??= this.#connect()
      await (await this.#participant).submitEnvelope(envelope)
    } catch (error) {
      this.#failed += 1
      const why = messageOf(error)
      this.#context.output.note(safeLine(`not recorded: ${envelope.intent}: ${why}`))
    }
  }

  /** Stays connected until `close`. */
  #connect(): Promise<Participant> {
    return new Promise((resolve, reject) => {
      this.#connection = asParticipant(this.#context, (participant) => {
        resolve(participant)
        return new Promise<void>((finish) => {
          this.#finish = finish
        })
      }).catch((error: unknown) => reject(error instanceof Error ? error : new Error(String(error))))
    })
  }
}
