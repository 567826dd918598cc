/**
 * Promises that nobody waits for and that fail: in the daemon each of them is its end.
 */
import { setImmediate } from 'node:timers/promises'

/** Runs something and everything it puts off. @returns what was rejected meanwhile with nobody to hear of it */
export async function unhandledDuring(act: () => unknown): Promise<readonly unknown[]> {
  const reasons: unknown[] = []
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => reasons.push(reason))
  try {
    await act()
    // Rejections are told at the end of the turn they happen in.
    for (let i = 0; i < 4; i += 1) await setImmediate()
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  }
  return reasons
}
