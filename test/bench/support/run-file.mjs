/** What `--json` wrote, read again: by `--compare` and `--plot`. */
import { readFileSync } from 'node:fs'

/**
 * @returns the run
 * @throws Error with a sentence when the file cannot be read or holds something else
 */
export function readRun(path) {
  const run = parse(path)
  const missing = whatIsMissing(run)
  if (missing === undefined) return run
  throw new Error(`${path} is no run that --json wrote: ${missing}`)
}

function parse(path) {
  let text
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error.message}`, { cause: error })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${path} is no run that --json wrote: it is no JSON`, { cause: error })
  }
}

/** The members that are read without another look. */
function whatIsMissing(run) {
  if (typeof run?.at !== 'string') return 'it does not say when it was ("at")'
  const { machine, lines } = run
  if (typeof machine?.node !== 'string' || typeof machine.cpu !== 'string' || !Array.isArray(machine.peers))
    return 'it does not say on which machine it was ("machine")'
  if (!Array.isArray(lines) || !lines.every(isLine)) return 'it has no lines ("lines")'
  if (!Array.isArray(run.rows)) return 'it does not say which rows ran ("rows")'
  return undefined
}

function isLine(line) {
  return typeof line?.id === 'string' && typeof line.what === 'string'
}
