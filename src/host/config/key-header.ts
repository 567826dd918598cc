/**
 * The person's key as the line of a header, in a file beside it: what `curl -H @<file>` takes, so that the key stands in no
 * argument list.
 *
 * @see docs/http.md §2; OP-04, HD-23
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { readEditedFile, removeEditedFile, replaceEditedFile } from '../files/edited-file.ts'
import { readPrivateFile } from '../files/own-file.ts'
import { HostRefusal } from '../files/refusal.ts'
import { claimPersonKey } from './claimed-key.ts'
import { readPersonKey, stateDir, type Environment } from './paths.ts'

/** The name of the header (docs/http.md §2). */
export const KEY_HEADER_NAME = 'agentd-key'

/** Private, for it is the key. */
const MODE = 0o600

/** Where it is, whether it is there or not. */
export function keyHeaderPath(environment: Environment): string {
  return join(stateDir(environment), 'person.header')
}

/**
 * Writes it where it is missing or says something else, and makes the key if need be.
 *
 * @throws HostRefusal where there can be no key, or the file cannot be written
 */
export function writeKeyHeader(environment: Environment): void {
  const claimed = claimPersonKey(environment)
  if ('fault' in claimed) throw new HostRefusal(`Hooks have no key to show: ${claimed.fault}.`)
  if (keyHeaderFault(environment) === undefined) return
  const path = keyHeaderPath(environment)
  const file = { ...readEditedFile(path, environment.uid), mode: MODE }
  replaceEditedFile(file, Buffer.from(textOf(claimed.key)))
}

/** Brings one that is there up to date: a key that was removed and made anew is another one. */
export function refreshKeyHeader(environment: Environment): void {
  if (!existsSync(keyHeaderPath(environment))) return
  try {
    writeKeyHeader(environment)
  } catch (error) {
    // A daemon starts without; the doctor says what is wrong with it.
    if (!(error instanceof HostRefusal)) throw error
  }
}

/** Takes it away, if it is there. @throws HostRefusal where it cannot be */
export function removeKeyHeader(environment: Environment): void {
  const path = keyHeaderPath(environment)
  try {
    removeEditedFile(readEditedFile(path, environment.uid))
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    throw new HostRefusal(`${path} cannot be removed (${code}).`, { cause: error })
  }
}

/** Why a hook cannot show it, as the end of a sentence; undefined where it can. */
export function keyHeaderFault(environment: Environment): string | undefined {
  const key = readPersonKey(environment)
  if (key === undefined) return 'there is no key of yours'
  const file = readPrivateFile(keyHeaderPath(environment), environment.uid)
  if (file.kind === 'absent') return 'it is not there'
  if (file.kind === 'refused') return file.reason
  return file.text === textOf(key) ? undefined : 'it says another key than yours'
}

function textOf(key: string): string {
  return `${KEY_HEADER_NAME}: ${key}\n`
}
