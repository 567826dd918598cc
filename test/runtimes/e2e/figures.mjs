/**
 * How long a message takes to a model, and what our hooks add to a tool call.
 *
 * From the moment the daemon accepted it (the answer says when) to the request by which the model is given it; `handed` and
 * `seen` are the daemon's own times. Medians of a dozen, in milliseconds. Nothing of anybody else's runs as a hook.
 */
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { must } from './support/checks.mjs'
import { ClaudeStream, ClaudeTerminal, claudeSpawn, furnishClaude } from './support/claude.mjs'
import { CodexServer, PATCHING_MODEL, codexExec, furnishCodex } from './support/codex.mjs'
import { copilotPrompt, furnishCopilot } from './support/copilot.mjs'
import { furnishGemini, geminiPrompt } from './support/gemini.mjs'
import { OpencodeServer, furnishOpencode, opencodeRun } from './support/opencode.mjs'
import { until } from './support/waiting.mjs'

/** Of each figure. */
const ROUNDS = 12

/** Calls of a turn by which the cost of a hook is measured. */
const CALLS = 20

/** Runs of each kind; of their medians the least counts, since what else the machine does is not ours. */
const TURNS = 2

const WAIT_MS = 60_000
const LIMIT_MS = 600_000

/** Wakes are measured one behind the other. */
const CONFIG = { hooks: { wakes_per_10_min: 60 } }

/** Another file each time: some take a call that is repeated for a loop. */
const LOOK = {
  'claude-code': (path) => ({ tool: 'Read', input: { file_path: path } }),
  codex: () => ({ tool: 'exec_command', input: { cmd: 'true' } }),
  gemini: (path) => ({ tool: 'read_file', input: { file_path: path } }),
  copilot: (path) => ({ tool: 'view', input: { path } }),
  opencode: (path) => ({ tool: 'read', input: { filePath: path } }),
}

const FILES = Object.fromEntries(
  Array.from({ length: ROUNDS }, (_, round) => [`look-${round}.md`, `Number ${round}.\n`]),
)

const FURNISH = {
  'claude-code': (stage, cwd) => furnishClaude(stage, [cwd], { isWatched: false }),
  codex: (stage, cwd, model, name) =>
    furnishCodex(stage, model, [cwd], { isWatched: false, ...(name && { name }) }),
  gemini: (stage) => furnishGemini(stage, { isWatched: false }),
  copilot: (stage) => furnishCopilot(stage, { isWatched: false }),
  opencode: (stage, _cwd, model) => furnishOpencode(stage, model),
}

/** One whole turn of a program that ends with it. */
const TURN = {
  'claude-code': (stage, { cwd, model, prompt }) =>
    claudeSpawn(stage, { cwd, model, actor: 'figures', words: ['--allowedTools', 'Bash', '--', prompt] })
      .ended,
  codex: (stage, { cwd, prompt }) =>
    codexExec(stage, { cwd, actor: 'figures', prompt, timeoutMs: WAIT_MS * 3 }),
  gemini: (stage, { cwd, model, prompt }) => geminiPrompt(stage, { cwd, actor: 'figures', model, prompt }),
  copilot: (stage, { cwd, model, prompt }) => copilotPrompt(stage, { cwd, actor: 'figures', model, prompt }),
  opencode: (stage, { cwd, prompt }) => opencodeRun(stage, { cwd, prompt }),
}

async function furnished(context, runtime, { isSetUp = true, name } = {}) {
  const stage = context.stage()
  const cwd = stage.repository('repo', FILES)
  const model = context.model(runtime)
  FURNISH[runtime](stage, cwd, model, name)
  stage.writeHome('.config/agentd/config.json', CONFIG)
  if (isSetUp) await stage.agentd('setup', runtime, '--yes', ...(runtime === 'opencode' ? ['--plugin'] : []))
  await stage.startDaemon()
  return { stage, cwd, model }
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

function load() {
  return Math.round(loadavg()[0] * 10) / 10
}

/** Sends, and follows what becomes of it. @returns a promise of `{handedMs, modelMs, seenMs}` */
async function follow(stage, { model, sessionId, word, isUrgent }) {
  const { address } = await stage.joined(sessionId)
  const { frame_id: frameId } = await (isUrgent ? stage.query(address, word) : stage.tell(address, word))
  const { token } = await stage.observer()
  const { body } = await stage.ask(`/v1/frames/${frameId}`, { token })
  const acceptedMs = Date.parse(body.accepted_at)
  const reach = async (states, sentence) => {
    const at = await until(
      async () => {
        const receipt = await stage.receiptAt(frameId, sessionId)
        return states.includes(receipt?.state) ? Date.parse(receipt.at) : undefined
      },
      WAIT_MS,
      sentence,
    )
    return at - acceptedMs
  }
  const done = Promise.all([
    reach(['handed', 'seen'], `"${word}" was never handed over`),
    model.heard(word, { timeoutMs: WAIT_MS }).then(({ atMs }) => atMs - acceptedMs),
    reach(['seen'], `"${word}" was never seen`),
  ]).then(([handedMs, modelMs, seenMs]) => ({ handedMs, modelMs, seenMs }))
  // It is waited for behind the turn.
  done.catch(() => {})
  return { done }
}

function summary(found) {
  const of = (name) => median(found.map((one) => one[name]))
  return {
    n: found.length,
    handedMs: of('handedMs'),
    modelMs: of('modelMs'),
    seenMs: of('seenMs'),
    load: load(),
  }
}

/** Something is sent while the model thinks, and its next step brings it. */
function busy(runtime) {
  return {
    id: `figures.${runtime}.busy`,
    runtime,
    title: 'sent while the model thinks, in the middle of a turn',
    async run(context) {
      const { stage, cwd, model } = await furnished(context, runtime)
      const followed = []
      for (let round = 0; round < ROUNDS; round += 1)
        model.plan(async () => {
          const { session_id: sessionId } = await stage.someone()
          followed.push(await follow(stage, { model, sessionId, word: `busy-word-${round}-` }))
          return LOOK[runtime](join(cwd, `look-${round}.md`))
        })
      await TURN[runtime](stage, { cwd, model, prompt: 'look around' })
      must(followed.length === ROUNDS, `the model was asked ${model.requests.length} times`)
      return summary(await Promise.all(followed.map(({ done }) => done)))
    },
  }
}

/** What was sent waits for the next prompt, which comes at once. */
const atPrompt = {
  id: 'figures.claude-code.prompt',
  runtime: 'claude-code',
  title: 'sent to an idle session that is given a prompt',
  async run(context) {
    const { stage, cwd, model } = await furnished(context, 'claude-code')
    const session = await ClaudeStream.start(stage, { actor: 'figures', cwd, model })
    await session.begin('hello')
    const { session_id: sessionId } = await stage.someone()
    const found = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const { done } = await follow(stage, { model, sessionId, word: `prompt-word-${round}-` })
      await session.begin('go on')
      found.push(await done)
    }
    return summary(found)
  },
}

/** Something urgent wakes an idle session. @param open - gives the session's id, and waits for the end of a turn */
function idle(runtime, kind, open) {
  return {
    id: `figures.${runtime}.idle${kind === '' ? '' : `-${kind}`}`,
    runtime,
    title: `sent to an idle session, which wakes${kind === '' ? '' : ` (${kind})`}`,
    async run(context) {
      const { stage, cwd, model } = await furnished(context, runtime)
      const { sessionId, rest } = await open(stage, { cwd, model })
      const found = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const { done } = await follow(stage, {
          model,
          sessionId,
          word: `idle-word-${round}-`,
          isUrgent: true,
        })
        found.push(await done)
        await rest()
        await stage.quiet()
      }
      return { ...summary(found), driver: (await stage.joined(sessionId)).delivery.idle }
    },
  }
}

/** Waits until a session that was woken rests again. */
function resting(stage, sessionId) {
  return () =>
    until(
      async () => (await stage.joined(sessionId)).activity?.state === 'idle',
      WAIT_MS,
      'the session does not come to rest',
    )
}

const idles = [
  idle('claude-code', 'headless', async (stage, { cwd, model }) => {
    const session = await ClaudeStream.start(stage, { actor: 'figures', cwd, model })
    await session.begin('hello')
    const { session_id: sessionId } = await stage.someone()
    return { sessionId, rest: resting(stage, sessionId) }
  }),
  idle('claude-code', 'terminal', async (stage, { cwd, model }) => {
    const session = ClaudeTerminal.unwatched(stage, { actor: 'figures', cwd, model })
    const { session_id: sessionId } = await stage.someone()
    await session.type('hello', () => model.requests.length > 0)
    const rest = resting(stage, sessionId)
    await rest()
    return { sessionId, rest }
  }),
  idle('codex', '', async (stage, { cwd }) => {
    const server = await CodexServer.start(stage, { cwd, actor: 'figures' })
    await server.trustHooks()
    const sessionId = await server.startThread()
    await server.turn(sessionId, 'hello')
    return { sessionId, rest: resting(stage, sessionId) }
  }),
  idle('opencode', '', async (stage, { cwd }) => {
    const server = await OpencodeServer.start(stage, { cwd })
    const sessionId = await server.startSession()
    await server.prompt(sessionId, 'hello')
    return { sessionId, rest: resting(stage, sessionId) }
  }),
]

/** What lies between an answer of the model that calls a tool and its next request. */
function gaps(requests) {
  return requests.slice(1).map(({ atMs }, index) => atMs - requests[index].answeredMs)
}

/** A start of Node, by which machines differ: the median of some. */
function startOfNode() {
  const took = Array.from({ length: ROUNDS }, () => {
    const atMs = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - atMs
  })
  return Math.round(median(took))
}

/** Without our hooks and with them, in turn. @param medianOf - of one run, told whether they are there */
async function compare(n, medianOf) {
  const found = { without: [], with: [] }
  for (let turn = 0; turn < TURNS; turn += 1) {
    found.without.push(await medianOf(false))
    found.with.push(await medianOf(true))
  }
  const [withoutMs, withMs] = [Math.min(...found.without), Math.min(...found.with)]
  return { n: n * TURNS, withoutMs, withMs, addedMs: withMs - withoutMs, nodeMs: startOfNode(), load: load() }
}

/** One turn of many calls, without our hooks and with them. */
function added(runtime, name, { call, model: modelName }) {
  return {
    id: `figures.${runtime}.adds-${name}`,
    runtime,
    title: `what hooks add to a call (${name})`,
    async run(context) {
      const medianOf = async (isSetUp) => {
        const { stage, cwd, model } = await furnished(context, runtime, { isSetUp, name: modelName })
        for (let round = 0; round < CALLS; round += 1) model.plan(call(cwd, round))
        await TURN[runtime](stage, { cwd, model, prompt: 'go' })
        // The first may look for what it needs; the last is the end of the turn.
        must(model.requests.length > CALLS, `the model was asked ${model.requests.length} times`)
        return median(gaps(model.requests).slice(-CALLS))
      }
      return compare(CALLS, medianOf)
    },
  }
}

const STEPS = (cwd, round) => ({
  tool: 'Edit',
  input: { file_path: join(cwd, 'NEW.md'), old_string: `step ${round - 1}.`, new_string: `step ${round}.` },
})

const adds = [
  added('claude-code', 'Bash', {
    call: () => ({ tool: 'Bash', input: { command: 'true', description: 'look' } }),
  }),
  added('claude-code', 'Edit', {
    call: (cwd, round) =>
      round === 0
        ? { tool: 'Write', input: { file_path: join(cwd, 'NEW.md'), content: 'step 0.\n' } }
        : STEPS(cwd, round),
  }),
  added('codex', 'exec', { call: LOOK.codex }),
  added('codex', 'patch', {
    model: PATCHING_MODEL,
    call: (_cwd, round) => ({
      tool: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: new-${round}.md\n+New.\n*** End Patch`,
    }),
  }),
  {
    id: 'figures.claude-code.adds-prompt',
    runtime: 'claude-code',
    title: 'what hooks add to a prompt',
    async run(context) {
      const medianOf = async (isSetUp) => {
        const { stage, cwd, model } = await furnished(context, 'claude-code', { isSetUp })
        const session = await ClaudeStream.start(stage, { actor: 'figures', cwd, model })
        await session.begin('hello')
        const found = []
        for (let round = 0; round < ROUNDS; round += 1) {
          const asked = model.requests.length
          const atMs = Date.now()
          await session.begin('go on')
          found.push(model.requests[asked].atMs - atMs)
        }
        return median(found)
      }
      return compare(ROUNDS, medianOf)
    },
  },
]

/** All figures. */
export const scenarios = [...Object.keys(TURN).map(busy), atPrompt, ...idles, ...adds].map((scenario) => ({
  ...scenario,
  capability: 'figures',
  needs: [scenario.runtime],
  limitMs: LIMIT_MS,
}))
