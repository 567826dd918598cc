/**
 * A file that is handed over: made, and never written over another.
 */
import { UsageError } from '../../core/errors.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { writePrivateFile } from './private-file.ts'
import { HostRefusal } from './refusal.ts'

/** Writes it, 0600. @throws UsageError where there is one, HostRefusal where it cannot be written */
export function writeNew(path: string, text: string): void {
  try {
    writePrivateFile(path, text)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    if (code === 'EEXIST') throw new UsageError(`There is a file ${path} already; name another one.`)
    throw new HostRefusal(`The file ${path} cannot be written (${code}).`, { cause: error })
  }
}
