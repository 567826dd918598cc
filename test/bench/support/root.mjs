/** The built tree that is measured: the one around this file, or `AGENTD_BENCH_ROOT`. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT =
  process.env.AGENTD_BENCH_ROOT === undefined
    ? fileURLToPath(new URL('../../../', import.meta.url))
    : resolve(process.env.AGENTD_BENCH_ROOT)

/** The daemon's program. */
export const DAEMON_ENTRY = join(ROOT, 'dist/daemon/main.js')

/** The command as it is installed. */
export const COMMAND = join(ROOT, 'bin/agentd')

/** The command line's program in Node. */
export const CLI_ENTRY = join(ROOT, 'bin/agentd.cjs')

/** The version of the measured tree. */
export function readVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
}

/** @throws Error when there is no build */
export function requireBuild() {
  const shortWays = ['fast.cjs', 'hook-fast.cjs'].map((name) => join(ROOT, 'dist/cli/fast', name))
  for (const path of [DAEMON_ENTRY, ...shortWays]) {
    if (!existsSync(path)) throw new Error(`${path} is missing; run "npm run build" first`)
  }
}

/** Where a dependency of the measured tree lies; undefined when it is not installed. */
export function findDependency(name) {
  try {
    return createRequire(join(ROOT, 'package.json')).resolve(name)
  } catch {
    return undefined
  }
}
