/**
 * Setting up git: a marked block in the hooks of one repository.
 *
 * The hooks are put where git looks for them, so those of husky and lefthook get the block too. What publishes
 * runs in the background; what adds trailers runs only where a session commits.
 *
 * @see docs/runtimes.md §5.4
 */
import { join } from 'node:path'
import { unreachable } from '../../core/errors.ts'
import { shellWord } from '../../core/text/shell-word.ts'
import type { Launch } from '../setup/files/launch.ts'
import type { RuntimeSetup, SetupRequest } from '../setup/target.ts'
import { GIT_HOOKS, type GitHook } from './hooks.ts'
import { NOW_ARGUMENTS, NOW_VARIABLE, requireHooksFolder } from './repository.ts'
import { SESSION_VARIABLES } from './session-of.ts'

/** Git. */
export const gitHooks: RuntimeSetup = {
  id: 'git',
  title: 'git',
  isLocal: true,
  readAtStart: [],
  // Only when it is named.
  isInstalled: () => false,
  files(request) {
    const folder = hooksFolder(request)
    return GIT_HOOKS.map((name) => ({
      path: join(folder, name),
      part: 'hooks',
      format: 'shell',
      lines: blockLines(name, request.launch),
    }))
  },
  notes(request) {
    const folder = hooksFolder(request)
    const { project } = request.paths
    if (!folder.startsWith(`${project}/`) || folder.startsWith(`${project}/.git/`)) return []
    return [`${folder} is in the work tree; the block names paths of this machine, so do not commit it.`]
  },
  manifestKey: hooksFolder,
}

function hooksFolder({ paths }: SetupRequest): string {
  return requireHooksFolder({ environment: paths.environment, directory: paths.project })
}

/** The lines for one hook. Whatever agentd does, the script's own status is what git sees. */
function blockLines(name: GitHook, launch: Launch): readonly string[] {
  const [node, script] = [shellWord(launch.node), shellWord(launch.script)]
  const call = `${node} ${script} git-hook ${name} "$@"`
  const isThere = `[ -x ${node} ] && [ -f ${script} ]`
  return ['agentd_status=$?', ...bodyLines(name, call, isThere), '(exit "$agentd_status")']
}

function bodyLines(name: GitHook, call: string, isThere: string): readonly string[] {
  switch (name) {
    case 'prepare-commit-msg': {
      const session = SESSION_VARIABLES.map((variable) => `\${${variable}-}`).join('')
      return [`if [ -n "${session}" ] && ${isThere}; then`, `  ${call} </dev/null >/dev/null 2>&1 || :`, 'fi']
    }
    case 'pre-push':
      return [
        `if [ ! -t 0 ] && ${isThere}; then`,
        '  agentd_refs=$(cat)',
        `  printf '%s\\n' "$agentd_refs" | ${call} >/dev/null 2>&1 &`,
        // The rest of the script reads the same lines again.
        '  if [ -n "$agentd_refs" ]; then',
        '    exec <<AGENTD_REFS',
        '$agentd_refs',
        'AGENTD_REFS',
        '  else exec </dev/null; fi',
        'fi',
      ]
    case 'post-commit':
    case 'post-merge':
    case 'post-checkout':
      return [
        `if ${isThere}; then`,
        // As it is now: once the call has started in the background, git may be somewhere else.
        `  agentd_now=$(git ${NOW_ARGUMENTS.join(' ')} 2>/dev/null) || :`,
        '  agentd_dir=${agentd_now%%',
        '*}',
        // Every step of a rebase commits and checks out; none of it is a result.
        '  if [ ! -d "$agentd_dir/rebase-merge" ] && [ ! -d "$agentd_dir/rebase-apply" ]; then',
        `    ${NOW_VARIABLE}="$agentd_now" ${call} </dev/null >/dev/null 2>&1 &`,
        '  fi',
        'fi',
      ]
    default:
      return unreachable(name)
  }
}
