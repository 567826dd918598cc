/** Git, as somebody runs it who has told it nothing but who they are. */
import { spawnSync } from 'node:child_process'

/** The variables that say so, whatever the machine's own configuration says. */
export const GIT_VARIABLES = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'alice',
  GIT_AUTHOR_EMAIL: 'alice@example.org',
  GIT_COMMITTER_NAME: 'alice',
  GIT_COMMITTER_EMAIL: 'alice@example.org',
}

/** Runs git. @returns what it printed @throws Error with its stderr */
export function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...GIT_VARIABLES }
  const { status, stdout, stderr } = spawnSync('git', [...args], { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}
