/**
 * `bin/agentd` as people run it, with what it finds on its `PATH` in the hand of a test: with `curl` and without Node it
 * can only take its own way, without `curl` only Node's.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Env, Outcome } from '../cli/support.ts'
import type { TempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'

/** The script. */
export const SCRIPT = fileURLToPath(new URL('../../bin/agentd', import.meta.url))

/** What every system has, and the script may use on either way; mksh has no `printf` of its own. */
const SYSTEM = ['head', 'id', 'ls', 'printf', 'readlink', 'tr']

/** Folders to be a `PATH`. */
export interface Paths {
  /** `curl`, and no Node: whoever asks for Node fails. */
  readonly quick: string
  /** Node, and no `curl`. */
  readonly slow: string
  /** Both. */
  readonly both: string
}

/** @param dir - they are made there */
export function makePaths(dir: TempDir): Paths {
  const [curl, node] = [whereIs('curl'), process.execPath]
  return {
    quick: makePath(dir.file('quick'), { curl }),
    slow: makePath(dir.file('slow'), { node }),
    both: makePath(dir.file('both'), { curl, node }),
  }
}

/** @param programs - name → file; @returns a folder with those, and what every system has */
export function makePath(folder: string, programs: Readonly<Record<string, string>>): string {
  mkdirSync(folder)
  const system = SYSTEM.map((name) => [name, whereIs(name)] as const)
  for (const [name, file] of [...system, ...Object.entries(programs)]) symlinkSync(file, join(folder, name))
  return folder
}

/** A `curl` that writes its arguments down, and ends as the test says. @returns a folder to be a `PATH` */
export function makePathWithCurl(dir: TempDir, endsWith: number): string {
  const file = dir.file('fake-curl')
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" >"${dir.file('asked')}"\nexit ${endsWith}\n`, {
    mode: 0o755,
  })
  return makePath(dir.file('fake'), { curl: file })
}

/** Where the command line would find a program, also one that a shell has built in. @throws where there is none */
export function whereIs(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, program)).find((file) => existsSync(file))
  if (found === undefined) throw new Error(`${program} is not on PATH`)
  return found
}

/** One call of the script. */
export interface Call {
  readonly env: Env
  readonly path: string
  readonly args: readonly string[]
  /** Nothing is a stdin that is at its end. */
  readonly stdin?: string | Buffer
  /** What runs the script; the system's own shell unless said otherwise. */
  readonly shell?: string
  /** The script by another name. */
  readonly script?: string
  readonly cwd?: string
}

/** Runs it to its end. */
export function run({
  env,
  path,
  args,
  stdin = '',
  shell = '/bin/sh',
  script = SCRIPT,
  cwd,
}: Call): Promise<Outcome> {
  const child = spawn(shell, [script, ...args], { env: { ...env, PATH: path }, stdio: 'pipe', cwd })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => (said[name] += chunk))
  }
  // A program that ends before it has read everything is what some tests are after.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...said }))
  })
  return within(ended, `the end of agentd ${args.join(' ')}`, 20_000)
}
