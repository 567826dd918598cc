/**
 * The published schemas as files, for the package: the layout is the one the draft recommends (AEE-067).
 *
 * Run by the build: `node dist/cli/write-schemas.js <folder>`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../core/errors.ts'
import { ENVELOPE_SCHEMA_NAMES, findEnvelopeSchema, publishedPath } from '../aee/schemas/published.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new UsageError('write-schemas takes the folder to write to.')
for (const name of ENVELOPE_SCHEMA_NAMES) {
  const path = join(folder, publishedPath(name))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(findEnvelopeSchema(name), null, 2)}\n`)
}
