/** P-06: one command as a whole process against `node -e 0`. */
import { startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { CLI_ENTRY, COMMAND } from '../support/root.mjs'
import { timeProcesses, tryOnce } from '../support/whole-process.mjs'

/** As Claude Code calls it: once at the start, and then after each tool. */
const SESSION = { session_id: 'bench', transcript_path: '/dev/null', cwd: '/tmp' }
const START_INPUT = { ...SESSION, hook_event_name: 'SessionStart', source: 'startup' }
const HOOK_INPUT = {
  ...SESSION,
  hook_event_name: 'PostToolUse',
  tool_name: 'Read',
  tool_input: { file_path: '/tmp/src/auth.ts' },
  tool_response: { type: 'text' },
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
  reason:
    'A bare round trip through node:net is 1.17 already. A hook reads its state and what the runtime says ' +
    "besides; the rest is cold JavaScript. V8's code cache would take 2 ms off, and only where the Node " +
    'that built it runs it.',
  async run(context) {
    const daemon = await startAgentd()
    try {
      await startHookedSession(daemon)
      const lines = []
      for (const { where, variables } of SURROUNDINGS) {
        const env = { ...variables, ...daemon.env }
        const commands = [...verbCommands(env), hookCommand(env)]
        const bare = { name: 'node -e 0', argv: [process.execPath, '-e', '0'], env }
        const times = await timeProcesses(context, [bare, ...commands])
        for (const { name, atMost } of commands) {
          lines.push(
            ratioLine({
              what: `${name}, whole process, ${where}`,
              unit: 'ms',
              own: times.get(name),
              peer: { name: bare.name, values: times.get(bare.name) },
              target: { atMost },
            }),
          )
        }
      }
      await requireAccepted(daemon, 8 * context.scale.rounds * context.scale.processes)
      return lines
    } finally {
      await daemon.stop()
    }
  },
}

function agentdCommand(name, args, { env, input }) {
  return { name, argv: [process.execPath, CLI_ENTRY, ...args], env, input, atMost: 1.2 }
}

/** As it is installed: in a plain form it is one `curl` (OP-14). */
function plainCommand(name, args, { env }) {
  return { name, argv: [COMMAND, ...args], env, atMost: 0.45 }
}

function verbCommands(env) {
  const payload = '{"advisory_text":"editing src/auth.ts"}'
  const advise = ['advise', 'editing src/auth.ts']
  const send = ['send', '--kind', 'agent_advisory', payload]
  return [
    plainCommand('agentd advise', advise, { env }),
    plainCommand('agentd send', send, { env }),
    agentdCommand('agentd advise in Node', advise, { env }),
    agentdCommand('agentd send in Node', send, { env }),
  ]
}

function hookCommand(env, input = HOOK_INPUT) {
  // The runtime's process is this one.
  const variables = { ...env, CLAUDE_PID: String(process.pid) }
  const name = 'agentd hook with nothing waiting'
  return agentdCommand(name, ['hook', 'claude-code'], { env: variables, input: JSON.stringify(input) })
}

/** A hook that found no session would be fast, too. */
async function startHookedSession(daemon) {
  for (const input of [START_INPUT, HOOK_INPUT]) {
    const { status, output } = tryOnce(hookCommand(daemon.env, input))
    if (status !== 0) throw new Error(`agentd hook ended with ${status}: ${output}`)
  }
  const { sessions } = await daemon.health()
  if (sessions !== 1) throw new Error(`the hook registered ${sessions} sessions instead of one`)
}

/** A command that sent nothing would be fast. */
async function requireAccepted(daemon, count) {
  const { ring } = await daemon.health()
  if (ring.frames < count) throw new Error(`only ${ring.frames} of ${count} frames arrived`)
}
