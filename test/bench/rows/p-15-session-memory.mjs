/** P-15: private memory of what stands beside the daemon for a session, and of what it adds to the daemon. */
import { join } from 'node:path'
import { startAgentd } from '../support/agentd.mjs'
import { figureLine } from '../support/contest.mjs'
import { findCurl, registerSession } from '../support/hooks.mjs'
import { childrenOf, readPrivateBytes } from '../support/machine.mjs'
import { spawnServer } from '../support/processes.mjs'
import { CLI_ENTRY, ROOT } from '../support/root.mjs'
import { sleep } from '../support/waiting.mjs'

const SESSIONS = 10
const REST_MS = 3_000
const MEGABYTE = 1e6

/** What a host of MCP servers says first, and asks for. */
const GREETING = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '2' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'agentd_roster', arguments: {} } },
]

export const row = {
  id: 'P-15',
  async run() {
    const daemon = await startAgentd()
    const processes = []
    try {
      // What the daemon loads once is no session's.
      await startSession(daemon, 'first', processes)
      await sleep(REST_MS)
      const before = readPrivateBytes(daemon.pid)
      if (before === undefined)
        return [figureLine({ what: 'memory', figure: null, note: 'there is no /proc here' })]
      const own = []
      for (let i = 0; i < SESSIONS; i += 1) await startSession(daemon, `s${i}`, own)
      processes.push(...own)
      await sleep(REST_MS)
      const beside = own.reduce((sum, { pid }) => sum + treeBytes(pid), 0) / SESSIONS
      const within = (readPrivateBytes(daemon.pid) - before) / SESSIONS
      return [
        figureLine({
          what: `a session with hooks, waiter and MCP, of ${SESSIONS}`,
          unit: 'MB',
          figure: (beside + within) / MEGABYTE,
          target: { atMost: 12 },
          note: `${(within / MEGABYTE).toFixed(1)} of it in the daemon`,
        }),
      ]
    } finally {
      for (const child of processes) await child.stop('SIGKILL')
      await daemon.stop()
    }
  },
}

/** A registered session, the line that waits on its behalf, and its server of tools, which has answered a call. */
async function startSession(daemon, id, processes) {
  await registerSession(daemon, id)
  const { curlWaitLine } = await import(join(ROOT, 'dist/runtimes/setup/files/curl-line.js'))
  const call = { curl: findCurl(), socket: daemon.socketPath, keyHeader: undefined }
  const line = curlWaitLine(call, 'claude-code', { session: 'BENCH_SESSION', attended: 'BENCH_ATTENDED' })
  const env = { ...daemon.env, BENCH_SESSION: id, BENCH_ATTENDED: '1', CLAUDE_CODE_SESSION_ID: id }
  const waiter = spawnServer(['/bin/sh', '-c', line], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const server = spawnServer([process.execPath, CLI_ENTRY, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  processes.push(waiter, server)
  waiter.stdin.end('{}')
  for (const message of GREETING) server.stdin.write(`${JSON.stringify(message)}\n`)
  while (!server.output().includes('"id":2')) {
    if (!server.isAlive()) throw new Error(`agentd mcp ended: ${server.output().slice(-400)}`)
    await sleep(20)
  }
}

/** Of a process and all it has started. */
function treeBytes(pid) {
  return (readPrivateBytes(pid) ?? 0) + childrenOf(pid).reduce((sum, child) => sum + treeBytes(child), 0)
}
