/**
 * Verifying a WARD chain, line by line.
 *
 * Tips, which WARD allows to be published elsewhere, are not read here; without them nothing shows when somebody
 * has rewritten all of a chain, or cut off its end.
 *
 * @see WARD 0.1 "Verification", docs/requirements.md §2.4
 */
import { LedgerFaults, isHash, isSeq, isFilledText, isUtcTime, isVersion } from './ledger-report.ts'
import { ledgerMemberFault, readLedgerLine } from './ledger-report.ts'
import type { LedgerFault, LedgerLine, LedgerMemberRule } from './ledger-report.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { SOURCE_KINDS, isWardId, wardChainHash, wardGenesis } from './ward.ts'
import type { WardEntry, WardLink } from './ward.ts'

/** WARD's own words for what can be wrong; it has none for a line that is no entry, and `ENTRY_INVALID` is ours. */
export type WardFaultCode =
  | 'ENTRY_INVALID'
  | 'GENESIS_MISMATCH'
  | 'CHAIN_HASH_MISMATCH'
  | 'CHAIN_LINK_BROKEN'
  | 'SEQ_INVALID'
  | 'DUPLICATE_SOURCE'
  | 'INCOMPLETE_CHAIN'

/** What was found. */
export interface WardReport {
  /** `PARTIAL`: all that could be looked at is whole, and that was not all. */
  readonly verdict: 'INTACT' | 'BROKEN' | 'PARTIAL'
  /** Entries that could be read. */
  readonly entries: number
  /** The last of them: what the next entry follows. */
  readonly last: WardLink | undefined
  /** At most a hundred. */
  readonly faults: readonly LedgerFault<WardFaultCode>[]
  readonly faultCount: number
}

/** Sources that are remembered to find one that stands twice; bounds memory to a few hundred megabytes. */
const MAX_SOURCES = 1_000_000

const RULES: readonly LedgerMemberRule[] = [
  ['ward_version', isVersion, 'a version such as "0.1"'],
  ['ward_entry_id', isWardId, 'a text without a "|"'],
  ['chain_id', isWardId, 'a text without a "|"'],
  ['seq', isSeq, 'a whole number from 1'],
  ['witnessed_at', isUtcTime, 'a time in UTC such as 2026-03-05T14:30:00.000Z'],
  [
    'source_kind',
    (value) => SOURCE_KINDS.some((kind) => kind === value),
    `one of ${SOURCE_KINDS.join(', ')}`,
  ],
  ['source_id', isFilledText, 'a text'],
  ['payload_hash', isHash, '64 lower-case hex digits'],
  ['prev_chain_hash', isHash, '64 lower-case hex digits'],
  ['chain_hash', isHash, '64 lower-case hex digits'],
  ['issuer_id', isFilledText, 'a text'],
]

/**
 * Looks through a chain from its first line.
 *
 * A last line that is no JSON is what a writer leaves that was killed while it wrote: the chain is whole up to
 * there, and partial. So is one without any entry.
 */
export function verifyWard(lines: Iterable<LedgerLine>): WardReport {
  const look = new WardLook()
  for (const line of lines) look.take(line)
  return look.report()
}

/** Whether a line is an entry in form: what a chain that is taken up again has as its last line. */
export function readWardEntry(line: Uint8Array): WardEntry | undefined {
  const record = readLedgerLine(line)
  return record !== undefined && isWardEntry(record) ? record : undefined
}

const NO_OBJECT = 'The line is not one JSON object.'

/** One look through one chain, for whoever hands over its lines bit by bit. */
export class WardLook {
  readonly #faults = new LedgerFaults<WardFaultCode>()
  readonly #sources = new Set<string>()
  #last: WardLink | undefined
  #entries = 0
  /** The number of the line before, where that is no JSON; the last one was torn then. */
  #torn: number | undefined

  take({ line, number }: LedgerLine): void {
    if (this.#torn !== undefined) this.#faults.add(this.#torn, 'ENTRY_INVALID', NO_OBJECT)
    const record = readLedgerLine(line)
    this.#torn = record === undefined ? number : undefined
    if (record !== undefined) this.#at(record, number)
  }

  #at(record: RecordMembers, line: number): void {
    if (!isWardEntry(record)) {
      this.#faults.add(line, 'ENTRY_INVALID', ledgerMemberFault(record, RULES) ?? '')
      return
    }
    this.#checkPlace(record, line)
    if (wardChainHash(record) !== record.chain_hash)
      this.#faults.add(line, 'CHAIN_HASH_MISMATCH', 'The entry is not the one its "chain_hash" was made of.')
    this.#checkSource(record, line)
    this.#entries += 1
    // The chain is that of the first entry: a stranger in between does not take the rest with it.
    this.#last = {
      chain_id: this.#last?.chain_id ?? record.chain_id,
      seq: record.seq,
      chain_hash: record.chain_hash,
    }
  }

  /** What was found; to be asked once, behind the last line. */
  report(): WardReport {
    const torn = this.#torn
    const isBroken = this.#faults.count > 0
    if (torn !== undefined)
      this.#faults.add(torn, 'INCOMPLETE_CHAIN', 'The last line was not written to its end.')
    if (this.#entries === 0 && this.#faults.count === 0)
      this.#faults.add(1, 'INCOMPLETE_CHAIN', 'There is no entry.')
    if (this.#sources.size >= MAX_SOURCES)
      this.#faults.add(
        this.#entries,
        'INCOMPLETE_CHAIN',
        `Only the first ${MAX_SOURCES} sources were compared.`,
      )
    const verdict = isBroken ? 'BROKEN' : this.#faults.count > 0 ? 'PARTIAL' : 'INTACT'
    const { kept, count } = this.#faults
    return { verdict, entries: this.#entries, last: this.#last, faults: kept, faultCount: count }
  }

  #checkPlace(entry: WardEntry, line: number): void {
    const last = this.#last
    const seq = (last?.seq ?? 0) + 1
    if (entry.seq !== seq)
      this.#faults.add(line, 'SEQ_INVALID', `"seq" is ${entry.seq} and should be ${seq}.`)
    if (last === undefined) {
      if (entry.prev_chain_hash !== wardGenesis(entry.chain_id))
        this.#faults.add(
          line,
          'GENESIS_MISMATCH',
          'The first "prev_chain_hash" is not the genesis of the chain.',
        )
      return
    }
    if (entry.chain_id !== last.chain_id)
      this.#faults.add(line, 'CHAIN_LINK_BROKEN', 'The entry is of another chain than the first one.')
    else if (entry.prev_chain_hash !== last.chain_hash)
      this.#faults.add(line, 'CHAIN_LINK_BROKEN', '"prev_chain_hash" is not the hash of the entry before.')
  }

  #checkSource({ source_kind: kind, source_id: id }: WardEntry, line: number): void {
    const source = `${kind}|${id}`
    if (this.#sources.has(source))
      this.#faults.add(line, 'DUPLICATE_SOURCE', 'An earlier entry has witnessed the same source.')
    else if (this.#sources.size < MAX_SOURCES) this.#sources.add(source)
  }
}

function isWardEntry(record: RecordMembers): record is RecordMembers & WardEntry {
  return ledgerMemberFault(record, RULES) === undefined
}
