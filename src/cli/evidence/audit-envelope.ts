/**
 * Whether an envelope is the one that was recorded, and whether each chain is whole up to where it was.
 *
 * @see AEE-C13, AEE-C16; docs/requirements.md §§2.3, 2.4
 */
import { toLedgerText } from '../../aee/evidence/ledger-text.ts'
import { auditFile, type Audit } from './audit-file.ts'
import { ledgerEntries, type LedgerEntry } from './ledger-entries.ts'

/** What one ledger says of the envelope. */
export interface EnvelopeRecord {
  readonly file: string
  readonly format: Audit['format']
  /**
   * `same`: with this very hash. `other`: with another one. `unhashed`: it was there, and nothing says what it was. `known`:
   * it was there, and there is no envelope to hold against it.
   */
  readonly recorded: 'same' | 'other' | 'unhashed' | 'known'
  readonly entries: readonly Pick<LedgerEntry, 'line' | 'what' | 'at' | 'via' | 'envelopeHash'>[]
  /** Of the file, up to the last of those entries. */
  readonly chain: Pick<Audit, 'verdict' | 'isWhole' | 'faults' | 'faultCount'>
}

/**
 * Looks through ledgers.
 *
 * @param hash - of the envelope, `sha256:` and 64 hex digits; undefined where only its id is known
 * @returns one for each ledger that knows it
 * @throws UsageError when a ledger cannot be read
 */
export function findEnvelopeRecords(
  files: readonly string[],
  id: string,
  hash: string | undefined,
): readonly EnvelopeRecord[] {
  return files.flatMap((file) => {
    const entries = [...entriesOf(file, toLedgerText(id))]
    const [first] = entries
    if (first === undefined) return []
    const { verdict, isWhole, faults, faultCount } = auditFile(file, entries.at(-1)?.line)
    return [
      {
        file,
        format: first.format,
        recorded: judge(entries, hash),
        entries: entries.map(({ line, what, at, via, envelopeHash }) => ({
          line,
          what,
          at,
          via,
          envelopeHash,
        })),
        chain: { verdict, isWhole, faults, faultCount },
      },
    ]
  })
}

/** Whether the envelope is one that is there, nowhere as another one, and each chain that says so is whole. */
export function isProven(records: readonly EnvelopeRecord[]): boolean {
  return (
    records.some(({ recorded }) => recorded === 'same') &&
    records.every(({ recorded, chain }) => recorded !== 'other' && chain.isWhole)
  )
}

function* entriesOf(file: string, ledgerId: string): Generator<LedgerEntry, void, undefined> {
  for (const entry of ledgerEntries(file)) if (entry.envelopeId === ledgerId) yield entry
}

function judge(entries: readonly LedgerEntry[], hash: string | undefined): EnvelopeRecord['recorded'] {
  if (hash === undefined) return 'known'
  const hashes = entries.flatMap(({ envelopeHash }) => (envelopeHash === undefined ? [] : [envelopeHash]))
  if (hashes.length === 0) return 'unhashed'
  return hashes.every((one) => one === hash) ? 'same' : 'other'
}
