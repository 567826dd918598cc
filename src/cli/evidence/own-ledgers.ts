/**
 * The ledgers the daemon has written: those it writes now, and those it has set aside whole.
 *
 * @see docs/envelopes.md "Schemas and evidence"
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { stateDir, type Environment } from '../../host/config/paths.ts'

/** What the daemon calls them; one that was set aside has an id in its name. */
const LEDGER_NAME = /^(?:volt|ward)(-.+)?\.ndjson$/

/** Their paths, those that are written now first. @throws UsageError where there is none */
export function ownLedgers(environment: Environment): readonly string[] {
  const directory = join(stateDir(environment), 'evidence')
  const names = namesIn(directory).filter((name) => LEDGER_NAME.test(name))
  const sorted = names.toSorted((a, b) => Number(isAside(a)) - Number(isAside(b)) || (a < b ? -1 : 1))
  if (sorted.length > 0) return sorted.map((name) => join(directory, name))
  throw new UsageError(`There is no evidence in ${directory}; name the file to verify.`)
}

function isAside(name: string): boolean {
  return LEDGER_NAME.exec(name)?.[1] !== undefined
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw new UsageError(`${directory} cannot be read.`, { cause: error })
  }
}
