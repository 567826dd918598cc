/**
 * Which process is the daemon at a socket, for whoever finds that it does not answer: a stopped one cannot say so itself.
 *
 * It is written by the daemon that holds the instance lock, beside its socket, where only this user writes. Whoever reads it
 * believes a number only while the process of that start time lives (OP-29).
 */
import { readFileSync, rmSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { replacePrivately } from '../files/replace-privately.ts'
import { describeSelf, livingOwner, type LivingOwner } from './lock-owner.ts'

/**
 * Says that this process is the daemon at a socket. To be called by who holds its instance lock.
 *
 * @returns why that cannot be written down, as a sentence; undefined when it is
 */
export function noteOwner(socketPath: string): string | undefined {
  const path = ownerPath(socketPath)
  const code = replacePrivately(path, describeSelf())
  if (code === undefined) return undefined
  return `Which process this is could not be written to ${path} (${code}); "agentd stop --force" will not know.`
}

/** Takes that back, unless it has become another's. */
export function removeOwner(socketPath: string): void {
  const path = ownerPath(socketPath)
  try {
    if (readFileSync(path, 'utf8') === describeSelf()) rmSync(path, { force: true })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}

/** The daemon at a socket, as long as its process lives; undefined for none, or one that cannot be told. */
export function findOwner(socketPath: string): LivingOwner | undefined {
  return livingOwner(ownerPath(socketPath))
}

/** What is wrong with a daemon that listens and does not answer, and what to do about it; `what` is half a sentence. */
export function describeSilence(socketPath: string): { readonly what: string; readonly fix: string } {
  const owner = findOwner(socketPath)
  return owner === undefined
    ? {
        what: `what listens at ${socketPath} does not answer, and nothing says which process it is`,
        fix: 'stop it where it was started, or give agentd another place with AGENTD_SOCKET',
      }
    : { what: `agentd does not answer, pid ${owner.pid}`, fix: 'agentd stop --force' }
}

function ownerPath(socketPath: string): string {
  return `${socketPath}.owner`
}
