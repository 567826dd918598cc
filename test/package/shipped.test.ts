/**
 * What is shipped: every file that the library, the command or the daemon ever loads (`files` of package.json).
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { DIST, wholeGraph } from '../support/start-graph.ts'

/** Folders and files of `files`, as they stand under the package. */
const SHIPPED = readShipped()

function readShipped(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(DIST, '..', 'package.json'), 'utf8'))
  const files: unknown = manifest instanceof Object ? Reflect.get(manifest, 'files') : []
  return Array.isArray(files) ? files.map(String) : []
}

test.each([['client/index.js'], ['cli/main.js'], ['cli/run/report.js'], ['daemon/main.js']])(
  'everything that dist/%s loads is in the package',
  (entry) => {
    const { files } = wholeGraph([join(DIST, entry)])

    const loaded = [...files].map((file) => `dist/${relative(DIST, file)}`)
    const missing = loaded.filter(
      (file) => !SHIPPED.some((place) => file === place || file.startsWith(`${place}/`)),
    )
    expect(missing).toEqual([])
    expect(loaded.length).toBeGreaterThan(1)
  },
)
