/**
 * The mark beside a socket by which hooks leave a daemon alone that does not answer (OP-29).
 *
 * A hook that has waited its whole time for an answer writes down until when, in seconds since 1970; until then no hook
 * asks. A daemon that starts takes it away.
 *
 * @see docs/runtimes.md §10 rule 13
 */
import { readFileSync, rmSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** What stands behind the socket's own name. */
export const HANG_SUFFIX = '.hung'

/** Takes the mark of an earlier daemon away. One that cannot be taken away loses its force by itself. */
export function removeHangMark(socketPath: string): void {
  try {
    rmSync(socketPath + HANG_SUFFIX, { force: true })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}

/** Until when the daemon is left alone, in milliseconds since 1970; undefined where nothing says so. */
export function readHangMark(socketPath: string): number | undefined {
  try {
    const [digits] = /^\d{1,12}$/m.exec(readFileSync(socketPath + HANG_SUFFIX, 'latin1')) ?? []
    return digits === undefined ? undefined : Number(digits) * 1_000
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}
