/**
 * A ledger of envelope traffic on disk: a chain that goes on where the last daemon left it.
 *
 * Off unless it was asked for. Whatever goes wrong here is told in the log and costs evidence, never delivery.
 *
 * @see AEE-C13…AEE-C17; docs/requirements.md §§2.3, 2.4
 */
import { dirname, join } from 'node:path'
import { messageOf } from '../core/thrown.ts'
import type { RetainedEnvelope } from '../broker/ring/retained.ts'
import type { ErrorCode } from '../core/errors.ts'
import { newSessionId } from '../core/ids.ts'
import { JournalFile } from '../host/aee/journal-file.ts'
import { ensurePrivateDirectory } from '../host/config/paths.ts'
import type { DaemonParts } from './parts.ts'

/** Size at which a ledger is set aside, whole, and a new one begun; none is ever deleted. */
const MAX_LEDGER_BYTES = 64 * 1024 * 1024

/** A file that is there. */
export interface EvidencePast {
  readonly lastLine: string
  /** Every line, oldest first. */
  lines(): Iterable<string>
}

/** What a ledger is told; each gives back whole lines. */
export interface EvidenceLedger {
  /**
   * Goes on where a file ends, or begins a new chain where there is none.
   *
   * @returns false when its last line is none of this ledger's: nothing may follow that
   */
  begin(past: EvidencePast | undefined): boolean
  accepted(retained: RetainedEnvelope): string
  /** It waited in a mailbox, and was handed over. */
  handedOver(retained: RetainedEnvelope, via: string): string
  refused(code: ErrorCode, sizeBytes: number): string
}

export class EvidenceFile {
  readonly #ledger: EvidenceLedger
  readonly #daemon: DaemonParts
  readonly #file: JournalFile
  readonly #path: string
  /** Lines of this turn. */
  #lines = ''
  /** Why something that happened is not in it. */
  #incomplete: string | undefined

  /**
   * @param name - such as `volt`, for `<state>/evidence/volt.ndjson`
   * @throws HostRefusal when the file is not ours alone
   */
  constructor(daemon: DaemonParts, name: string, ledger: EvidenceLedger) {
    this.#daemon = daemon
    this.#ledger = ledger
    this.#path = join(daemon.config.stateDir, 'evidence', `${name}.ndjson`)
    ensurePrivateDirectory(dirname(this.#path), daemon.environment)
    const onFault = (message: string): void => this.#warn(message)
    this.#file = new JournalFile({ path: this.#path, uid: daemon.environment.uid, onFault })
    try {
      this.#begin()
    } catch (error) {
      this.#file.close()
      throw error
    }
  }

  /** Why evidence is being lost just now. */
  get fault(): string | undefined {
    return this.#file.fault ?? this.#incomplete
  }

  accepted(retained: RetainedEnvelope): void {
    this.#add(() => this.#ledger.accepted(retained))
  }

  handedOver(retained: RetainedEnvelope, via: string): void {
    this.#add(() => this.#ledger.handedOver(retained, via))
  }

  refused(code: ErrorCode, sizeBytes: number): void {
    this.#add(() => this.#ledger.refused(code, sizeBytes))
  }

  close(): void {
    this.#flush()
    this.#file.close()
  }

  /** Evidence that cannot be made is not made; the envelope it was about is on its way already (AEE-C14). */
  #add(compose: () => string): void {
    try {
      const lines = compose()
      if (this.#lines === '' && lines !== '') setImmediate(() => this.#flush())
      this.#lines += lines
    } catch (error) {
      const why = messageOf(error)
      this.#incomplete = `${this.#path} is incomplete: ${why}`
      this.#warn(why)
    }
  }

  #flush(): void {
    const lines = this.#lines
    this.#lines = ''
    // The chain goes on from the last line that is there: what is lost is missing, and nothing after it is broken.
    if (!this.#file.append(lines)) this.#begin()
    if (this.#file.bytes > MAX_LEDGER_BYTES) this.#beginAnew()
  }

  #begin(): void {
    const { lastLine } = this.#file
    const past = lastLine === undefined ? undefined : { lastLine, lines: () => this.#file.lines() }
    if (!this.#ledger.begin(past)) this.#beginAnew()
  }

  /** Sets the file aside, whole, and begins another. */
  #beginAnew(): void {
    this.#file.moveTo(this.#path.replace(/\.ndjson$/, `-${newSessionId()}.ndjson`))
    this.#ledger.begin(undefined)
  }

  #warn(message: string): void {
    this.#daemon.log.warn('evidence', { message })
  }
}
