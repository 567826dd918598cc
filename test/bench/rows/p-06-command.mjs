/** P-06: one command as a whole process against `node -e 0`. */
import { startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { CLI_ENTRY } from '../support/root.mjs'
import { timeProcesses, tryOnce } from '../support/whole-process.mjs'

/** As Claude Code calls it after a tool. */
const HOOK_INPUT = {
  session_id: 'bench',
  transcript_path: '/dev/null',
  cwd: '/tmp',
  hook_event_name: 'PostToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: '/tmp/src/auth.ts' },
}

/**
 * What Node pays at its own start depends on the environment: NODE_EXTRA_CA_CERTS alone can triple it, while a
 * command's share stays the same. So each command is timed twice: in an environment with nothing of that kind,
 * and in the one the bench was called in.
 */
const SURROUNDINGS = [
  { where: 'bare environment', variables: {} },
  { where: 'as called', variables: process.env },
]

export const row = {
  id: 'P-06',
  async run(context) {
    const daemon = await startAgentd()
    try {
      const hasHook = tryOnce(hookCommand(daemon.env)).status === 0
      const lines = []
      for (const { where, variables } of SURROUNDINGS) {
        const env = { ...variables, ...daemon.env }
        const commands = [...verbCommands(env), ...(hasHook ? [hookCommand(env)] : [])]
        const bare = { name: 'node -e 0', argv: [process.execPath, '-e', '0'], env }
        const times = await timeProcesses(context, [bare, ...commands])
        for (const { name } of commands) {
          lines.push(
            ratioLine({
              what: `${name}, whole process, ${where}`,
              unit: 'ms',
              own: times.get(name),
              peer: { name: bare.name, values: times.get(bare.name) },
              target: { atMost: 1.2 },
            }),
          )
        }
      }
      await requireAccepted(daemon, 4 * context.scale.rounds * context.scale.processes)
      return hasHook ? lines : [...lines, missingHook()]
    } finally {
      await daemon.stop()
    }
  },
}

function agentdCommand(name, args, { env, input }) {
  return { name, argv: [process.execPath, CLI_ENTRY, ...args], env, input }
}

function verbCommands(env) {
  const payload = '{"advisory_text":"editing src/auth.ts"}'
  return [
    agentdCommand('agentd advise', ['advise', 'editing src/auth.ts'], { env }),
    agentdCommand('agentd send', ['send', '--kind', 'agent_advisory', payload], { env }),
  ]
}

function hookCommand(env) {
  return agentdCommand('agentd hook', ['hook', 'claude'], { env, input: JSON.stringify(HOOK_INPUT) })
}

function missingHook() {
  const what = 'agentd hook, whole process'
  return {
    what,
    figure: null,
    peer: null,
    held: null,
    target: { atMost: 1.2 },
    note: '`agentd hook` is not there yet',
  }
}

/** A command that sent nothing would be fast. */
async function requireAccepted(daemon, count) {
  const { ring } = await daemon.health()
  if (ring.frames < count) throw new Error(`only ${ring.frames} of ${count} frames arrived`)
}
