/**
 * What is written down of envelope traffic: a line each for people who watch it, and evidence where that was
 * asked for. Names and sizes, never a payload; and never in the way of delivery.
 *
 * @see AEE-039, AEE-090, AEE-C13…AEE-C17, AEE-C24
 */
import { join } from 'node:path'
import type { LogLine } from '../aee/conformance/conformance.ts'
import type { EnvelopeFacts, Retained } from '../broker/ring/retained.ts'
import { AgentdError } from '../core/errors.ts'
import { escapeUnseen } from '../core/text/unseen.ts'
import type { AeeConfig } from '../host/config/config.ts'
import { JournalFile } from '../host/aee/journal-file.ts'
import { ensurePrivateDirectory } from '../host/config/paths.ts'
import { HostRefusal } from '../host/files/refusal.ts'
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
  /** Ledgers that were asked for; who opened them closes them. */
  readonly evidence: readonly EvidenceFile[]
}

export class EnvelopeRecords {
  readonly #parts: EnvelopeRecordsParts
  #log: JournalFile | undefined
  /** Why the log cannot be had; it is not tried again for every envelope. */
  #refusal: string | undefined
  /** Lines of this turn. */
  #lines = ''

  constructor(parts: EnvelopeRecordsParts) {
    this.#parts = parts
  }

  /** Takes note of what has been accepted; frames are passed over. */
  accepted(retained: Retained): void {
    if (retained.type !== 'envelope') return
    if (this.#parts.aee().isLogged) this.#add(envelopeLine(retained.envelope, retained.acceptedAtMs))
    for (const ledger of this.#parts.evidence) ledger.accepted(retained)
  }

  /** Takes note of what a mailbox has handed over; frames are passed over. */
  handedOver(retained: Retained, via: string): void {
    if (retained.type !== 'envelope') return
    for (const ledger of this.#parts.evidence) ledger.handedOver(retained, via)
  }

  /** Takes note of a refusal; of what was refused only its size is told. */
  refused(error: AgentdError, sizeBytes: number): void {
    for (const ledger of this.#parts.evidence) ledger.refused(error.code, sizeBytes)
  }

  /**
   * A line that was sent to be logged (AEE-C19).
   *
   * @throws AgentdError `store-full` when there is no log to write it to
   */
  logLine(line: LogLine): void {
    if (this.#openLog() === undefined) {
      throw new AgentdError('store-full', `The envelope log cannot be written: ${this.#refusal ?? 'unknown'}`)
    }
    this.#add(logLine(line, this.#parts.daemon.clock.nowMs()))
  }

  /** Sentences about what is not being written down. */
  get faults(): readonly string[] {
    const { evidence } = this.#parts
    const reasons = [this.#refusal, this.#log?.fault, ...evidence.map(({ fault }) => fault)]
    return reasons.filter((reason) => reason !== undefined)
  }

  close(): void {
    this.#flush()
    this.#log?.close()
  }

  #add(line: string): void {
    if (this.#lines === '') setImmediate(() => this.#flush())
    this.#lines += line
  }

  #flush(): void {
    const lines = this.#lines
    this.#lines = ''
    const log = lines === '' ? undefined : this.#openLog()
    if (log === undefined) return
    log.append(lines)
    if (log.bytes > MAX_LOG_BYTES) log.moveTo(`${this.#path}.1`)
  }

  get #path(): string {
    return join(this.#parts.daemon.config.stateDir, 'envelopes.log')
  }

  #openLog(): JournalFile | undefined {
    if (this.#log !== undefined || this.#refusal !== undefined) return this.#log
    const { config, environment, log } = this.#parts.daemon
    const onFault = (message: string): void => log.warn('envelope-log', { message })
    try {
      ensurePrivateDirectory(config.stateDir, environment)
      this.#log = new JournalFile({ path: this.#path, uid: environment.uid, onFault })
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      this.#refusal = error.message
      onFault(error.message)
    }
    return this.#log
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

/** Names as strings, clipped, and fit to be looked at (HD-19); whatever else stands in one of them is left out. */
function toLine(names: Readonly<Record<string, unknown>>): string {
  return `${escapeUnseen(JSON.stringify(names, clipped))}\n`
}

/** The object itself comes first, under no name. */
function clipped(name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_NAME_LENGTH)
  return name === '' ? value : undefined
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
