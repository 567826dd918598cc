/**
 * Pointer files: where the daemon of this user is to be asked, for a program that knows neither agentd nor the order in which
 * it chooses places. One stands beside the socket, one in the state directory.
 *
 * They are made and taken back as the socket is. What a killed daemon has left still says where it was; whether one is there
 * says the socket, and `process`, as of the file of the instance's owner.
 *
 * @see MCPDNS, as far as one machine goes; docs/http.md §1
 */
import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isJsonObject, tryParseJson } from '../../core/text/json-object.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { stateDir, type Environment } from '../config/paths.ts'
import { replacePrivately } from '../files/replace-privately.ts'
import { describeSelf } from './lock-owner.ts'

/** The name in the state directory; beside a socket of another name stands one of that. */
const POINTER_NAME = 'agentd.json'

/** Where pointer files stand: `agentd.json` beside `agentd.sock` and in the state directory. */
export function pointerPaths(environment: Environment, socketPath: string): readonly string[] {
  const beside = join(dirname(socketPath), `${basename(socketPath, '.sock')}.json`)
  return [...new Set([beside, join(stateDir(environment), POINTER_NAME)])]
}

/** Written files, and how they are taken back. */
export interface Pointers {
  /** Sentences about what could not be written. */
  readonly faults: readonly string[]
  /** Removes what is still as it was written: another daemon's stays. */
  readonly remove: () => void
}

/** @param pointer - what they say, besides the process */
export function writePointers(paths: readonly string[], pointer: object): Pointers {
  const text = `${JSON.stringify({ ...pointer, process: describeSelf() })}\n`
  const faults = paths.flatMap((path) => {
    if (!isFreeFor(path)) return [`${path} is no pointer file, and is left as it is.`]
    const code = replacePrivately(path, text)
    return code === undefined ? [] : [`The pointer file ${path} could not be written (${code}).`]
  })
  return { faults, remove: () => paths.forEach((path) => removeIfSame(path, text)) }
}

/** Whether there is nothing, or what an earlier daemon has left: a configuration may have the same name. */
function isFreeFor(path: string): boolean {
  try {
    const left = tryParseJson(readFileSync(path, 'utf8'))
    return isJsonObject(left) && 'socket' in left && 'process' in left
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return systemErrorCode(error) === 'ENOENT'
  }
}

function removeIfSame(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) rmSync(path, { force: true })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}
