/**
 * As many sessions as a daemon takes, each saying as much of itself as it may, and what that does to everybody else.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownProcess } from './cleanup.mjs'
import { DIST } from './daemon.mjs'
import { startProbe } from './probe.mjs'

const LAUNCHER = fileURLToPath(new URL('../bin/agentd.cjs', `file://${DIST.replace(/\/*$/, '/')}`))

/** A path as long as one may be. */
const path = (name, i) => `/${name}-${i}-`.padEnd(4_096, 'x')

const wordy = (i) => ({
  instrument: 'crowd',
  session_id: `s${i}`,
  title: 'ä'.repeat(128),
  branch: 'b'.repeat(256),
  cwd: path('cwd', i),
  repository: path('repository', i),
  worktree: path('worktree', i),
  entities: Array.from({ length: 64 }, (_, k) => `agent.${i}.${k}.`.padEnd(256, 'e')),
  mailbox: true,
})

/** Registers sessions over a few kept connections. @returns how many were taken */
export async function crowdRoster(socketPath, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let next = 0
  let taken = 0
  const lanes = Array.from({ length: 8 }, async () => {
    while (next < count) {
      const i = next
      next += 1
      // oxlint-disable-next-line eslint/no-await-in-loop
      const { status } = await ask(socketPath, '/v1/sessions', { agent, json: wordy(i) })
      if (status === 201) taken += 1
    }
  })
  await Promise.all(lanes)
  agent.destroy()
  return taken
}

/** Reads every page. @returns the largest page in octets, and how many sessions and pages there were */
export async function readPages(socketPath, handle) {
  let [largestOctets, sessions, pages] = [0, 0, 0]
  let after = ''
  const query = (name) => (after === '' ? '' : `${name}after=${after}`)
  do {
    // oxlint-disable-next-line eslint/no-await-in-loop
    const limited = await ask(socketPath, `/v1/handles/${handle}/roster?limit=256${query('&')}`)
    // One that knows no pages refuses the parameter.
    const { octets, text } =
      // oxlint-disable-next-line eslint/no-await-in-loop
      limited.status === 200 ? limited : await ask(socketPath, `/v1/handles/${handle}/roster`)
    const page = JSON.parse(text)
    largestOctets = Math.max(largestOctets, octets)
    sessions += page.sessions.length
    pages += 1
    after = page.next ?? ''
  } while (after !== '')
  return { largestOctets, sessions, pages }
}

/** The longest that somebody else waited while `work` was done, in milliseconds. */
export async function longestWait(socketPath, work) {
  const probe = startProbe(socketPath, { pauseMs: 1 })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const result = await work()
  const { latencies } = await probe.stop()
  return { result, longestMs: Math.max(...latencies) }
}

/**
 * A session at work in a repository, and another one that begins there.
 *
 * @returns what the second is told by its hook, and how long that took
 */
export async function startBeside(daemon, { peer, cwd }) {
  mkdirSync(cwd, { recursive: true })
  spawnSync('git', ['init', '--quiet', cwd], { stdio: 'ignore' })
  const worktree = realpathSync(cwd)
  const place = { worktree, repository: join(worktree, '.git') }
  await ask(daemon.socket, '/v1/sessions', {
    json: { instrument: peer, session_id: 'p1', mailbox: true, ...place },
  })
  const startedMs = performance.now()
  const child = spawn(process.execPath, [LAUNCHER, 'hook', 'claude-code'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: daemon.dir.file('home'),
      XDG_RUNTIME_DIR: daemon.dir.file('run'),
      XDG_CONFIG_HOME: daemon.dir.file('config'),
      AGENTD_STATE_DIR: daemon.dir.file('state'),
      AGENTD_SOCKET: daemon.socket,
      AGENTD_CONFIG: daemon.dir.file('config', 'agentd.json'),
      CLAUDE_PID: String(process.pid),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  ownProcess(child)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  child.stdin.end(
    JSON.stringify({ session_id: 'newcomer', cwd, hook_event_name: 'SessionStart', source: 'startup' }),
  )
  await new Promise((resolve) => child.once('close', resolve))
  return { text, tookMs: performance.now() - startedMs }
}

function ask(socketPath, target, { agent = false, json } = {}) {
  const body = json === undefined ? undefined : JSON.stringify(json)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        socketPath,
        path: target,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
      },
      (incoming) => {
        const chunks = []
        incoming.on('data', (chunk) => chunks.push(chunk))
        incoming.once('error', reject)
        incoming.once('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({ status: incoming.statusCode, octets: bytes.length, text: bytes.toString('utf8') })
        })
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
