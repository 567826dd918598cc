/**
 * Waking an idle session of Claude Code through its inbox socket.
 *
 * @see docs/runtimes.md §1.6
 */
import { connect } from 'node:net'
import { isAbsolute } from 'node:path'
import type { WakeCall } from '../events/hook-runtime.ts'

/** One try. */
const WAKE_MS = 5_000

/** One line that says who may, one with the notice; nothing comes back. */
export function wake({ channels, notice }: WakeCall): Promise<boolean> {
  const { claudeSocket: path, claudeToken: token } = channels
  if (path === undefined || !isAbsolute(path)) return Promise.resolve(false)
  const lines = [
    ...(token === undefined ? [] : [{ type: 'auth', token }]),
    { type: 'user', message: { role: 'user', content: notice }, from: 'agentd' },
  ]
  return new Promise((resolve) => {
    const socket = connect(path)
    let isOpen = false
    const timer = setTimeout(() => socket.destroy(), WAKE_MS)
    socket.once('connect', () => {
      isOpen = true
      socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    })
    socket.on('error', () => {})
    socket.resume()
    socket.once('close', (hadError) => {
      clearTimeout(timer)
      resolve(isOpen && !hadError)
    })
  })
}
