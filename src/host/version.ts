/** Which agentd this is. */
import { readFileSync } from 'node:fs'

/** The version of the package this file belongs to. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(manifest instanceof Object ? Reflect.get(manifest, 'version') : '')
}
