/**
 * The text of the OpenCode plugin: one file without dependencies that hands each event to the daemon: by `curl` where it
 * can, and that of a session's start by `agentd hook`.
 *
 * @see docs/runtimes.md §5.3; OP-02, OP-29
 */
import { LEFT_ALONE_SECONDS, postWords, TIMED_OUT } from '../setup/files/curl-line.ts'
import type { Launch } from '../setup/files/launch.ts'

const NAME = 'opencode'

/** The plugin, for one place of Node, script, `curl` and socket. */
export function opencodePlugin({ node, script, call }: Launch): string {
  const launch = [node, script, 'hook', NAME]
  const direct = call === undefined ? launch : [call.curl, ...postWords(call, NAME)]
  return TEMPLATE.replace('@LAUNCH@', () => JSON.stringify(launch)).replace('@CALL@', () =>
    JSON.stringify(direct),
  )
}

/**
 * Payloads carry `hook_event_name`, `session_id` and `cwd`, as Claude Code's do. A child that fails, hangs, cannot be
 * started or is not there any more is the same as one that has nothing to say.
 */
const TEMPLATE = `// Written by agentd setup opencode --plugin; "agentd setup opencode --undo" removes it.
import { spawn } from 'node:child_process'

const launch = @LAUNCH@
const call = @CALL@
const LIMIT_MS = 1500

// A daemon that hangs is left alone for a while.
const TIMED_OUT = ${TIMED_OUT}
const LEFT_ALONE_MS = ${LEFT_ALONE_SECONDS * 1_000}
let leftAloneUntilMs = 0

function ask(payload) {
  const [program, ...words] = payload.hook_event_name === 'session.created' ? launch : call
  if (program === call[0] && Date.now() < leftAloneUntilMs) return Promise.resolve({})
  return new Promise((resolve) => {
    let said = ''
    const done = (status) => {
      clearTimeout(timer)
      if (program === call[0] && status === TIMED_OUT) leftAloneUntilMs = Date.now() + LEFT_ALONE_MS
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve({})
      }
    }
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      said += chunk
    })
    child.once('error', done)
    child.once('close', done)
    child.stdin.end(JSON.stringify(payload))
  }).catch(() => ({}))
}

const EVENTS = ['session.created', 'session.idle', 'session.deleted', 'permission.asked', 'question.asked']

// What it asks its person.
function messageOf({ permission, patterns, questions }) {
  if (permission === undefined) return questions?.[0]?.question
  return [permission, ...(patterns ?? [])].join(' ')
}

function contextOf(answer) {
  return answer?.hookSpecificOutput?.additionalContext ?? answer?.additionalContext ?? ''
}

export const Agentd = async ({ client, directory, worktree, serverUrl }) => {
  const base = { cwd: directory, worktree, server_url: serverUrl === undefined ? undefined : String(serverUrl) }
  return {
    event: async ({ event }) => {
      const { type, properties = {} } = event
      if (!EVENTS.includes(type)) return
      const session_id = properties.sessionID ?? properties.info?.id
      const told = { session_id, parent_id: properties.info?.parentID, message: messageOf(properties) }
      const answer = await ask({ ...base, hook_event_name: type, ...told })
      const text = answer?.followup_message ?? ''
      if (type !== 'session.idle' || text === '' || session_id === undefined) return
      await client.session.promptAsync({ path: { id: session_id }, body: { parts: [{ type: 'text', text }] } })
    },
    'chat.message': async ({ sessionID }, output) => {
      const text = contextOf(await ask({ ...base, hook_event_name: 'chat.message', session_id: sessionID }))
      const part = output.parts.find(({ type }) => type === 'text')
      if (text !== '' && part !== undefined) part.text += '\\n\\n' + text
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
      if (tool !== 'edit' && tool !== 'write' && tool !== 'patch') return
      const payload = { tool_name: tool, tool_input: output.args, tool_use_id: callID, session_id: sessionID }
      await ask({ ...base, hook_event_name: 'tool.execute.before', ...payload })
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      const payload = { tool_name: tool, tool_input: args, tool_use_id: callID, session_id: sessionID }
      const text = contextOf(await ask({ ...base, hook_event_name: 'tool.execute.after', ...payload }))
      if (text !== '') output.output += '\\n\\n' + text
    },
  }
}
`
