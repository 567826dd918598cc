/**
 * What a disk holds after the power went: of each file what was flushed, and of what was written since any part or none; or the
 * length alone, with zeros where the content had not reached the disk.
 */
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Bends a copy.
 *
 * @param now - the folder as the kernel had it last; it is changed
 * @param flushed - the same as it was when it was flushed
 * @param hasZeros - what is appended to has its length, and zeros for a part of what was written since
 * @returns how many files are not as the kernel had them
 */
export function tearFiles(now, flushed, { random, hasZeros }) {
  const names = readdirSync(now, { recursive: true }).filter((name) => statSync(join(now, name)).isFile())
  return names.filter((name) => tear(join(now, name), join(flushed, name), { random, hasZeros })).length
}

/** @returns whether it was torn */
function tear(path, flushedPath, { random, hasZeros }) {
  const whole = readFileSync(path)
  const kept = existsSync(flushedPath) ? readFileSync(flushedPath) : Buffer.alloc(0)
  const isAppended = kept.length < whole.length && whole.subarray(0, kept.length).equals(kept)
  if (kept.equals(whole)) return false
  if (isAppended && (hasZeros || random() < 0.7)) {
    const upTo = random.between(kept.length, whole.length - 1)
    const tail = Buffer.alloc(hasZeros ? whole.length - upTo : 0)
    writeFileSync(path, Buffer.concat([whole.subarray(0, upTo), tail]))
    return true
  }
  // What was written over as a whole is there as it was, or as it is.
  if (hasZeros || random() < 0.5) return false
  if (kept.length === 0) rmSync(path)
  else writeFileSync(path, kept)
  return true
}
