/**
 * The bound of the ring holds for the file: what is concluded about frames is kept in it as well (HD-03, R-24).
 */
import { expect, test } from 'vitest'
import { LOOK_EVERY_TURNS } from '../../../src/store/ring/trimming.ts'
import { NOON_MS, ROOMY, openRing, retainedFrames } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const MAX_BYTES = 256 * 1024
const RECIPIENTS = 200
/** A frame and its receipts, as rows. */
const MAX_TURN_BYTES = 16 * 1024
const FRAMES = 8 * LOOK_EVERY_TURNS

test('receipts count in the bound: a file full of them lets go of the frames they are about (HD-03)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: { ...ROOMY, maxBytes: MAX_BYTES } })
  const { conclude, usedBytes } = ring.file.statements
  const used: number[] = []

  for (let turn = 0; turn < FRAMES; turn += 1) {
    ring.append(retainedFrames(1))
    ring.file.transact(() => {
      for (let i = 0; i < RECIPIENTS; i += 1)
        conclude.run(ring.lastSeq, `~alice/agent-with-a-name@session-${i}`, 'seen', NOON_MS, 'inbox')
    })
    used.push(usedBytes.get() ?? 0)
  }

  // Between two looks the file may grow by what is concluded meanwhile.
  expect(Math.max(...used)).toBeLessThan(1.1 * MAX_BYTES + 1024 * 1024 + LOOK_EVERY_TURNS * MAX_TURN_BYTES)
  expect(ring.count).toBeGreaterThan(0)
  expect(ring.count).toBeLessThan(FRAMES)
  expect(ring.firstSeq).toBe(ring.lastSeq - ring.count + 1)
  ring.close()
})
