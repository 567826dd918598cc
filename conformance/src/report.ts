/**
 * What came out, by draft and section: a table for people, and the same as JSON.
 */
import { isTextFailure, type Result } from './run.ts'

/** How many of a section's vectors passed and failed. */
interface Count {
  readonly pass: number
  readonly fail: number
}

/** One section of one draft. */
export interface SectionReport {
  readonly draft: string
  readonly section: string
  readonly text: Count
  readonly local: Count
  /** Open ones that were answered, one way or another. */
  readonly open: number
  /** Those whose operation the implementation has not. */
  readonly unsupported: number
}

/** A vector that failed, or an open one with its answer. */
export interface Remark {
  readonly id: string
  readonly basis: string
  readonly level: string
  readonly sentence: string
  readonly remark: string
}

/** The whole of it. */
export interface Report {
  readonly sections: readonly SectionReport[]
  readonly failures: readonly Remark[]
  readonly open: readonly Remark[]
  /** Failures of what a text demands: the run ends with 1 where there is one. */
  readonly textFailures: number
}

export function toReport(results: readonly Result[]): Report {
  const keys = [...new Set(results.map(keyOf))].toSorted(bySection)
  return {
    sections: keys.map((key) => toSection(results.filter((result) => keyOf(result) === key))),
    failures: remarksOf(results, 'fail'),
    open: remarksOf(results, 'told'),
    textFailures: results.filter(isTextFailure).length,
  }
}

function keyOf({ vector: { draft, section } }: Result): string {
  return `${draft} ${section}`
}

/** `memo 5.2` comes before `memo 5.10`. */
function bySection(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true })
}

function toSection(results: readonly Result[]): SectionReport {
  const [first] = results
  const of = (basis: string): readonly Result[] => results.filter(({ vector }) => vector.basis === basis)
  return {
    draft: first?.vector.draft ?? '',
    section: first?.vector.section ?? '',
    text: countOf(of('text')),
    local: countOf(of('local')),
    open: results.filter(({ outcome }) => outcome === 'told').length,
    unsupported: results.filter(({ outcome }) => outcome === 'unsupported').length,
  }
}

function countOf(results: readonly Result[]): Count {
  const count = (outcome: string): number => results.filter((result) => result.outcome === outcome).length
  return { pass: count('pass'), fail: count('fail') }
}

function remarksOf(results: readonly Result[], outcome: string): readonly Remark[] {
  return results
    .filter((result) => result.outcome === outcome)
    .map(({ vector: { id, basis, level, sentence }, remark = '' }) => ({
      id,
      basis,
      level,
      sentence,
      remark,
    }))
}

const HEADS = ['draft', 'section', 'text', 'local', 'open', 'not there']

/** @param isLong - whether the answers to open vectors are told as well */
export function formatReport(report: Report, isLong: boolean): string {
  const rows = report.sections.map(rowOf)
  const total = rowOf(sumOf(report.sections))
  const lines = [
    ...formatTable([HEADS, ...rows, total]),
    ...report.failures.flatMap(formatFailure),
    ...(isLong ? report.open.map(({ id, remark }) => `open  ${id}: ${remark}`) : []),
    '',
    report.textFailures === 0
      ? 'Nothing that the text of a draft demands failed.'
      : `${report.textFailures} of what the text of a draft demands failed.`,
  ]
  return `${lines.join('\n')}\n`
}

function addCounts(left: Count, right: Count): Count {
  return { pass: left.pass + right.pass, fail: left.fail + right.fail }
}

function sumOf(sections: readonly SectionReport[]): SectionReport {
  const none: SectionReport = {
    draft: 'all',
    section: '',
    text: { pass: 0, fail: 0 },
    local: { pass: 0, fail: 0 },
    open: 0,
    unsupported: 0,
  }
  return sections.reduce(
    (sum, section) => ({
      ...sum,
      text: addCounts(sum.text, section.text),
      local: addCounts(sum.local, section.local),
      open: sum.open + section.open,
      unsupported: sum.unsupported + section.unsupported,
    }),
    none,
  )
}

function rowOf({ draft, section, text, local, open, unsupported }: SectionReport): readonly string[] {
  return [draft, section, formatCount(text), formatCount(local), ...[open, unsupported].map(orNone)]
}

function formatCount({ pass, fail }: Count): string {
  return pass + fail === 0 ? NONE : `${pass}/${pass + fail}`
}

const NONE = '·'

function orNone(count: number): string {
  return count === 0 ? NONE : String(count)
}

function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEADS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

function formatFailure({ id, basis, level, sentence, remark }: Remark): readonly string[] {
  const binding = level === 'must' ? basis : `${basis}, ${level}`
  return ['', `FAIL  ${id} (${binding})`, `      ${remark}`, `      “${sentence}”`]
}
