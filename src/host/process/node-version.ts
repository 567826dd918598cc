/**
 * Whether this Node is new enough, which `npm install` only warns of.
 *
 * @see R-25; HD-22
 */
import { HostRefusal } from '../files/refusal.ts'

/** The oldest Node that agentd runs on, as `major.minor`; `engines` in the package says the same. */
export const LEAST_NODE = '20.12'

/** @param version - as `process.versions.node` has it */
export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
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
