/**
 * The ledgers that were asked for, and why one that was is not kept.
 */
import type { Ring } from '../broker/ring/ring.ts'
import { HostRefusal } from '../host/files/refusal.ts'
import type { CleanupStack } from './cleanup-stack.ts'
import type { EvidenceFile, EvidenceLedger } from './evidence-file.ts'
import type { DaemonParts } from './parts.ts'

/** What is written, and sentences about what is not. */
export interface Evidence {
  readonly files: readonly EvidenceFile[]
  readonly details: readonly string[]
}

/**
 * Loads what writes evidence, which most daemons never do.
 *
 * @param on.ring - whose file this daemon alone may write: two writers would tear a chain apart
 * @param on.held - gets each ledger as it is opened
 */
export async function openEvidence(
  parts: DaemonParts,
  { ring, held }: { readonly ring: Ring; readonly held: CleanupStack },
): Promise<Evidence> {
  const { recordsVolt, recordsWard } = parts.config.aee
  if (!recordsVolt && !recordsWard) return { files: [], details: [] }
  if (!ring.health().enabled) {
    return {
      files: [],
      details: ['Evidence is not recorded: it needs the store, which this daemon does not have.'],
    }
  }
  const { EvidenceFile } = await import('./evidence-file.ts')
  const files: EvidenceFile[] = []
  const details: string[] = []
  for (const [name, ledger] of await ledgersOf(parts)) {
    try {
      const file = new EvidenceFile(parts, name, ledger)
      held.defer(() => file.close())
      files.push(file)
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      details.push(`Evidence is not recorded: ${error.message}`)
    }
  }
  return { files, details }
}

async function ledgersOf({ clock, config }: DaemonParts): Promise<readonly [string, EvidenceLedger][]> {
  const wanted: [string, EvidenceLedger][] = []
  if (config.aee.recordsVolt) {
    const { VoltLedger } = await import('./volt-ledger.ts')
    wanted.push(['volt', new VoltLedger(clock)])
  }
  if (config.aee.recordsWard) {
    const { WardLedger } = await import('./ward-ledger.ts')
    wanted.push(['ward', new WardLedger(clock, config.principal)])
  }
  return wanted
}
