/**
 * Waking an idle session of OpenCode through its own server.
 *
 * @see docs/runtimes.md §5.3
 */
import { request } from 'node:http'
import type { WakeCall } from '../events/hook-runtime.ts'

/** One try. */
const WAKE_MS = 5_000

/** Its own server; the path is fixed, the id is one path segment. */
export function wake({ channels, sessionId, notice }: WakeCall): Promise<boolean> {
  const { openCodeUrl: base = '', openCodePassword: password } = channels
  const url = localUrl(base, `/session/${encodeURIComponent(sessionId)}/prompt_async`)
  if (url === undefined) return Promise.resolve(false)
  const body = JSON.stringify({ parts: [{ type: 'text', text: notice }] })
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        ...(password !== undefined && { auth: `opencode:${password}` }),
        timeout: WAKE_MS,
      },
      (incoming) => {
        incoming.resume()
        const { statusCode = 0 } = incoming
        resolve(statusCode >= 200 && statusCode < 300)
      },
    )
    outgoing.once('timeout', () => outgoing.destroy())
    outgoing.once('error', () => resolve(false))
    outgoing.end(body)
  })
}

/** A server of this machine only: a notice, and a password, go nowhere else. */
function localUrl(base: string, path: string): URL | undefined {
  const url = URL.canParse(path, base) ? new URL(path, base) : undefined
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url?.hostname ?? '')
  return url?.protocol === 'http:' && isLocal ? url : undefined
}
