/**
 * Committing a turn: the frames with who they reached, what waits for whom, and what falls out of retention, in one
 * transaction.
 */
import type { Arrival } from '../../broker/origins/origins.ts'
import type { Retained } from '../../broker/ring/retained.ts'
import type { RetentionBounds } from '../../broker/ring/ring.ts'
import { writeFrames } from './frame-writer.ts'
import type { KeptFrames } from './kept-frames.ts'

/** What comes in one turn: frames, and what is left of the lanes that brought some of them. */
export interface Turn {
  readonly batch: readonly Retained[]
  readonly arrivals: readonly Arrival[] | undefined
}

/** Commits it and gives each frame its place. @throws Error with SQLite's code; nothing has happened then */
export function commitBatch(kept: KeptFrames, retention: RetentionBounds, { batch, arrivals }: Turn): void {
  const { file, extent, trimming, tail, lookBack, origins } = kept
  const changes = arrivals && origins.plan(arrivals, extent)
  const [written, trimmed] = file.transact(() => {
    const added = writeFrames(file, batch, extent.lastSeq)
    if (changes !== undefined) origins.write(file.statements, changes)
    const gone = trimming.trim({
      statements: file.statements,
      retention,
      held: { frames: extent.frames + added.frames, bytes: extent.bytes + added.bytes },
      nowMs: batch.at(-1)?.acceptedAtMs ?? 0,
      upToSeq: extent.lastSeq,
    })
    return [added, gone]
  })
  if (changes !== undefined) origins.written(changes)
  // Only what is committed gets a place.
  for (const frame of batch) {
    extent.lastSeq += 1
    frame.seq = extent.lastSeq
  }
  tail.append(batch)
  lookBack.appended(batch)
  extent.add(written)
  extent.remove(trimmed)
  file.committed(extent.lastSeq, extent.totals)
  if (trimmed.frames === 0) return
  extent.firstSeq = file.statements.firstSeq.get() ?? extent.lastSeq + 1
  tail.dropBefore(extent.firstSeq)
  lookBack.trimmed()
}
