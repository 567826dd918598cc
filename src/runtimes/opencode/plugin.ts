/**
 * The text of the OpenCode plugin: one file without dependencies that hands each event to the daemon: by `curl` where it
 * can, and that of a session's start by `agentd hook`.
 *
 * @see docs/runtimes.md §5.3; OP-02, OP-29
 */
import { LEFT_ALONE_SECONDS, postWords, TIMED_OUT } from '../setup/files/curl-line.ts'
import type { Launch } from '../setup/files/launch.ts'

const NAME = 'opencode'

/** Sessions of which the plugin knows how far the model has come; the one that had its prompt first is forgotten first. */
export const MAX_TURNS = 256

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

// How far the model has come with what each session was prompted with last.
const MAX_TURNS = ${MAX_TURNS}
const turns = new Map()

function begin(sessionID, prompt) {
  turns.delete(sessionID)
  if (turns.size >= MAX_TURNS) turns.delete(turns.keys().next().value)
  turns.set(sessionID, { prompt })
}

// What there is of an answer. Ids of messages ascend: one whose parent is as new as the prompt was asked for with it.
const ANSWERS = ['text', 'reasoning', 'tool']

function follow({ info, part }) {
  const turn = turns.get((info ?? part)?.sessionID)
  if (turn === undefined) return
  if (info?.role === 'assistant') turn.newest = info.parentID >= turn.prompt ? info.id : undefined
  const isAnswer = info === undefined ? ANSWERS.includes(part.type) : info.finish !== undefined
  if (isAnswer && turn.newest === (info?.id ?? part.messageID)) turn.answered = turn.newest
}

// Asks, and says whether the model has yet to begin to answer what it was to be asked with last: at the end of a turn that was
// aborted, for instance, and behind a tool of the step that a prompt came in.
function askInTurn(payload) {
  const { answered, told } = turns.get(payload.session_id) ?? {}
  const unanswered = answered === undefined || answered === told
  return ask(unanswered ? { ...payload, unanswered } : payload)
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
      if (type === 'message.updated' || type === 'message.part.updated') follow(properties)
      if (!EVENTS.includes(type)) return
      const session_id = properties.sessionID ?? properties.info?.id
      const told = { session_id, parent_id: properties.info?.parentID, message: messageOf(properties) }
      const payload = { ...base, hook_event_name: type, ...told }
      if (type === 'session.deleted') turns.delete(session_id)
      const answer = await (type === 'session.idle' ? askInTurn(payload) : ask(payload))
      const text = answer?.followup_message ?? ''
      if (type !== 'session.idle' || text === '' || session_id === undefined) return
      await client.session.promptAsync({ path: { id: session_id }, body: { parts: [{ type: 'text', text }] } })
    },
    'chat.message': async ({ sessionID }, output) => {
      begin(sessionID, output.message?.id)
      const text = contextOf(await ask({ ...base, hook_event_name: 'chat.message', session_id: sessionID }))
      const part = output.parts.find(({ type }) => type === 'text')
      if (text !== '' && part !== undefined) part.text += '\\n\\n' + text
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
      if (tool !== 'edit' && tool !== 'write' && tool !== 'patch') return
      const payload = { tool_name: tool, tool_input: output.args, tool_use_id: callID, session_id: sessionID }
      await askInTurn({ ...base, hook_event_name: 'tool.execute.before', ...payload })
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      const payload = { tool_name: tool, tool_input: args, tool_use_id: callID, session_id: sessionID }
      const answering = askInTurn({ ...base, hook_event_name: 'tool.execute.after', ...payload })
      // What it is told the model is asked with behind this message, and not before.
      const turn = turns.get(sessionID)
      if (turn !== undefined) turn.told = turn.newest
      const text = contextOf(await answering)
      if (text !== '') output.output += '\\n\\n' + text
    },
  }
}
`
