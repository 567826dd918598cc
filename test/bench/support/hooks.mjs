/** Events of Claude Code's hooks, asked of the daemon as `curl` asks it: a connection for each. */
import { request as httpRequest } from 'node:http'
import { findCommand } from './machine.mjs'

const BASE = { transcript_path: '/dev/null', cwd: '/tmp' }

/** A session as the daemon has it after its first events. */
export async function registerSession(daemon, id) {
  const client = openHookClient(daemon)
  const start = { ...BASE, session_id: id, hook_event_name: 'SessionStart', source: 'startup' }
  await client.ask(start)
  await client.ask({
    ...BASE,
    session_id: id,
    hook_event_name: 'UserPromptSubmit',
    prompt_id: `${id}-0`,
    prompt: 'go',
  })
}

/** A tool has read a file. */
export function afterTool(id, i) {
  return {
    ...BASE,
    session_id: id,
    hook_event_name: 'PostToolUse',
    tool_name: 'Glob',
    tool_use_id: `tool-${id}-${i}`,
    tool_input: { pattern: '**/*.ts' },
    tool_response: { filenames: ['/tmp/src/auth.ts'] },
  }
}

/** A tool is about to write one. */
export function beforeEdit(id, i) {
  return {
    ...BASE,
    session_id: id,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_use_id: `edit-${id}-${i}`,
    tool_input: { file_path: '/tmp/src/auth.ts', old_string: 'a', new_string: 'b' },
  }
}

/** @returns `ask(payload)`, and `post(path, body)` for what is not measured */
export function openHookClient({ socketPath }) {
  const post = (path, body) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    return new Promise((resolve, reject) => {
      const options = { socketPath, path, method: 'POST', headers, agent: false }
      const outgoing = httpRequest(options, (incoming) => {
        incoming.resume()
        incoming.once('end', () => {
          if (incoming.statusCode >= 300)
            reject(new Error(`${path} was answered with ${incoming.statusCode}`))
          else resolve(incoming.statusCode)
        })
      })
      outgoing.once('error', reject)
      outgoing.end(text)
    })
  }
  return { ask: (payload) => post('/v1/hooks/claude-code', payload), post }
}

/** The program that set-up would write into lines. */
export function findCurl() {
  const curl = findCommand('curl')
  if (curl === undefined) throw new Error('there is no curl here')
  return curl
}
