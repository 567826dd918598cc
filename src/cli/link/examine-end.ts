/**
 * Until when a machine is a node of its link: by the newest estate that this machine has, whichever way it came.
 *
 * @see FED-40
 */
import { readDocument } from '../../authority/document.ts'
import { ESTATE } from '../../authority/estate.ts'
import { formatSpan } from '../../core/text/durations.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { unlessRefused } from '../../core/thrown.ts'
import type { DoctorFinding, Notes } from '../../runtimes/doctor/finding.ts'

/** How soon the end of a document is worth a word. */
const ENDS_SOON_MS = 14 * 86_400_000

interface Ending {
  readonly name: string
  readonly node: string
  /** That of the join file, and what came over the link; undefined for none. */
  readonly estates: readonly (string | undefined)[]
}

/** @param nowMs - wall time */
export function examineEnd(
  { name, node, estates }: Ending,
  nowMs: number,
  notes: Notes,
): readonly DoctorFinding[] {
  const documents = estates.flatMap((text) =>
    text === undefined ? [] : (unlessRefused(() => readDocument(ESTATE, text)) ?? []),
  )
  const [newest] = documents.toSorted((a, b) => b.authorityEpoch - a.authorityEpoch)
  if (newest === undefined) return []
  const entry = newest.body.nodes.find((one) => one.node === node)
  const ends = [newest.notAfterMs, readTimestampMs(entry?.not_after ?? '')]
  const endMs = Math.min(...ends.map((one) => one ?? Infinity))
  if (endMs - nowMs > ENDS_SOON_MS) return []
  const sentence =
    endMs > nowMs
      ? `What makes this machine a node of "${name}" ends in ${formatSpan(endMs - nowMs)}.`
      : `What made this machine a node of "${name}" has ended.`
  return [notes.warn(`${name}-ends`, sentence, `where the hub is: agentd link hub invite ${node}`)]
}
