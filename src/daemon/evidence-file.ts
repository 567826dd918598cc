/**
 * A ledger of envelope traffic on disk: a chain that goes on where the last daemon left it.
 *
 * Off unless it was asked for. Whatever goes wrong here is told in the log and costs evidence, never delivery.
 *
 * @see AEE-C13…AEE-C17; requirements 2.3, 2.4
 */
import { dirname, join } from 'node:path'
import type { EnvelopeFacts, Retained } from '../broker/ring.ts'
import type { ErrorCode } from '../core/errors.ts'
import { newSessionId } from '../core/ids.ts'
import { JournalFile } from '../host/journal-file.ts'
import { ensurePrivateDirectory } from '../host/paths.ts'
import type { DaemonParts } from './parts.ts'

/** Size at which a ledger is set aside, whole, and a new one begun; none is ever deleted. */
const MAX_LEDGER_BYTES = 64 * 1024 * 1024

/** What a ledger is told; each gives back whole lines. */
export interface EvidenceLedger {
  /** Called with the last line of a file that is there, before anything else; undefined begins a new chain. */
  begin(lastLine: string | undefined): void
  accepted(retained: Retained, facts: EnvelopeFacts): string
  refused(code: ErrorCode, sizeBytes: number): string
}

export class EvidenceFile {
  readonly #ledger: EvidenceLedger
  readonly #daemon: DaemonParts
  readonly #file: JournalFile
  readonly #path: string
  /** Lines of this turn. */
  #lines = ''

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
    ledger.begin(this.#file.lastLine)
  }

  accepted(retained: Retained, facts: EnvelopeFacts): void {
    this.#add(() => this.#ledger.accepted(retained, facts))
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
      this.#warn(error instanceof Error ? error.message : String(error))
    }
  }

  #flush(): void {
    const lines = this.#lines
    this.#lines = ''
    this.#file.append(lines)
    if (this.#file.bytes <= MAX_LEDGER_BYTES) return
    this.#file.moveTo(this.#path.replace(/\.ndjson$/, `-${newSessionId()}.ndjson`))
    this.#ledger.begin(undefined)
  }

  #warn(message: string): void {
    this.#daemon.log.warn('evidence', { message })
  }
}
