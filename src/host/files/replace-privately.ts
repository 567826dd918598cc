/**
 * A small file that only this user can read, written whole or not at all.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/**
 * Puts a text where nothing or an earlier one stands. Who reads meanwhile gets either.
 *
 * @returns the system's code where that cannot be done; undefined when it is
 */
export function replacePrivately(path: string, text: string): string | undefined {
  const made = `${path}.${process.pid}`
  try {
    rmSync(made, { force: true })
    writeFileSync(made, text, { flag: 'wx', mode: 0o600 })
    renameSync(made, path)
    return undefined
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    return code
  }
}
