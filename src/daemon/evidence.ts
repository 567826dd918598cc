/**
 * The ledgers that were asked for, and why one that was is not kept.
 */
import type { Ring } from '../broker/ring.ts'
import { HostRefusal } from '../host/refusal.ts'
import { EvidenceFile, type EvidenceLedger } from './evidence-file.ts'
import type { DaemonParts } from './parts.ts'
import { VoltLedger } from './volt-ledger.ts'
import { WardLedger } from './ward-ledger.ts'

/** What is written, and sentences about what is not. */
export interface Evidence {
  readonly files: readonly EvidenceFile[]
  readonly details: readonly string[]
}

/** @param ring - whose file this daemon alone may write: two writers would tear a chain apart */
export function openEvidence(parts: DaemonParts, ring: Ring): Evidence {
  const { recordsVolt, recordsWard } = parts.config.aee
  const wanted: [string, EvidenceLedger][] = [
    ...(recordsVolt ? [['volt', new VoltLedger(parts.clock)] as [string, EvidenceLedger]] : []),
    ...(recordsWard
      ? [['ward', new WardLedger(parts.clock, parts.config.principal)] as [string, EvidenceLedger]]
      : []),
  ]
  if (wanted.length > 0 && !ring.health().enabled) {
    return {
      files: [],
      details: ['Evidence is not recorded: it needs the store, which this daemon does not have.'],
    }
  }
  const files: EvidenceFile[] = []
  const details: string[] = []
  for (const [name, ledger] of wanted) {
    try {
      files.push(new EvidenceFile(parts, name, ledger))
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      details.push(`Evidence is not recorded: ${error.message}`)
    }
  }
  return { files, details }
}
