/**
 * The entries of a ledger of either kind, as far as one looks for envelopes and places in them.
 */
import { readVoltEvent } from '../../aee/evidence/volt-verify.ts'
import { readWardEntry } from '../../aee/evidence/ward-verify.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { textMember } from '../../core/text/json-object.ts'
import { fileLines } from '../input/file-lines.ts'

/** One entry. */
export interface LedgerEntry {
  /** Of the file, counted from 1. */
  readonly line: number
  readonly text: string
  readonly format: 'VOLT' | 'WARD'
  /** The run of an event, the chain of a receipt. */
  readonly chain: string
  readonly seq: number
  /** What the next entry names. */
  readonly hash: string
  /** Such as `aee.envelope.sent`; of a receipt `witnessed`. */
  readonly what: string
  readonly at: string
  /** As the ledger writes it; undefined for what is about no envelope. */
  readonly envelopeId: string | undefined
  /** As the ledger writes it; only VOLT says it. */
  readonly corr: string | undefined
  /** `sha256:` and 64 hex digits; undefined where it was not recorded. */
  readonly envelopeHash: string | undefined
  readonly via: string | undefined
}

/** Those that can be read, in the order of the file. @throws UsageError when it cannot be read */
export function* ledgerEntries(file: string): Generator<LedgerEntry, void, undefined> {
  for (const { line, number } of fileLines(file, MAX_ENVELOPE_OCTETS)) {
    const entry = readEntry(line, number)
    if (entry !== undefined) yield entry
  }
}

function readEntry(bytes: Uint8Array, line: number): LedgerEntry | undefined {
  const text = Buffer.from(bytes).toString('utf8')
  const event = readVoltEvent(bytes)
  if (event !== undefined) {
    const { context, payload } = event
    return {
      line,
      text,
      format: 'VOLT',
      chain: event.run_id,
      seq: event.seq,
      hash: event.hash,
      what: event.event_type,
      at: event.ts,
      envelopeId: context.aee_envelope_id,
      corr: context.correlation_id,
      envelopeHash: textMember(payload, 'envelope_hash'),
      via: textMember(payload, 'via'),
    }
  }
  const receipt = readWardEntry(bytes)
  if (receipt === undefined) return undefined
  return {
    line,
    text,
    format: 'WARD',
    chain: receipt.chain_id,
    seq: receipt.seq,
    hash: receipt.chain_hash,
    what: 'witnessed',
    at: receipt.witnessed_at,
    envelopeId: receipt.source_kind === 'AEE' ? receipt.source_id : undefined,
    corr: undefined,
    envelopeHash: `sha256:${receipt.payload_hash}`,
    via: undefined,
  }
}
