/**
 * Getting a notice to an idle session, by the door its runtime has.
 *
 * Never by typing into a terminal. What is tried is bounded in time, and what comes of it is told by the
 * mailbox, not by whether the door opened.
 *
 * @see docs/runtimes.md §§1.6, 2.3, 5.3
 */
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { basename, isAbsolute } from 'node:path'
import type { WakeChannels, HookState } from '../memory/hook-state.ts'
import type { Environment } from '../../host/config/paths.ts'
import { daemonVariables } from '../session/child-variables.ts'

/** One try at a door. */
const WAKE_MS = 5_000

/** Codex opens its store and its server first. */
const CODEX_MS = 20_000

/** @returns whether the notice was taken; that it was read is told elsewhere */
export function wakeBy(
  environment: Environment,
  { doors, sessionId }: HookState,
  notice: string,
): Promise<boolean> {
  if (doors.claudeSocket !== undefined) return wakeClaude(doors.claudeSocket, doors.claudeToken, notice)
  if (doors.codexPath !== undefined)
    return wakeCodex(environment, {
      path: doors.codexPath,
      home: doors.codexHome,
      thread: sessionId,
      notice,
    })
  if (doors.openCodeUrl !== undefined) return wakeOpenCode(doors, sessionId, notice)
  return Promise.resolve(false)
}

/** One line that says who may, one with the notice; nothing comes back. */
function wakeClaude(path: string, token: string | undefined, notice: string): Promise<boolean> {
  if (!isAbsolute(path)) return Promise.resolve(false)
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

/** Codex's own durable queue, by the very program that runs the hooks. */
function wakeCodex(
  environment: Environment,
  call: {
    readonly path: string
    readonly home: string | undefined
    readonly thread: string
    readonly notice: string
  },
): Promise<boolean> {
  const { path, home, thread, notice } = call
  // The path comes from a file, if from one that only we can write.
  if (!isAbsolute(path) || !basename(path).startsWith('codex') || thread.startsWith('-'))
    return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(path, ['queue', '--thread', thread, '--message', notice, '--resume'], {
      stdio: 'ignore',
      timeout: CODEX_MS,
      env: { ...daemonVariables(environment), ...(home !== undefined && { CODEX_HOME: home }) },
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** Its own server; the path is fixed, the id is one path segment. */
function wakeOpenCode(doors: WakeChannels, sessionId: string, notice: string): Promise<boolean> {
  const url = localUrl(doors.openCodeUrl ?? '', `/session/${encodeURIComponent(sessionId)}/prompt_async`)
  if (url === undefined) return Promise.resolve(false)
  const body = JSON.stringify({ parts: [{ type: 'text', text: notice }] })
  const password = doors.openCodePassword
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
