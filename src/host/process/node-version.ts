/**
 * Whether this Node is new enough, which `npm install` only warns of.
 *
 * @see R-25; HD-22
 */
import { isVersionAtLeast } from '../../core/versions.ts'
import { HostRefusal } from '../files/refusal.ts'

/** The oldest Node that agentd runs on, as `major.minor`; `engines` in the package says the same. */
export const LEAST_NODE = '20.12'

/** @param version - as `process.versions.node` has it */
export function isNodeTooOld(version: string): boolean {
  return !isVersionAtLeast(version, LEAST_NODE)
}

/**
 * Checked at the start of the daemon: on an older Node it would fail later, and elsewhere.
 *
 * @throws HostRefusal
 */
export function requireNode(version: string): void {
  if (isNodeTooOld(version))
    throw new HostRefusal(`Node ${version} is older than ${LEAST_NODE}, the oldest that agentd runs on.`)
}
