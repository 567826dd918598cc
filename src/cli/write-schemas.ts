/**
 * The published schemas as files, for the package: those of envelopes in the layout the draft recommends (AEE-067), those of
 * the HTTP contract beside them in `http`, those of what the command line prints in `cli`. Each is complete in itself, so that it can be read where it lies.
 *
 * Run by the build: `node dist/cli/write-schemas.js <folder>`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../core/errors.ts'
import { ENVELOPE_SCHEMA_NAMES, findEnvelopeSchema, publishedPath } from '../aee/schemas/published.ts'
import { CLI_SCHEMA_NAMES, findCliSchema } from './published/outputs.ts'
import { SCHEMA_NAMES, findJsonSchema } from '../protocol/published/schemas.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new UsageError('write-schemas takes the folder to write to.')
for (const name of ENVELOPE_SCHEMA_NAMES) write(publishedPath(name), findEnvelopeSchema(name))
for (const name of SCHEMA_NAMES) write(`http/${name}.schema.json`, findJsonSchema(name))
for (const name of CLI_SCHEMA_NAMES) write(`cli/${name}.schema.json`, findCliSchema(name))

function write(place: string, schema: unknown): void {
  const path = join(String(folder), place)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(schema)}\n`)
}
