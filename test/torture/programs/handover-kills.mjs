/**
 * Kills between a hook's answer and the model: of the runtime, which then never shows what it was told, and of the daemon,
 * which then forgets what it handed over. What is called seen was with the model, and nothing is lost (OP-09, OP-20).
 */
import { mkdirSync } from 'node:fs'
import { createRuntime } from '../support/agent-runtime.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const SESSION = 'killed-again'
const SCOPE = `~alice/cc-agent@${SESSION}`

/** How a turn ends, and how often: half of them with a kill. */
const ENDS = ['whole', 'whole', 'told', 'hook', 'daemon', 'daemon and runtime']

/** A hook takes about a tenth of a second; a kill hits any moment of it. */
const HOOK_MS = 150

/** Turns after the last kill in which everything that waits has to come. */
const LAST_TURNS = 5

async function run({ random, hasTime, rounds = Infinity, note }) {
  const dir = createTempDir()
  const cwd = dir.file('work')
  mkdirSync(cwd)
  const state = {
    daemon: await startDaemon({ dir }),
    kills: { told: 0, hook: 0, daemon: 0, 'daemon and runtime': 0 },
  }
  const runtime = createRuntime({ dir, cwd, sessionId: SESSION })
  const sent = new Map()
  await runtime.event('SessionStart', { source: 'startup' })
  let turns = 0
  for (; turns < rounds && hasTime(); turns += 1) {
    await tell(state.daemon, sent, turns)
    await turn(runtime, state, { dir, random })
    if (turns % 50 === 49) note(`${turns + 1} turns`)
  }
  for (let i = 0; i < LAST_TURNS; i += 1) await wholeTurn(runtime, 1)
  const found = await judge(state.daemon, sent, runtime.shown)
  const { code } = await state.daemon.stop()
  dir.remove()
  // A daemon that was killed does not know what it had handed over: that comes again, as if for the first time.
  return {
    holds: found.false_seen + found.lost === 0 && code === 0,
    turns,
    kills: JSON.stringify(state.kills),
    ...found,
  }
}

/** A message nobody else has the words of. */
async function tell(daemon, sent, number) {
  const text = `message ${number} of many`
  const json = { text, recipient_scope: SCOPE }
  const { status, body } = await request(daemon.socket, '/v1/verbs/agent_advise', { json })
  if (status === 200) sent.set(body.frame_id, text)
}

async function turn(runtime, state, { dir, random }) {
  const end = random.pick(ENDS)
  const tools = random.between(0, 2)
  if (end === 'whole') return wholeTurn(runtime, tools)
  state.kills[end] += 1
  if (end === 'told') {
    // The prompt was taken back, or the program went before its first request.
    await runtime.event('UserPromptSubmit', { prompt: 'go' })
    return resume(runtime)
  }
  if (end === 'hook') {
    const { child, ended } = runtime.start('UserPromptSubmit', { prompt: 'go' })
    await sleep(random.between(0, HOOK_MS))
    child.kill('SIGKILL')
    await ended
    return resume(runtime)
  }
  await runtime.event('UserPromptSubmit', { prompt: 'go' })
  await state.daemon.stop('SIGKILL')
  state.daemon = await startDaemon({ dir })
  if (end === 'daemon and runtime') return resume(runtime)
  runtime.ask()
  for (let i = 0; i < tools; i += 1) await step(runtime)
  return runtime.event('Stop')
}

/** The runtime is killed: what it was told and did not ask with is gone, and the session begins again. */
async function resume(runtime) {
  runtime.die()
  await runtime.event('SessionStart', { source: 'resume' })
}

async function wholeTurn(runtime, tools) {
  await runtime.event('UserPromptSubmit', { prompt: 'go' })
  runtime.ask()
  for (let i = 0; i < tools; i += 1) await step(runtime)
  await runtime.event('Stop')
}

async function step(runtime) {
  await runtime.tool()
  runtime.ask()
}

/** What receipts say, against what the model was given. */
async function judge(daemon, sent, shown) {
  const counts = {
    messages: sent.size,
    seen: 0,
    false_seen: 0,
    lost: 0,
    shown_again: 0,
    shown_twice_unmarked: 0,
  }
  for (const [frameId, text] of sent) {
    const { body } = await request(daemon.socket, `/v1/frames/${frameId}`)
    const isSeen = body.receipts?.[0]?.state === 'seen'
    const lines = shown.flatMap((context) => context.split('\n')).filter((line) => line.endsWith(`: ${text}`))
    const unmarked = lines.filter((line) => !line.includes('perhaps shown before'))
    if (isSeen) counts.seen += 1
    if (isSeen && lines.length === 0) counts.false_seen += 1
    if (lines.length === 0) counts.lost += 1
    if (lines.length > 1) counts.shown_again += 1
    if (unmarked.length > 1) counts.shown_twice_unmarked += 1
  }
  return counts
}

export default {
  name: 'handover-kills',
  promise: 'R-65',
  summary:
    'kills of runtime and daemon between a hook and the model: nothing is called seen that was not, nothing lost',
  run,
}
