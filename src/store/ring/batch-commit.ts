/**
 * Committing a turn: the frames with who they reached, what waits for whom, and what falls out of retention, in one
 * transaction.
 */
import type { Retained } from '../../broker/ring/retained.ts'
import type { RetentionBounds } from '../../broker/ring/ring.ts'
import { writeFrames } from './frame-writer.ts'
import type { KeptFrames } from './kept-frames.ts'

/** Commits it and gives each frame its place. @throws Error with SQLite's code; nothing has happened then */
export function commitBatch(kept: KeptFrames, retention: RetentionBounds, batch: readonly Retained[]): void {
  const { file, extent, trimming, tail, lookBack } = kept
  const [written, trimmed] = file.transact(() => {
    const added = writeFrames(file, batch, extent.lastSeq)
    const gone = trimming.trim({
      statements: file.statements,
      retention,
      held: { frames: extent.frames + added.frames, bytes: extent.bytes + added.bytes },
      nowMs: batch.at(-1)?.acceptedAtMs ?? 0,
      upToSeq: extent.lastSeq,
    })
    return [added, gone]
  })
  // Only what is committed gets a place.
  for (const frame of batch) {
    extent.lastSeq += 1
    frame.seq = extent.lastSeq
    tail.push(frame)
  }
  lookBack.appended(batch)
  extent.add(written)
  extent.remove(trimmed)
  file.committed(extent.lastSeq, extent.totals)
  if (trimmed.frames === 0) return
  extent.firstSeq = file.statements.firstSeq.get() ?? extent.lastSeq + 1
  tail.dropBefore(extent.firstSeq)
  lookBack.trimmed()
}
