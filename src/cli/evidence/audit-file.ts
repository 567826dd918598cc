/**
 * One ledger file, of whichever kind it is, held against what its kind demands.
 */
import { basename } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { readLedgerLine, type LedgerFault, type LedgerLine } from '../../aee/evidence/ledger-report.ts'
import { VoltLook } from '../../aee/evidence/volt-verify.ts'
import { UNCHAINED_MEMBERS } from '../../aee/evidence/ward.ts'
import { WardLook } from '../../aee/evidence/ward-verify.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { fileLines } from '../input/file-lines.ts'

/** What was found in a file. */
export interface Audit {
  readonly file: string
  readonly format: 'VOLT' | 'WARD'
  /** In the words of its kind: PASS and FAIL, or INTACT, BROKEN and PARTIAL. */
  readonly verdict: string
  /** Whether that is all right. */
  readonly isWhole: boolean
  readonly entries: number
  /** At most a hundred. */
  readonly faults: readonly LedgerFault<string>[]
  readonly faultCount: number
  /** Members that the chain says nothing about; whoever can write the file can change them. */
  readonly uncovered: readonly string[]
}

/** The names the daemon gives them. */
const NAMES: ReadonlyMap<string, Audit['format']> = new Map([
  ['volt.ndjson', 'VOLT'],
  ['ward.ndjson', 'WARD'],
])

/**
 * Verifies a file. Its first line says what it is; where that line itself is broken, its name may.
 *
 * @param upToLine - the last line that is looked at, counted from 1; of none, all are
 * @throws UsageError when it cannot be read, is empty, or is of neither kind
 */
export function auditFile(file: string, upToLine = Number.POSITIVE_INFINITY): Audit {
  let look: Look | undefined
  for (const line of fileLines(file, MAX_ENVELOPE_OCTETS)) {
    look ??= lookAt(file, line)
    if (line.number > upToLine) break
    look.take(line)
  }
  return reportOf(look, file)
}

/**
 * The same, with a word about each line, and a wait where the word is one: who listens can show how far it is.
 *
 * @throws UsageError as {@link auditFile}
 */
export async function auditInTurns(
  file: string,
  onLine: (octets: number) => Promise<void> | undefined,
  upToLine = Number.POSITIVE_INFINITY,
): Promise<Audit> {
  let look: Look | undefined
  for (const line of fileLines(file, MAX_ENVELOPE_OCTETS)) {
    look ??= lookAt(file, line)
    if (line.number > upToLine) break
    look.take(line)
    await onLine(line.line.length + 1)
  }
  return reportOf(look, file)
}

/** One look through a file. */
interface Look {
  take(line: LedgerLine): void
  report(): Audit
}

function reportOf(look: Look | undefined, file: string): Audit {
  if (look !== undefined) return look.report()
  throw new UsageError(`${file} is empty, so there is nothing to verify.`)
}

function lookAt(file: string, first: LedgerLine): Look {
  const format = formatOf(first.line, file)
  if (format === 'VOLT') {
    const look = new VoltLook()
    return {
      take: (line) => look.take(line),
      report() {
        const { verdict, events, faults, faultCount } = look.report()
        const isWhole = verdict === 'PASS'
        return { file, format, verdict, isWhole, entries: events, faults, faultCount, uncovered: [] }
      },
    }
  }
  const look = new WardLook()
  return {
    take: (line) => look.take(line),
    report() {
      const { verdict, entries, faults, faultCount } = look.report()
      const isWhole = verdict === 'INTACT'
      return { file, format, verdict, isWhole, entries, faults, faultCount, uncovered: UNCHAINED_MEMBERS }
    },
  }
}

function formatOf(line: Uint8Array, file: string): Audit['format'] {
  const record = readLedgerLine(line) ?? {}
  if (Object.hasOwn(record, 'volt_version')) return 'VOLT'
  if (Object.hasOwn(record, 'ward_version')) return 'WARD'
  const named = NAMES.get(basename(file))
  if (named !== undefined) return named
  throw new UsageError(`${file} is neither a VOLT ledger nor a WARD chain.`)
}
