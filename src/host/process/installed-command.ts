/**
 * The command `agentd` of whoever runs a program: found where a shell would find it, or beside the program, and asked to
 * start the daemon. A program that only talks brings no daemon of its own.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import type { Environment } from '../config/paths.ts'

/** How long the command may take: as long as it waits for the daemon itself, and some more. */
const START_MS = 20_000

/** Of what it says on stderr, in octets. */
const MAX_SAID_OCTETS = 4_096

/** The package that has the command. */
const PACKAGE = 'agentd-bus/package.json'

/**
 * @param beside - files whose packages are looked into when it is not on the path
 * @returns the words of a command line; undefined where there is none
 */
export function findInstalledCommand(
  { env }: Environment,
  beside: readonly string[],
): readonly string[] | undefined {
  const folders = (env['PATH'] ?? '').split(':').filter(isAbsolute)
  const onPath = folders.map((folder) => join(folder, 'agentd')).find(isProgram)
  if (onPath !== undefined) return [onPath]
  const [root] = beside.flatMap((file) => packageRoot(file) ?? [])
  return root === undefined ? undefined : [process.execPath, join(root, 'bin', 'agentd.cjs')]
}

/** What came of it; `said` is the command's own word, or the system's. */
export interface CommandEnd {
  readonly isDone: boolean
  readonly said: string
}

/** Runs `agentd start`. @param command - as {@link findInstalledCommand} gives it; @param variables - all that it gets */
export function runStartCommand(
  [program = '', ...words]: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, 'start', '--quiet'], {
      env: { ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: START_MS,
      killSignal: 'SIGKILL',
      ...(signal !== undefined && { signal }),
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < MAX_SAID_OCTETS) said += chunk.toString()
    })
    child.on('error', (error) => resolve({ isDone: false, said: error.message }))
    child.on('close', (code) => resolve({ isDone: code === 0, said: said.trim().slice(0, MAX_SAID_OCTETS) }))
  })
}

function packageRoot(file: string): string | undefined {
  try {
    return dirname(createRequire(file).resolve(PACKAGE))
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
