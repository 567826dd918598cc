/**
 * The daemon's side of the person's key: making the file, telling who shows it, and saying where there is none.
 *
 * @see docs/http.md §2; HD-23
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, linkSync, unlinkSync, writeFileSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { readPrivateFile } from '../files/own-file.ts'
import { HostRefusal } from '../files/refusal.ts'
import type { AuthMode } from './config.ts'
import { ensurePrivateDirectory, personKeyPath, readPersonKey, stateDir, type Environment } from './paths.ts'

/** What came of having one; a `fault` is a clause that says why there is none. */
export type ClaimedKey = { readonly key: string } | { readonly fault: string }

/** The key of this user, made where there is none; one that is there is never replaced. */
export function claimPersonKey(environment: Environment): ClaimedKey {
  const path = personKeyPath(environment)
  try {
    if (readPrivateFile(path, environment.uid).kind === 'absent') makeKeyFile(path, environment)
  } catch (error) {
    if (error instanceof HostRefusal) return { fault: error.message.replace(/\.$/, '') }
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    return { fault: `${path} cannot be written (${code})` }
  }
  const file = readPrivateFile(path, environment.uid)
  if (file.kind === 'refused') return { fault: `${path} is refused: ${file.reason}` }
  const key = readPersonKey(environment)
  return key === undefined ? { fault: `${path} holds no key; remove it and start again` } : { key }
}

/** Whole or not at all, and never over another one: a link is made in one step. */
function makeKeyFile(path: string, environment: Environment): void {
  ensurePrivateDirectory(stateDir(environment), environment)
  const draft = `${path}.${process.pid}.new`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    chmodSync(draft, 0o600)
    linkSync(draft, path)
  } catch (error) {
    // Another daemon of this user was faster; its key is ours.
    if (systemErrorCode(error) !== 'EEXIST') throw error
  } finally {
    tryUnlink(draft)
  }
}

/** Compared by digests, so that a key that is almost right tells nothing; without one nobody shows it. */
export function personKeyCheck(claimed: ClaimedKey): (shown: string) => boolean {
  if ('fault' in claimed) return () => false
  const expected = digest(claimed.key)
  return (shown) => timingSafeEqual(digest(shown), expected)
}

/** A sentence for health where a key is needed and there is none. */
export function keyFaults(claimed: ClaimedKey, auth: AuthMode): readonly string[] {
  if (auth !== 'session' || !('fault' in claimed)) return []
  return [`Nobody can register, since there is no key of the person: ${claimed.fault}.`]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}
