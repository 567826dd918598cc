/**
 * Somebody's machine for the doctor to look at: a home, programs that only say a version, and an agentd.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from '../../../src/runtimes/doctor/examination/examine.ts'
import { loadRuntimes } from '../../../src/runtimes/known-runtimes.ts'
import type { DoctorFinding } from '../../../src/runtimes/doctor/finding.ts'
import type { Surroundings } from '../../../src/runtimes/doctor/target.ts'
import type { Launch } from '../../../src/runtimes/setup/files/launch.ts'
import { createHome, type Home } from '../setup/home.ts'

/** What may be different from the usual. */
export interface ClinicOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly scope?: 'user' | 'project'
  /** Program → the version it says. */
  readonly programs?: Readonly<Record<string, string>>
}

/** A machine. Use it with `await using`. */
export interface Clinic extends AsyncDisposable {
  readonly home: Home
  readonly surroundings: Surroundings
  readonly launch: Launch
  /** Writes an executable script. */
  program(name: string, body: string): void
  /** Writes where administrators do. */
  decree(name: string, text: string): void
  examine(names: readonly string[], changes?: Partial<Surroundings>): Promise<readonly DoctorFinding[]>
}

export async function createClinic(options: ClinicOptions = {}): Promise<Clinic> {
  const { env = {}, scope = 'user', programs = {} } = options
  const bare = await createHome({ env, scope })
  const { dir } = bare
  const launch = { node: process.execPath, script: dir.file('bin', 'agentd.cjs') }
  const home = bare.moved(launch)
  for (const name of ['bin', 'etc', 'state']) mkdirSync(dir.file(name), { mode: 0o700 })
  writeFileSync(launch.script, '')
  const surroundings: Surroundings = {
    environment: home.request.paths.environment,
    socket: undefined,
    launch,
    directory: dir.file('project'),
    systemDir: dir.file('etc'),
  }
  const program = (name: string, body: string): void => {
    writeFileSync(dir.file('bin', name), `#!/bin/sh\n${body}\n`)
    chmodSync(dir.file('bin', name), 0o755)
  }
  for (const [name, version] of Object.entries(programs)) program(name, `echo '${version}'`)
  return {
    home,
    surroundings,
    launch,
    program,
    decree(name, text) {
      mkdirSync(join(dir.file('etc'), name, '..'), { recursive: true })
      writeFileSync(join(dir.file('etc'), name), text)
    },
    examine: async (names, changes = {}) =>
      examine(names, await loadRuntimes(), { ...surroundings, ...changes }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

/** `fail hooks-trust` for everything that is not well in an area. */
export function complaints(findings: readonly DoctorFinding[], area: string): readonly string[] {
  return findings
    .filter((one) => one.area === area && (one.state === 'warn' || one.state === 'fail'))
    .map(({ state, name }) => `${state} ${name}`)
}

/** The first finding of a name. */
export function findingOf(findings: readonly DoctorFinding[], name: string): DoctorFinding {
  const found = findings.find((one) => one.name === name)
  if (found === undefined) throw new Error(`nothing was found about ${name}`)
  return found
}
