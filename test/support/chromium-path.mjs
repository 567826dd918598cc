/**
 * Where a Chromium is; for tests and for programs that no compiler has seen.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Names under which systems install one. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** @returns what `CHROMIUM` names, or one on the path; undefined where there is none */
export function chromiumPath() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return process.env.CHROMIUM ?? paths.find((path) => existsSync(path))
}
