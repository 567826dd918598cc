/**
 * The hooks of git that agentd has something to say at.
 */

/** Hooks, by the names git gives them. */
export const GIT_HOOKS = [
  'post-commit',
  'post-merge',
  'post-checkout',
  'pre-push',
  'prepare-commit-msg',
] as const

/** One of them. */
export type GitHook = (typeof GIT_HOOKS)[number]

export function isGitHook(name: string): name is GitHook {
  return GIT_HOOKS.some((known) => known === name)
}
