/** P-06: one command as a whole process against `node -e 0`. */
import { join } from 'node:path'
import { startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { findCurl } from '../support/hooks.mjs'
import { CLI_ENTRY, COMMAND, ROOT } from '../support/root.mjs'
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
    'A start is told by Node, since only a child of the runtime sees all of it: a bare round trip through node:net is 1.17 ' +
    'already, and the rest is cold JavaScript. The line of every other event, and a plain command, is one shell and one curl.',
  async run(context) {
    const daemon = await startAgentd()
    try {
      await startHookedSession(daemon)
      const lines = []
      for (const { where, variables } of SURROUNDINGS) {
        const env = { ...variables, ...daemon.env }
        const commands = [...verbCommands(env), await hookLine(daemon, env), startCommand(env)]
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

/** The line that set-up writes for every event but the start (OP-02). */
async function hookLine({ socketPath }, env) {
  const { curlLine } = await import(join(ROOT, 'dist/runtimes/setup/files/curl-line.js'))
  const call = { curl: findCurl(), socket: socketPath, keyHeader: undefined }
  const name = 'hook of an event with nothing waiting'
  const argv = ['/bin/sh', '-c', curlLine(call, 'claude-code')]
  return { name, argv, env, input: JSON.stringify(HOOK_INPUT), atMost: 0.4 }
}

/** The start of a session, which is that of a session it knows: what is shown of others is nothing. */
function startCommand(env, input = START_INPUT) {
  // The runtime's process is this one.
  const variables = { ...env, CLAUDE_PID: String(process.pid) }
  const argv = [process.execPath, CLI_ENTRY, 'hook', 'claude-code']
  return {
    name: "hook of a session's start",
    argv,
    env: variables,
    input: JSON.stringify(input),
    atMost: 1.6,
  }
}

/** A hook that found no session would be fast, too. */
async function startHookedSession(daemon) {
  for (const input of [START_INPUT, HOOK_INPUT]) {
    const { status, output } = tryOnce(startCommand(daemon.env, input))
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
