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

export const row = {
  id: 'P-06',
  async run(context) {
    const daemon = await startAgentd()
    try {
      const { env } = daemon
      const agentd = (name, args, input) => ({
        name,
        argv: [process.execPath, CLI_ENTRY, ...args],
        env,
        input,
      })
      const commands = [
        agentd('agentd advise', ['advise', 'editing src/auth.ts']),
        agentd('agentd send', [
          'send',
          '--kind',
          'agent_advisory',
          '{"advisory_text":"editing src/auth.ts"}',
        ]),
      ]
      const hook = agentd('agentd hook', ['hook', 'claude'], JSON.stringify(HOOK_INPUT))
      const hasHook = tryOnce(hook).status === 0
      if (hasHook) commands.push(hook)
      const times = await timeProcesses(context, [
        { name: 'node -e 0', argv: [process.execPath, '-e', '0'], env },
        ...commands,
      ])
      await requireAccepted(daemon, 2 * context.scale.rounds * context.scale.processes)
      const lines = commands.map(({ name }) =>
        ratioLine({
          what: `${name}, whole process`,
          unit: 'ms',
          own: times.get(name),
          peer: { name: 'node -e 0', values: times.get('node -e 0') },
          target: { atMost: 1.2 },
        }),
      )
      return hasHook ? lines : [...lines, missingHook()]
    } finally {
      await daemon.stop()
    }
  },
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
