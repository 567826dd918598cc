/**
 * WARD 0.1: a chain of receipts that say that something existed, and nothing of what it was.
 *
 * Composing and writing an entry, after the envelope has been accepted and never before. Signed tips, which WARD
 * leaves open, are not made: a chain says that it is whole, and not who wrote it.
 *
 * @see docs/requirements.md §2.4, AEE-C16, AEE-C17
 */
import { UsageError } from '../../core/errors.ts'
import { sha256Hex } from '../envelope/canonical.ts'
import { isUtcTime } from './ledger-report.ts'
import { toLedgerText } from './ledger-text.ts'

/** The version this writes. */
export const WARD_VERSION = '0.1'

/** What can be witnessed. */
export const SOURCE_KINDS = ['AEE', 'AOCL', 'VOLT', 'WARD', 'EXTERNAL'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

/** One receipt, under the names it has in its line. */
export interface WardEntry {
  readonly ward_version: string
  readonly ward_entry_id: string
  readonly chain_id: string
  /** From 1, without gaps. */
  readonly seq: number
  readonly witnessed_at: string
  readonly source_kind: SourceKind
  readonly source_id: string
  readonly payload_hash: string
  readonly prev_chain_hash: string
  readonly chain_hash: string
  readonly issuer_id: string
  readonly source_ts?: string
}

/** Members of an entry that WARD 0.1 leaves out of the chain hash: they can be changed and the chain is whole (HD-22). */
export const UNCHAINED_MEMBERS = ['ward_version', 'issuer_id', 'source_ts'] as const

/** What the next entry needs to know of the last one. */
export type WardLink = Pick<WardEntry, 'chain_id' | 'seq' | 'chain_hash'>

/** A receipt before it has its place in the chain. */
export interface WardDraft {
  /** Of the first entry, such as `ward:org/acme/env/test`; those that follow stay in its chain. */
  readonly chainId: string
  readonly entryId: string
  /** Who writes the receipt. */
  readonly issuerId: string
  /** Wall time in milliseconds since 1970: when it was witnessed, not when it happened. */
  readonly atMs: number
  readonly sourceKind: SourceKind
  /** The `id` of an envelope. In one chain each may stand once; the writer sees to that. */
  readonly sourceId: string
  /** SHA-256 of the canonical form of what was witnessed, 64 lower-case hex digits. */
  readonly payloadHash: string
  /** What the source says of its time; left out unless it is UTC with a `Z`. */
  readonly sourceTs?: string | undefined
}

/** Joins what a chain hash is made of. */
const SEPARATOR = '|'

/** What the first entry of a chain names as the hash before it. */
export function wardGenesis(chainId: string): string {
  return sha256Hex(`WARD-GENESIS${SEPARATOR}${chainId}`)
}

/** The hash that ties an entry to all before it, as 64 lower-case hex digits: all of it but {@link UNCHAINED_MEMBERS}. */
export function wardChainHash(
  entry: Omit<WardEntry, 'chain_hash' | (typeof UNCHAINED_MEMBERS)[number]>,
): string {
  return sha256Hex(
    [
      entry.prev_chain_hash,
      entry.chain_id,
      entry.seq,
      entry.ward_entry_id,
      entry.witnessed_at,
      entry.source_kind,
      entry.source_id,
      entry.payload_hash,
    ].join(SEPARATOR),
  )
}

/**
 * The entry that follows another; the first of a chain follows none.
 *
 * @throws UsageError when the id of the chain or of the entry holds a `|`: two different entries could then have
 *   one hash. A source's id may, since what stands on both sides of it has a fixed form.
 */
export function wardEntry(previous: WardLink | undefined, draft: WardDraft): WardEntry {
  const chainId = previous?.chain_id ?? draft.chainId
  for (const id of [chainId, draft.entryId])
    if (!isWardId(id)) throw new UsageError('The ids of a chain and of its entries hold no "|".')
  const entry = {
    ward_version: WARD_VERSION,
    ward_entry_id: draft.entryId,
    chain_id: chainId,
    seq: (previous?.seq ?? 0) + 1,
    witnessed_at: new Date(draft.atMs).toISOString(),
    source_kind: draft.sourceKind,
    source_id: toLedgerText(draft.sourceId),
    payload_hash: draft.payloadHash,
    prev_chain_hash: previous?.chain_hash ?? wardGenesis(chainId),
  }
  return {
    ...entry,
    chain_hash: wardChainHash(entry),
    issuer_id: draft.issuerId,
    ...(isUtcTime(draft.sourceTs) && { source_ts: draft.sourceTs }),
  }
}

/** An entry as its line, without the line feed; what `verifyWard` reads. */
export function formatWardEntry(entry: WardEntry): string {
  return JSON.stringify(entry)
}

/** Whether a value can be the id of a chain or of an entry. */
export function isWardId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes(SEPARATOR)
}
