/**
 * Ledger files as tests write and break them.
 */
import type { LedgerLine } from '../../../src/aee/evidence/ledger-report.ts'

/** Lines as a verifier takes them, numbered from 1. */
export function ledgerLines(texts: readonly (string | Uint8Array)[]): readonly LedgerLine[] {
  return texts.map((text, i) => ({
    line: typeof text === 'string' ? Buffer.from(text) : text,
    number: i + 1,
  }))
}

/** A report's faults, short: `2 CHAIN_BROKEN`. */
export function shortFaults(report: {
  readonly faults: readonly { readonly line: number; readonly code: string }[]
}): readonly string[] {
  return report.faults.map(({ line, code }) => `${line} ${code}`)
}

/** A line with some members changed, and without those that are changed to undefined. */
export function changed(line: string, changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...Object(JSON.parse(line)), ...changes })
}
