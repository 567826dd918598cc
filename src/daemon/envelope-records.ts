/**
 * What is written down of envelope traffic: a line each for people who watch it, and evidence where that was
 * asked for. Names and sizes, never a payload; and never in the way of delivery.
 *
 * @see AEE-039, AEE-090, AEE-C13…AEE-C17, AEE-C24
 */
import { join } from 'node:path'
import type { LogLine } from '../aee/conformance.ts'
import type { EnvelopeFacts, Retained } from '../broker/ring.ts'
import type { AgentdError } from '../core/errors.ts'
import type { AeeConfig } from '../host/config.ts'
import { JournalFile } from '../host/journal-file.ts'
import { ensurePrivateDirectory } from '../host/paths.ts'
import { HostRefusal } from '../host/refusal.ts'
import type { EvidenceFile } from './evidence-file.ts'
import type { DaemonParts } from './parts.ts'

/** Size at which the log begins anew; one older generation is kept. */
const MAX_LOG_BYTES = 8 * 1024 * 1024

/** Characters of one name in a line; an id may be as long as an envelope. */
const MAX_NAME_LENGTH = 256

/** What the records are made from. */
export interface EnvelopeRecordsParts {
  readonly daemon: DaemonParts
  /** Asked for every envelope: a reload may switch the log. */
  readonly aee: () => AeeConfig
  /** Ledgers that were asked for. */
  readonly evidence: readonly EvidenceFile[]
}

export class EnvelopeRecords {
  readonly #parts: EnvelopeRecordsParts
  #log: JournalFile | undefined
  /** Set when the log cannot be had; it is not tried again for every envelope. */
  #isLogRefused = false
  /** Lines of this turn. */
  #lines = ''

  constructor(parts: EnvelopeRecordsParts) {
    this.#parts = parts
  }

  /** Takes note of what has been accepted; frames are passed over. */
  accepted(retained: Retained): void {
    const { envelope } = retained
    if (envelope === undefined) return
    if (this.#parts.aee().isLogged) this.#add(envelopeLine(envelope, retained.acceptedAtMs))
    for (const ledger of this.#parts.evidence) ledger.accepted(retained, envelope)
  }

  /** Takes note of a refusal; of what was refused only its size is told. */
  refused(error: AgentdError, sizeBytes: number): void {
    for (const ledger of this.#parts.evidence) ledger.refused(error.code, sizeBytes)
  }

  /** A line that was sent to be logged (AEE-C19). */
  logLine(line: LogLine): void {
    this.#add(logLine(line, this.#parts.daemon.clock.nowMs()))
  }

  close(): void {
    this.#flush()
    this.#log?.close()
    for (const ledger of this.#parts.evidence) ledger.close()
  }

  #add(line: string): void {
    if (this.#lines === '') setImmediate(() => this.#flush())
    this.#lines += line
  }

  #flush(): void {
    const lines = this.#lines
    this.#lines = ''
    if (lines === '' || this.#isLogRefused) return
    this.#log ??= this.#open()
    this.#log?.append(lines)
    if (this.#log !== undefined && this.#log.bytes > MAX_LOG_BYTES) this.#log.moveTo(`${this.#path}.1`)
  }

  get #path(): string {
    return join(this.#parts.daemon.config.stateDir, 'envelopes.log')
  }

  #open(): JournalFile | undefined {
    const { config, environment, log } = this.#parts.daemon
    const onFault = (message: string): void => log.warn('envelope-log', { message })
    try {
      ensurePrivateDirectory(config.stateDir, environment)
      return new JournalFile({ path: this.#path, uid: environment.uid, onFault })
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      this.#isLogRefused = true
      onFault(error.message)
      return undefined
    }
  }
}

/** The seven names of AEE-039 and when. */
function envelopeLine(facts: EnvelopeFacts, atMs: number): string {
  const { id, corr, intent, from, to, type, priority } = facts
  return toLine({ at: isoTime(atMs), id, corr, intent, from, to, type, priority })
}

/** The five names that are sure to be there, and of the other three those that are. */
function logLine(line: LogLine, atMs: number): string {
  const { id, type, from, intent } = line
  const { corr, to, priority } = line
  return toLine({ at: isoTime(atMs), level: 'MVE-5', id, corr, intent, from, to, type, priority })
}

function toLine(names: Readonly<Record<string, unknown>>): string {
  const clipped = Object.entries(names).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.slice(0, MAX_NAME_LENGTH)] as const] : [],
  )
  return `${JSON.stringify(Object.fromEntries(clipped))}\n`
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
