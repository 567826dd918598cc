/**
 * `agentd git-hook <name>` as a short way of its own: a commit should not wait for a command line to load.
 */
import { readEnvironment } from '../../host/config/paths.ts'
import { enterGitHook } from './enter.ts'

/** Runs the hook; whatever happens, git goes on. @param argv - what follows `git-hook` */
export async function runGitHook([name = '', ...args]: readonly string[]): Promise<void> {
  await enterGitHook(name, args, {
    environment: readEnvironment(),
    socket: undefined,
    directory: process.cwd(),
  })
}
