/**
 * One ledger file, of whichever kind it is, held against what its kind demands.
 */
import { basename } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { readLedgerLine, type LedgerFault, type LedgerLine } from '../../aee/evidence/ledger-report.ts'
import { verifyVolt } from '../../aee/evidence/volt-verify.ts'
import { UNCHAINED_MEMBERS } from '../../aee/evidence/ward.ts'
import { verifyWard } from '../../aee/evidence/ward-verify.ts'
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
  const lines = fileLines(file, MAX_ENVELOPE_OCTETS)
  try {
    const first = lines.next()
    if (first.done === true) throw new UsageError(`${file} is empty, so there is nothing to verify.`)
    return audit(file, [first.value], upTo(lines, upToLine))
  } finally {
    lines.return()
  }
}

function* upTo(lines: Iterable<LedgerLine>, last: number): Generator<LedgerLine, void, undefined> {
  for (const line of lines) {
    if (line.number > last) return
    yield line
  }
}

function audit(file: string, first: readonly [LedgerLine], rest: Iterable<LedgerLine>): Audit {
  const format = formatOf(first[0].line, file)
  const lines = chain(first, rest)
  if (format === 'VOLT') {
    const { verdict, events, faults, faultCount } = verifyVolt(lines)
    const isWhole = verdict === 'PASS'
    return { file, format, verdict, isWhole, entries: events, faults, faultCount, uncovered: [] }
  }
  const { verdict, entries, faults, faultCount } = verifyWard(lines)
  const isWhole = verdict === 'INTACT'
  return { file, format, verdict, isWhole, entries, faults, faultCount, uncovered: UNCHAINED_MEMBERS }
}

/** A file may be a pipe, which is read once. */
function* chain(...parts: readonly Iterable<LedgerLine>[]): Generator<LedgerLine, void, undefined> {
  for (const part of parts) yield* part
}

function formatOf(line: Uint8Array, file: string): Audit['format'] {
  const record = readLedgerLine(line) ?? {}
  if (Object.hasOwn(record, 'volt_version')) return 'VOLT'
  if (Object.hasOwn(record, 'ward_version')) return 'WARD'
  const named = NAMES.get(basename(file))
  if (named !== undefined) return named
  throw new UsageError(`${file} is neither a VOLT ledger nor a WARD chain.`)
}
