/**
 * Agents that go on under other ids, in their own process or after a kill of it, and come back under earlier ones, while
 * frames are sent to any address they ever had and the daemon is killed: what was accepted for a living agent comes to it,
 * once, and nothing is counted as reached whose process is gone (OP-27).
 */
import { randomUUID } from 'node:crypto'
import { startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { startParty } from '../support/party.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const AGENTS = 4

/** Ids of one agent; a session remembers sixteen former addresses (HD-02). */
const IDS = 8

/** Frames that are sent to an agent while it changes. */
const SENT_AT_ONCE = 6

const CHANGES = ['clear', 'clear', 'back', 'killed', 'nothing']

/** A look at a process may be as old as this, in milliseconds, with some to spare. */
const LOOKED_MS = 5

/** One change in so many is followed by a kill of the daemon. */
const DAEMON_KILL_EVERY = 12

async function run({ random, hasTime, rounds = Infinity, note }) {
  const dir = createTempDir()
  const state = { dir, daemon: await startDaemon({ dir }), dead_reached: 0, unreached: 0, failed: 0 }
  const { body: health } = await request(state.daemon.socket, '/v1/health')
  if (health.peer_processes !== 'checked') {
    await state.daemon.stop()
    dir.remove()
    return { skipped: 'the kernel does not name who connects (koffi is not there)' }
  }
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, i) => startAgent(state, i)))
  const counts = { clear: 0, back: 0, killed: 0, nothing: 0, daemon: 0 }
  let turns = 0
  for (; turns < rounds && hasTime(); turns += 1) {
    const change = random.pick(CHANGES)
    counts[change] += 1
    await turn(state, random.pick(agents), { change, random })
    if (random.between(1, DAEMON_KILL_EVERY) === 1) {
      counts.daemon += 1
      await state.daemon.stop('SIGKILL')
      state.daemon = await startDaemon({ dir })
    }
    if (turns % 100 === 99) note(`${turns + 1} turns`)
  }
  for (const agent of agents) await drain(state, agent)
  const found = judge(agents)
  for (const { party } of agents) party.end()
  const { code } = await state.daemon.stop()
  dir.remove()
  const { dead_reached, unreached, failed } = state
  const wrong = dead_reached + unreached + failed + found.lost + found.twice + found.foreign
  return {
    holds: wrong === 0 && code === 0,
    turns,
    changes: JSON.stringify(counts),
    dead_reached,
    unreached,
    failed,
    ...found,
  }
}

async function startAgent(state, number) {
  const agent = { number, party: startParty(), tokens: new Map(), ids: [], sent: new Set(), received: [] }
  await register(state, agent, idOf(agent, 0))
  return agent
}

function idOf({ number }, which) {
  return `agent-${number}-${which}`
}

/** Goes on as a session of an id, in the place of the last one. */
async function register(state, agent, id) {
  const { party, tokens, ids } = agent
  const last = ids.at(-1)
  const successor = last === undefined || last === id ? {} : { successor_of: `cc@${last}` }
  const json = { instrument: 'cc', session_id: id, mailbox: true, pid: party.pid, ...successor }
  const own = tokens.get(id)
  const { status, body } = await party.request(state.daemon.socket, '/v1/sessions', { json, token: own })
  if (status !== 201 && status !== 200) state.failed += 1
  tokens.set(id, body.token)
  agent.ids = [...ids.filter((one) => one !== id), id]
}

/** Changes an agent, and sends to whatever it was called meanwhile. */
async function turn(state, agent, { change, random }) {
  const names = Array.from({ length: SENT_AT_ONCE }, () => random.pick(agent.ids))
  if (change === 'killed') {
    const sending = Promise.all(names.map((id) => send(state, agent, id)))
    await agent.party.kill()
    await sending
    await sleep(LOOKED_MS)
    const late = await Promise.all(names.slice(0, 2).map((id) => send(state, agent, id)))
    state.dead_reached += late.filter((reached) => reached > 0).length
    agent.party = startParty()
    agent.tokens.clear()
    await register(state, agent, random.pick([agent.ids.at(-1), idOf(agent, random.between(0, IDS - 1))]))
    return
  }
  const id = change === 'clear' ? idOf(agent, random.between(0, IDS - 1)) : random.pick(agent.ids)
  const changing = change === 'nothing' ? drain(state, agent) : register(state, agent, id)
  const reached = await Promise.all(names.map((name) => send(state, agent, name)))
  await changing
  state.unreached += reached.filter((count) => count !== 1).length
}

/** @returns how many it is counted to have reached */
async function send(state, agent, id) {
  const text = `for ${agent.number}: ${randomUUID()}`
  const json = { text, recipient_scope: `~alice/cc@${id}` }
  const { status, body } = await request(state.daemon.socket, '/v1/verbs/agent_query', { json })
  if (status !== 200) state.failed += 1
  const count = body.recipient_count + body.queued_count
  if (count > 0) agent.sent.add(body.frame_id)
  return count
}

async function drain(state, agent) {
  const token = agent.tokens.get(agent.ids.at(-1))
  const json = { max_items: 1_000, max_bytes: 1_048_576 }
  const { body } = await request(state.daemon.socket, '/v1/inbox/drain', { json, token })
  agent.received.push(...body.items.map(({ frame }) => frame.frame_id))
}

/** What was counted as sent to each agent, against what it was handed. */
function judge(agents) {
  const found = { frames: 0, lost: 0, twice: 0, foreign: 0 }
  for (const { sent, received } of agents) {
    const once = new Set(received)
    found.frames += sent.size
    found.twice += received.length - once.size
    found.lost += [...sent].filter((id) => !once.has(id)).length
    found.foreign += [...once].filter((id) => !sent.has(id)).length
  }
  return found
}

export default {
  name: 'successions',
  promise: 'R-67, R-68',
  summary:
    'agents that go on under other ids, die and come back, and a daemon that is killed: each frame comes once',
  run,
}
