/**
 * The manual pages as files, for the package.
 *
 * Run by the build: `node dist/cli/write-manual.js <folder>`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/errors.ts'
import { packageVersion } from '../host/package.ts'
import { manualPages } from './manual/pages.ts'
import { topicPages } from './manual/topic-pages.ts'
import { createProgram } from './program.ts'
import { loadRuntimeIds } from './runtime-ids.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new UsageError('write-manual takes the folder to write to.')
// A command that is gone has no page.
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const program = createProgram(await loadRuntimeIds())
const version = packageVersion()
for (const { file, text } of [...manualPages(program, version), ...topicPages(version)])
  writeFileSync(join(folder, file), text)
