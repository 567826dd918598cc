#!/usr/bin/env node
/**
 * `agentd-conformance`: the vectors put to an implementation, and a report by section.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AdapterError, type Adapter } from './adapter.ts'
import { openCommand } from './command-adapter.ts'
import { openBus } from './http/bus-adapter.ts'
import { parseObject, readObjects, requireText } from './json.ts'
import { openLibrary } from './library-adapter.ts'
import { OptionsError, USAGE, readOptions, type Options, type Target } from './options.ts'
import { formatReport, toReport } from './report.ts'
import { runVectors } from './run.ts'
import { readSamples, readVectors } from './vector.ts'

/** The vectors lie beside the program. */
const FOLDER = fileURLToPath(new URL('vectors', import.meta.url))

function open(target: Target): Adapter | Promise<Adapter> {
  switch (target.by) {
    case 'command':
      return openCommand(target.command)
    case 'library':
      return openLibrary(target.path)
    case 'http':
      return openBus(target.base, target.bus)
    default:
      return target
  }
}

/** @returns the exit code */
async function run({ target, ...options }: Options): Promise<number> {
  const vectors = readVectors(FOLDER).filter(options.admits)
  if (options.isList) {
    for (const { id, basis, sentence } of vectors) process.stdout.write(`${id}  ${basis}  ${sentence}\n`)
    return 0
  }
  if (target === undefined) throw new OptionsError('say --command, --library, --http or --socket')
  if (vectors.length === 0) throw new OptionsError('no vector is like that')
  const adapter = await open(target)
  try {
    const report = toReport(await runVectors(vectors, readSamples(FOLDER), adapter))
    process.stdout.write(
      options.isJson ? `${JSON.stringify(report)}\n` : formatReport(report, options.isLong),
    )
    return report.textFailures === 0 ? 0 : 1
  } finally {
    await adapter.close()
  }
}

/** Writes each key of `keys.json` as a file of its own, readable by its owner alone. */
function writeKeys(folder: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keys = readObjects(parseObject(readFileSync(join(FOLDER, 'keys.json'), 'utf8')), 'keys')
  for (const key of keys)
    writeFileSync(join(folder, `${requireText(key, 'kid')}.json`), JSON.stringify(key), { mode: 0o600 })
  return 0
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args)
    if (options.isHelp) return process.stdout.write(USAGE) ? 0 : 0
    if (options.writeKeys !== undefined) return writeKeys(options.writeKeys)
    return await run(options)
  } catch (error) {
    if (!(error instanceof OptionsError) && !(error instanceof AdapterError)) throw error
    process.stderr.write(`agentd-conformance: ${error.message}\n`)
    return 2
  }
}

process.exitCode = await main(process.argv.slice(2))
