/**
 * Sessions that hooks have registered, as the runtimes of the tests do: over the route, with this process for theirs.
 */
import { request } from '../../support/http.ts'

/** A session begins. @throws Error when the daemon does not take the event */
export async function beginHooked(socket: string, runtime: string, payload: object): Promise<void> {
  const surroundings = { env: {}, pid: process.pid, program: process.execPath }
  const header = Buffer.from(JSON.stringify(surroundings)).toString('base64url')
  const { status } = await request(socket, `/v1/hooks/${runtime}`, {
    headers: { 'content-type': 'application/json', 'agentd-surroundings': header },
    body: JSON.stringify({ cwd: '/', ...payload }),
  })
  if (status >= 300) throw new Error(`the hook was answered with ${status}`)
}

/** A session of Claude Code. @param source - `clear` for one that carries on the one before it */
export function beginClaude(socket: string, sessionId: string, source = 'startup'): Promise<void> {
  const payload = { hook_event_name: 'SessionStart', session_id: sessionId, source }
  return beginHooked(socket, 'claude-code', payload)
}
