/**
 * The package this agentd is of: where it stands, and which version it is.
 *
 * Found from this file, which stands two folders below the root as source, as the compiler writes it and in each of the
 * bundled parts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Its root, absolute, without a slash at its end. */
export const PACKAGE_ROOT = join(import.meta.dirname, '..', '..')

/** The daemon's program. */
export const DAEMON_ENTRY = `${PACKAGE_ROOT}/dist/daemon/main.js`

/** The program that gives a hub its streams; it ends when it has. */
export const HUB_ADMIN_ENTRY = `${PACKAGE_ROOT}/dist/bridge/hub-admin.js`

/** The program of the bridge of a link. */
export const BRIDGE_ENTRY = `${PACKAGE_ROOT}/dist/bridge/main.js`

/** Its version. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(`${PACKAGE_ROOT}/package.json`, 'utf8'))
  return String(manifest instanceof Object ? Reflect.get(manifest, 'version') : '')
}
