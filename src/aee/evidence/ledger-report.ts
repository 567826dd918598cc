/**
 * What a look through a ledger found: the same for both kinds, each with codes of its own.
 */
import { unlessRefused } from '../../core/thrown.ts'
import { decodeRecord } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'

/** One line of a ledger, with its number in the file, counted from 1. */
export interface LedgerLine {
  readonly line: Uint8Array
  readonly number: number
}

/** One thing that is wrong. */
export interface LedgerFault<Code extends string> {
  /** Counted from 1. */
  readonly line: number
  readonly code: Code
  /** A sentence. */
  readonly message: string
}

/** Faults that are kept; who has broken a thousand lines does not need them all listed. */
const MAX_FAULTS = 100

/** Faults as they are found: all are counted, the first hundred kept. */
export class LedgerFaults<Code extends string> {
  readonly #kept: LedgerFault<Code>[] = []
  #count = 0

  /** At most a hundred, in the order of the file. */
  get kept(): readonly LedgerFault<Code>[] {
    return this.#kept
  }

  /** All of them. */
  get count(): number {
    return this.#count
  }

  add(line: number, code: Code, message: string): void {
    this.#count += 1
    if (this.#kept.length < MAX_FAULTS) this.#kept.push({ line, code, message })
  }
}

/** One line as a JSON object; undefined when it is none, whatever the reason. */
export function readLedgerLine(line: Uint8Array): RecordMembers | undefined {
  return unlessRefused(() => decodeRecord(line).record)
}

/** A member's name, what it must be, and those words. */
export type LedgerMemberRule = readonly [name: string, takes: (value: unknown) => boolean, says: string]

/** The first member that is not what it must be, as a sentence; undefined when all are. */
export function ledgerMemberFault(
  record: RecordMembers,
  rules: readonly LedgerMemberRule[],
): string | undefined {
  for (const [name, takes, says] of rules)
    if (!takes(Object.hasOwn(record, name) ? record[name] : undefined)) return `"${name}" must be ${says}.`
  return undefined
}

/** The time both ledgers write: UTC with a `Z`. */
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

const HASH = /^[0-9a-f]{64}$/

const VERSION = /^\d+\.\d+$/

/** Whether a value is a text with something in it. */
export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether a value is a time in UTC, such as `2026-02-28T19:00:00.000Z`. */
export function isUtcTime(value: unknown): value is string {
  return typeof value === 'string' && UTC_TIME.test(value)
}

/** Whether a value is a SHA-256 as 64 lower-case hex digits. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

/** Whether a value is a version such as `0.1`. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/** Whether a value counts lines, from 1. */
export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}
