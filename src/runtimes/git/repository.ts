/**
 * What git says about the repository a command or a hook runs in.
 */
import { execFile, execFileSync } from 'node:child_process'
import type { Environment } from '../../host/config/paths.ts'
import { HostRefusal } from '../../host/files/refusal.ts'

/** The repository, as far as an event needs it. */
export interface GitRepository {
  readonly top: string
  /** One for all work trees. */
  readonly commonDir: string
  readonly gitDir: string
  /** The commit that is checked out; undefined while there is none. */
  readonly head: string | undefined
  /** Undefined when no branch is checked out. */
  readonly branch: string | undefined
}

/** Where a hook leaves what git said when it was called, by these arguments. */
export const NOW_VARIABLE = 'AGENTD_GIT_NOW'
export const NOW_ARGUMENTS = ['rev-parse', '--absolute-git-dir', 'HEAD', '--symbolic-full-name', 'HEAD']

/** Where to ask, and how long. */
export interface GitContext {
  readonly environment: Environment
  readonly directory: string
  readonly signal?: AbortSignal
}

/** Set-up is in no hurry, but a hanging file system should not hang it for ever. */
const SETUP_MS = 10_000

/** The longest honest answer: two paths and a subject. */
const MAX_OUTPUT = 65_536

/**
 * The folder git takes its hooks from, whatever `core.hooksPath` says.
 *
 * @throws HostRefusal outside a repository, or without git
 */
export function requireHooksFolder({ environment, directory }: GitContext): string {
  try {
    const args = ['rev-parse', '--path-format=absolute', '--git-path', 'hooks']
    const said = execFileSync('git', args, {
      cwd: directory,
      env: environment.env,
      encoding: 'utf8',
      timeout: SETUP_MS,
      maxBuffer: MAX_OUTPUT,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return said.replace(/\n$/, '')
  } catch (error) {
    throw new HostRefusal(`${directory} is in no git repository, or git is not on PATH.`, { cause: error })
  }
}

/** Runs git in the background of an event. @returns what it printed, or undefined when it failed */
export function askGit(args: readonly string[], context: GitContext): Promise<string | undefined> {
  const { environment, directory: cwd, signal } = context
  const options = { cwd, env: environment.env, maxBuffer: MAX_OUTPUT, ...(signal && { signal }) }
  return new Promise((resolve) => {
    execFile('git', [...args], options, (error, stdout) => resolve(error === null ? stdout : undefined))
  })
}

/** @returns undefined outside a repository */
export async function findGitRepository(context: GitContext): Promise<GitRepository | undefined> {
  const told = context.environment.env[NOW_VARIABLE]
  const [paths, now] = await Promise.all([
    askGit(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'], context),
    told ? Promise.resolve(told) : askGit(NOW_ARGUMENTS, context),
  ])
  const [top, commonDir] = paths?.split('\n') ?? []
  const [gitDir, head, ref = ''] = now?.split('\n') ?? []
  if (!top || !commonDir) return undefined
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  return { top, commonDir, gitDir: gitDir ?? commonDir, head, branch }
}
