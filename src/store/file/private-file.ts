/** A file that is only ours from its first moment. */
import { closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs'

/** Something else than a regular file stands where ours should be; `code` is what the system said of it. */
export class NotARegularFile extends Error {
  override readonly name = 'NotARegularFile'
  readonly code = 'EEXIST'
}

/**
 * Makes an empty file of mode 0600 unless there is one already. O_EXCL never opens a file that is there, so a
 * lock this process holds on it survives.
 *
 * @throws NotARegularFile when something else stands at `path`; Error with the system's code when it refuses
 */
export function createPrivateFile(path: string): void {
  try {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
    fchmodSync(file, 0o600)
    closeSync(file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (lstatSync(path).isFile()) return
    throw new NotARegularFile(`${path} is no regular file; move it away`, { cause: error })
  }
}
