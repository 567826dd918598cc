/**
 * A stand-in for an agent runtime that runs the real hooks: what they print goes to its model with the next request, and
 * is gone when it is killed before that.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { DIST, variablesIn } from './daemon.mjs'

const LAUNCHER = resolve(DIST, '../bin/agentd.cjs')

/**
 * @param options.daemon - of `startDaemon`; only its place matters, it may be another one later
 * @param options.cwd - where the session works
 * @param options.sessionId - the runtime's own id, the same after a resume
 * @param options.variables - by which the runtime tells its hooks of itself; without them nobody attends the session
 */
export function createRuntime({ dir, cwd, sessionId, variables = { CLAUDE_CODE_SESSION_ATTENDED: '0' } }) {
  /** Told by hooks, and not with the model yet. */
  let told = []
  let calls = 0
  const shown = []
  const env = { ...variablesIn(dir), ...variables }

  /** Runs one hook. @returns the child, and what it printed once it has ended */
  function start(event, more = {}) {
    calls += 1
    const payload = { session_id: sessionId, cwd, hook_event_name: event, prompt_id: `p${calls}`, ...more }
    const child = spawn(process.execPath, [LAUNCHER, 'hook', 'claude-code'], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk))
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(payload))
    const ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal, text })))
    return { child, ended }
  }

  /** An event whose hook runs to its end; what it said waits for the next request. */
  async function event(name, more) {
    const { text } = await start(name, more).ended
    if (text === '') return
    const answer = JSON.parse(text)
    told.push(answer.hookSpecificOutput?.additionalContext ?? answer.reason ?? '')
  }

  return {
    shown,
    start,
    event,
    tool: () =>
      event('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: `t${calls}` }),
    /** The next request: the model has what was told. */
    ask() {
      shown.push(...told)
      told = []
    },
    /** It is killed: what was told and not asked for reached nobody. */
    die() {
      told = []
    },
  }
}
