/**
 * Looking back from the newest of a thousand, ten thousand and a hundred thousand frames, which is the default
 * maximum: a rare kind, what a hook asks before an edit, an envelope that a stranger asks for, and forgetting.
 *
 * Each size is a daemon of its own, killed and started again once it is full, so that what lies on the disk is
 * looked back over, and not this life's memory. Ratios are of the largest to the smallest.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createRuntime } from '../support/agent-runtime.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { SERVICE, makeEnvelope } from '../support/envelopes.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { ENVELOPES, startPublisher } from '../support/publisher.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

const SIZES = [1_000, 10_000, 100_000]

/** The kinds the board looks back at (`hooks/board/live-board.ts`), of which there are few. */
const HOOK_KINDS = ['agent_advisory', 'agent_lock_request', 'agent_lease_extend', 'agent_lock_release']
const RARE_KIND = 'agent_lock_request'

/** What is promised: the largest ring to the smallest, and how long nobody waits for others (HD-10, HD-12). */
const MAX_RATIO = 3
const MAX_WAIT_MS = 50

/** Looks of each kind, and which of them counts: a quick one, since what is asked is the work and not the machine. */
const LOOKS = 25
const LOOKED_AT = 0.2
const FETCHES = 20
const HOOKS = 3

/** Envelopes of the workflow that a stranger asks about; as many as were looked through at the most. */
const WORKFLOW_SHARE = 10

/** A daemon is quiet that takes no more than this in so long; it is looked at so often. */
const QUIET_CPU_MS = 10
const QUIET_MS = 200
const QUIET_LOOKS = 50

const FILE = 'src/held.ts'

export default {
  name: 'look-back',
  promise: 'R-53, R-54',
  summary: 'a rare kind, a hook, a fetch and forgetting cost at 100 000 frames what they cost at 1 000',
  async run({ note }) {
    const rows = []
    for (const size of SIZES) {
      rows.push(await measure(size))
      note(JSON.stringify(rows.at(-1)))
    }
    const [smallest, largest] = [rows[0], rows.at(-1)]
    const figures = Object.fromEntries(
      Object.keys(smallest).map((name) => [name, rows.map((row) => row[name]).join(' / ')]),
    )
    const ratioOf = (name) => Math.round((largest[name] / Math.max(smallest[name], 0.1)) * 10) / 10
    const ratios = { rare_ratio: ratioOf('rare_ms'), question_ratio: ratioOf('hook_question_ms') }
    const fetchRatio = ratioOf('fetch_cpu_ms')
    const forgetRatio = ratioOf('forget_rare_ms')
    return {
      frames: SIZES.join(' / '),
      ...figures,
      ...ratios,
      fetch_ratio: fetchRatio,
      forget_ratio: forgetRatio,
      holds:
        [...Object.values(ratios), fetchRatio].every((ratio) => ratio <= MAX_RATIO) &&
        rows.every(({ hooks_denied: denied }) => denied === HOOKS) &&
        // The smallest is forgotten while one or two others ask.
        largest.forgotten_wait_ms <= MAX_WAIT_MS,
    }
  },
}

async function measure(size) {
  const dir = createTempDir()
  const root = dir.file('checkout')
  mkdirSync(resolve(root, '.git'), { recursive: true })
  mkdirSync(resolve(root, 'src'))
  writeFileSync(resolve(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(resolve(root, FILE), '')
  const config = { hooks: { conflict: 'deny' } }
  const first = await startDaemon({ dir, config })
  const secret = await fill(first.socket, { size, root })
  await first.stop('SIGKILL')
  const daemon = await startDaemon({ dir, config })
  try {
    const { body } = await request(daemon.socket, '/v1/health')
    const looked = await look(daemon)
    const hooks = await runHooks(dir, root)
    const fetched = await fetchAsStranger(daemon, secret)
    const forgotten = await forget(daemon.socket)
    return { retained: body.ring.frames, ...looked, ...hooks, ...fetched, ...forgotten }
  } finally {
    await daemon.stop()
    dir.remove()
  }
}

/** The rare ones first, so that everything else lies in front of them. @returns an envelope that is not for all */
async function fill(socket, { size, root }) {
  const sibling = await register(socket, { session_id: 'sibling' })
  const verb = (name, json) =>
    request(socket, `/v1/verbs/${name}`, { method: 'POST', json, token: sibling.token })
  await verb('agent_advise', { text: `editing ${FILE}`, file_refs: [FILE], worktree: root })
  for (let i = 0; i < 5; i += 1)
    await verb('agent_lock', { resource: `build-${i}`, ttl_ms: 3_600_000, lease_id: `lease-${i}` })
  const parties = await register(socket, {
    session_id: 'parties',
    entities: ['agent.torture', 'bus.torture'],
  })
  const envelopes = Math.floor(size / WORKFLOW_SHARE)
  const made = Array.from({ length: envelopes }, () => makeEnvelope({ to: 'agent.torture' }))
  const sending = startPublisher(socket, {
    what: ENVELOPES,
    token: parties.token,
    maxFrames: envelopes,
    make: (i) => ({ id: made[i].id, text: JSON.stringify(made[i]) }),
  })
  await sending.closed
  const frames = startPublisher(socket, { maxFrames: size - envelopes - 20, make: () => makeFrame() })
  await frames.closed
  return made[0]
}

async function register(socket, more) {
  const { body } = await request(socket, '/v1/sessions', {
    json: { instrument: 'torture', ...more },
  })
  return body
}

async function look({ socket, pid }) {
  const ask = (kind) => request(socket, `/v1/frames?filter=kind:${kind}&limit=200`)
  const [firstMs] = await times(1, () => ask(RARE_KIND))
  await untilQuiet(pid)
  const rare = await times(LOOKS, () => ask(RARE_KIND))
  const question = await times(LOOKS, () => Promise.all(HOOK_KINDS.map(ask)))
  return {
    first_look_ms: tenths(firstMs),
    rare_ms: tenths(quantile(rare, LOOKED_AT)),
    hook_question_ms: tenths(quantile(question, LOOKED_AT)),
  }
}

/**
 * The real hook of a runtime, before an edit that a sibling has announced: it has to hold it back. Each is the first
 * of its session, and the first of them is the one the daemon looks back for.
 */
async function runHooks(dir, root) {
  const variables = { CLAUDE_PID: String(process.pid) }
  const tool = { tool_name: 'Edit', tool_input: { file_path: FILE } }
  let denied = 0
  const taken = []
  for (let i = 0; i < HOOKS; i += 1) {
    const runtime = createRuntime({ dir, cwd: root, sessionId: `hook-${i}`, variables })
    const startedMs = performance.now()
    const { text } = await runtime.start('PreToolUse', { tool_use_id: `tool-${i}`, ...tool }).ended
    taken.push(performance.now() - startedMs)
    if (text.includes('"deny"')) denied += 1
  }
  return { hooks_denied: denied, hook_ms: Math.round(quantile(taken, 0.5)) }
}

/** An entity that has nothing to do with a workflow asks for an envelope of it; what that costs the daemon. */
async function fetchAsStranger(daemon, { id, corr }) {
  const entities = ['agent.stranger']
  const { token } = await register(daemon.socket, { session_id: 'stranger', entities, mailbox: true })
  const task = () =>
    makeEnvelope({ from: 'agent.stranger', to: SERVICE, intent: 'aee.context.fetch', corr, payload: { id } })
  const send = (envelope) =>
    request(daemon.socket, '/v1/envelopes', { method: 'POST', json: envelope, token })
  // What is learned at the first is learned once.
  await send(task())
  const cpuMs = cpuOf(daemon.pid)
  for (let i = 0; i < FETCHES; i += 1) await send(task())
  await request(daemon.socket, '/v1/health')
  const { body } = await request(daemon.socket, '/v1/inbox/drain', { method: 'POST', json: {}, token })
  if (!JSON.stringify(body).includes('"found":false')) throw new Error('the stranger was not answered')
  return { fetch_cpu_ms: tenths((cpuOf(daemon.pid) - cpuMs) / FETCHES) }
}

async function forget(socket) {
  const remove = (kind) => request(socket, `/v1/frames?kind=${kind}`, { method: 'DELETE', timeoutMs: 60_000 })
  const [rareMs] = await times(1, () => remove(RARE_KIND))
  const waits = []
  const state = { isOver: false }
  const watching = (async () => {
    while (!state.isOver) waits.push(...(await times(1, () => request(socket, '/v1/health'))))
  })()
  const [allMs] = await times(1, () => remove('agent_broadcast'))
  state.isOver = true
  await watching
  return {
    forget_rare_ms: tenths(rareMs),
    forget_all_ms: Math.round(allMs),
    forgotten_wait_ms: tenths(quantile(waits, 0.9)),
    forgotten_wait_max_ms: tenths(quantile(waits, 1)),
  }
}

async function times(count, act) {
  const taken = []
  for (let i = 0; i < count; i += 1) {
    const startedMs = performance.now()
    await act()
    taken.push(performance.now() - startedMs)
  }
  return taken
}

/** Until what a daemon does behind its start is done: it is not what is measured here. */
async function untilQuiet(pid) {
  for (let i = 0; i < QUIET_LOOKS; i += 1) {
    const before = cpuOf(pid)
    await new Promise((done) => setTimeout(done, QUIET_MS))
    if (cpuOf(pid) - before <= QUIET_CPU_MS) return
  }
}

/** What a process has taken of a processor, in milliseconds; ticks of ten. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function tenths(ms) {
  return Math.round(ms * 10) / 10
}
