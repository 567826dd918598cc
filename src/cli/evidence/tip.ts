/**
 * The tip of each chain: how far it went, and by which hash, signed. Kept elsewhere, it shows when somebody has
 * rewritten a ledger whole, or cut off its end, which the chain itself cannot.
 *
 * @see docs/requirements.md §§2.3, 2.4; docs/envelopes.md "Schemas and evidence"
 */
import { canonicalJson } from '../../aee/envelope/canonical.ts'
import type { Key, KeyRing } from '../../aee/keys/key.ts'
import { isFilledText, isHash, isSeq } from '../../aee/evidence/ledger-report.ts'
import { UsageError } from '../../core/errors.ts'
import { isJsonObject, listMember, objectOf, parseMembers, textMember } from '../../core/text/json-object.ts'
import { signEvidence, signatureFault } from './evidence-signature.ts'
import { ledgerEntries } from './ledger-entries.ts'

/** How far one chain went. */
export interface LedgerTip {
  readonly format: 'VOLT' | 'WARD'
  /** The run of a ledger, the id of a chain. */
  readonly chain: string
  readonly seq: number
  /** 64 hex digits. */
  readonly hash: string
}

/** The tips of all chains at one time, under the names they have in the document. */
export interface Tip {
  readonly type: 'agentd.tip'
  readonly v: 1
  readonly at: string
  readonly ledgers: readonly LedgerTip[]
  readonly sig?: { readonly alg: 'ed25519'; readonly kid: string; readonly value: string }
}

/** What is wrong with a chain, or with the tip itself, in WARD's words. */
export type TipFault = {
  readonly code: 'TIP_MISMATCH' | 'TIP_SIGNATURE_INVALID'
  readonly message: string
}

/** In front of what is signed, so that it is taken for nothing else. */
const CONTEXT = 'agentd-tip-1\n'

/** @throws UsageError when a ledger cannot be read, or none has an entry */
export function readTips(files: readonly string[], at: string): Tip {
  const ledgers = files.flatMap((file) => {
    let last: LedgerTip | undefined
    for (const { format, chain, seq, hash } of ledgerEntries(file)) last = { format, chain, seq, hash }
    return last === undefined ? [] : [last]
  })
  if (ledgers.length === 0) throw new UsageError('No ledger has an entry, so there is no tip.')
  return { type: 'agentd.tip', v: 1, at, ledgers }
}

/** @throws UsageError for a key that signs nothing of the kind */
export function signTip(tip: Tip, key: Key): Tip {
  const value = signEvidence(boundBytes(tip), key, 'tip')
  return { ...tip, sig: { alg: 'ed25519', kid: key.kid, value } }
}

/** @throws UsageError for a text that is no tip */
export function parseTip(text: string): Tip {
  const members = parseMembers(text) ?? {}
  const { type, v } = members
  const ledgers = listMember(members, 'ledgers').flatMap((one) => readLedgerTip(one))
  const at = textMember(members, 'at')
  const isWhole = ledgers.length > 0 && ledgers.length === listMember(members, 'ledgers').length
  if (type !== 'agentd.tip' || v !== 1 || at === undefined || !isWhole)
    throw new UsageError('The tip is none that "agentd audit tip" has printed.')
  const { sig } = members
  return { type, v, at, ledgers, ...(sig !== undefined && { sig: readSignature(sig) }) }
}

function readLedgerTip(value: unknown): readonly LedgerTip[] {
  const { format, chain, seq, hash } = objectOf(value)
  const isFormat = format === 'VOLT' || format === 'WARD'
  return isFormat && isFilledText(chain) && isSeq(seq) && isHash(hash) ? [{ format, chain, seq, hash }] : []
}

function readSignature(value: unknown): NonNullable<Tip['sig']> {
  const { alg, kid, value: text } = isJsonObject(value) ? value : {}
  if (alg === 'ed25519' && isFilledText(kid) && isFilledText(text)) return { alg, kid, value: text }
  throw new UsageError('The signature of the tip is none of an ed25519 key.')
}

/**
 * Holds a tip against the ledgers that are there now.
 *
 * @param keys - where the key that signed it is looked up
 */
export function tipFaults(tip: Tip, files: readonly string[], keys: KeyRing): readonly TipFault[] {
  const sought = new Set(tip.ledgers.map(placeOf))
  const hashes = new Map<string, string>()
  for (const file of files) {
    for (const entry of ledgerEntries(file)) {
      const place = placeOf(entry)
      if (sought.has(place)) hashes.set(place, entry.hash)
    }
  }
  const chains = tip.ledgers.flatMap(({ hash, ...place }): TipFault[] => {
    const now = hashes.get(placeOf(place))
    if (now === hash) return []
    const where = `${place.format} ${place.chain}`
    const message =
      now === undefined
        ? `${where} went as far as ${place.seq}, and does not any more.`
        : `Entry ${place.seq} of ${where} is another one than it was.`
    return [{ code: 'TIP_MISMATCH', message }]
  })
  return [...signatureFaults(tip, keys), ...chains]
}

function signatureFaults(tip: Tip, keys: KeyRing): readonly TipFault[] {
  const { sig } = tip
  if (sig === undefined) return []
  const fault = signatureFault(boundBytes(tip), { kid: sig.kid, value: sig.value }, keys)
  if (fault === undefined) return []
  return [{ code: 'TIP_SIGNATURE_INVALID', message: `The signature of the tip does not hold: ${fault}.` }]
}

function boundBytes({ type, v, at, ledgers }: Tip): Uint8Array {
  const rest = { type, v, at, ledgers }
  return Buffer.from(`${CONTEXT}${canonicalJson(rest)}`)
}

function placeOf({ format, chain, seq }: Pick<LedgerTip, 'format' | 'chain' | 'seq'>): string {
  return `${format} ${seq} ${chain}`
}
