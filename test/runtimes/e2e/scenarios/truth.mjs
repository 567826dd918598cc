/**
 * What is called seen was given to a model, and what was given to none comes again (OP-09, OP-20).
 *
 * A hook of somebody else that takes its time holds a runtime up behind ours, so that it can be killed at a known place;
 * kills at random places are added to that.
 */
import { randomUUID } from 'node:crypto'
import { must, times } from '../support/checks.mjs'
import { ClaudeTerminal, claudeSpawn } from '../support/claude.mjs'
import { CodexTerminal, codexEvents, codexSpawn, furnishCodex } from '../support/codex.mjs'
import { copilotSpawn, furnishCopilot } from '../support/copilot.mjs'
import { claudeStage, furnishedStage } from '../support/furnished.mjs'
import { furnishGemini, geminiSpawn } from '../support/gemini.mjs'
import { sleep, until } from '../support/waiting.mjs'

const MESSAGE = 'Main has moved to 4711.'
const AGAIN = 'perhaps shown before'

/** Longer than it takes to look and to kill. */
const SLOW_MS = 20_000

/** How long something may take that depends on the load of the machine. */
const EVENT_MS = 45_000

/** Kills at a random place, and how long after the hand-over at the most. */
const KILLS = 8
const KILL_WITHIN_MS = 1_500

/** How Claude Code says that there is nothing to come back to. */
const NEVER_WRITTEN = /No conversation found/

/** Calls of a model in a turn that is killed. */
const LOOKS = 4

const LOOK = { tool: 'Bash', input: { command: 'ls', description: 'look' } }
const BRIEF_LOOK = { tool: 'Bash', input: { command: 'sleep 3', description: 'look' } }

/** What is sent is told in the middle of a turn, with the model's next call. @returns where its `frame_id` will be */
function tellWithin(stage, { model, id, calls }) {
  const told = {}
  model.plan(async () => {
    const { address } = await stage.joined(await id())
    told.frameId = (await stage.tell(address, MESSAGE)).frame_id
    return calls
  })
  return told
}

/** After a kill: nothing is called seen of which the model knows nothing. */
async function mustNotBeSeen(stage, { model, frameId, id }) {
  const state = await stage.stateAt(frameId, id)
  must(!model.wasShown(MESSAGE), 'the model was shown the message: the kill came too late')
  must(state === 'queued' || state === 'handed', `no model was given the message, and it is ${state}`)
}

/** Kills a session, or a run, of which the model knows nothing of the message. @returns what it was called before that */
async function killUnseen(stage, killed, { model, frameId, id }) {
  const handed = await stage.stateAt(frameId, id)
  killed.kill()
  await mustNotBeSeen(stage, { model, frameId, id })
  await stage.left(id)
  await mustNotBeSeen(stage, { model, frameId, id })
  return handed
}

/**
 * Presses Esc while the model is asked with a message, before it says its first word: that proves nothing.
 *
 * @param terminal - of a session at its prompt
 * @returns `{frameId, since}`: the message, and a mark of the model's behind it
 */
async function interruptBeforeFirstWord(stage, { terminal, model, id, address }) {
  const { frame_id: frameId } = await stage.tell(address, MESSAGE)
  let isOver = false
  model.plan(async () => {
    await until(() => isOver, EVENT_MS, 'nobody pressed Esc')
    return { text: 'too late' }
  })
  await terminal.submit('go on')
  await model.heard(MESSAGE)
  await terminal.press('\u001B')
  await sleep(1_000)
  isOver = true
  const state = await stage.stateAt(frameId, id)
  must(state === 'handed', `before any sign of the model it is ${state}`)
  return { frameId, since: model.mark() }
}

/** The session comes back, and is shown it as what it may know already. */
async function mustComeAgain(context, { stage, cwd, id, frameId }) {
  const model = context.model('again')
  const again = await ClaudeTerminal.open(stage, { actor: 'again', cwd, model, args: ['--resume', id] })
  must(again.id === id, `it came back as ${again.id}`)
  await again.prompt('go on')
  // What is urgent comes by a wake of its own.
  await model.heard(MESSAGE)
  must(model.wasShown(AGAIN), 'it is not said that it may have been shown before')
  // Besides what the program has written down of a turn that never came to a model.
  const shown = times(model.requests.at(-1).text, AGAIN)
  must(shown === 1, `it came again ${shown} times`)
  await stage.becomes(frameId, id, 'seen')
}

/** Kills Claude Code while somebody else's hook of an event runs, behind ours. */
function killedAt(event, title, { calls = LOOK, isWoken = false } = {}) {
  return {
    id: `truth.claude-code.${isWoken ? 'wake' : event}`,
    runtime: 'claude-code',
    needs: ['claude-code'],
    title,
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await start('killed')
      const { id, model } = session
      await session.prompt('hello')
      const before = session.events(event).length
      stage.slowDown('claude-code', event, SLOW_MS)
      let told = {}
      if (isWoken) told.frameId = (await stage.query(session.address, MESSAGE)).frame_id
      else if (event === 'UserPromptSubmit') {
        told.frameId = (await stage.tell(session.address, MESSAGE)).frame_id
        await session.submit('go on')
      } else {
        told = tellWithin(stage, { model, id: () => id, calls })
        await session.submit('look around')
      }
      await session.event(event, before)
      await stage.quiet()
      const handed = await killUnseen(stage, session, { model, frameId: told.frameId, id })
      stage.slowDown('claude-code', event, 0)
      await mustComeAgain(context, { stage, cwd, id, frameId: told.frameId })
      return { handed }
    },
  }
}

const claudeKills = [
  killedAt('UserPromptSubmit', 'a prompt that never came to a model has shown nothing'),
  killedAt('PostToolUse', 'a tool behind which the session was killed has shown nothing'),
  killedAt('PostToolBatch', 'a step behind which the session was killed has shown nothing'),
  killedAt('UserPromptSubmit', 'a wake whose turn never came to a model has shown nothing', {
    isWoken: true,
  }),
]

const claudeOthers = [
  {
    id: 'truth.claude-code.two-calls',
    title: 'the first of two calls of one step proves nothing with the second',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await start('killed')
      const { id, model } = session
      const write = { tool: 'Write', input: { file_path: `${cwd}/NEW.md`, content: 'New.\n' } }
      const told = tellWithin(stage, { model, id: () => id, calls: [BRIEF_LOOK, write] })
      await session.submit('look around')
      await session.event('PreToolUse')
      stage.slowDown('claude-code', 'PreToolUse', SLOW_MS)
      await session.event('PreToolUse', 1)
      await stage.quiet()
      must(
        (await stage.stateAt(told.frameId, id)) === 'handed',
        'nothing was handed over behind the first call',
      )
      session.kill()
      await mustNotBeSeen(stage, { model, frameId: told.frameId, id })
    },
  },
  {
    id: 'truth.claude-code.inbox-tool',
    title: 'what the inbox tool was answered is not seen by the end of that very call',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('killed')
      const { id, model } = session
      await session.prompt('hello')
      stage.slowDown('claude-code', 'PostToolUse', SLOW_MS)
      const before = session.events('PostToolUse').length
      const told = tellWithin(stage, { model, id: () => id, calls: { tool: 'agentd_inbox', input: {} } })
      await session.submit('look into the inbox')
      // A tool that is looked for first has an event of its own.
      await until(
        () =>
          session
            .events('PostToolUse')
            .slice(before)
            .some(({ tool_name: name }) => name.endsWith('agentd_inbox')),
        EVENT_MS,
        'the inbox was never asked',
      )
      await stage.quiet()
      session.kill()
      await mustNotBeSeen(stage, { model, frameId: told.frameId, id })
    },
  },
  {
    id: 'truth.claude-code.max-turns',
    title: 'a run whose turns are limited to one leaves to its successor what its model was not asked with',
    async run(context) {
      const { stage, cwd } = await claudeStage(context)
      const id = randomUUID()
      const model = context.model('limited')
      const told = tellWithin(stage, { model, id: () => id, calls: LOOK })
      const words = ['--max-turns', '1', '--session-id', id, 'look around']
      const limited = claudeSpawn(stage, { cwd, model, actor: 'limited', words })
      await limited.ended
      await stage.left(id)
      await mustNotBeSeen(stage, { model, frameId: told.frameId, id })
      await mustComeAgain(context, { stage, cwd, id, frameId: told.frameId })
    },
  },
  {
    id: 'truth.claude-code.interrupt',
    title: 'Esc before the first word takes the prompt back, and what came with it comes again',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('typing')
      const { id, model, address } = session
      await session.prompt('hello')
      const { frameId, since } = await interruptBeforeFirstWord(stage, {
        terminal: session,
        model,
        id,
        address,
      })
      // What was taken back stands in the line again.
      await session.press('\u0015')
      await session.prompt('something else')
      must(model.wasShown(MESSAGE, since), 'the message did not come again')
      must(model.wasShown(AGAIN, since), 'it is not said that it may have been shown before')
      await stage.becomes(frameId, id, 'seen')
    },
  },
].map((scenario) => ({ ...scenario, runtime: 'claude-code', needs: ['claude-code'] }))

/** One way to run a turn that can be killed: how its home is furnished, what its model does, and how it is started. */
const RUNTIMES = {
  codex: {
    furnish: (stage, cwd, model) => furnishCodex(stage, model, [cwd]),
    event: 'PostToolUse',
    look: { tool: 'exec_command', input: { cmd: 'ls' } },
    slowLook: { tool: 'exec_command', input: { cmd: 'sleep 20', yield_time_ms: 25_000 } },
    start: codexSpawn,
  },
  gemini: {
    furnish: (stage) => furnishGemini(stage),
    event: 'AfterTool',
    look: { tool: 'list_directory', input: { dir_path: '.' } },
    slowLook: { tool: 'run_shell_command', input: { command: 'sleep 20' } },
    start: geminiSpawn,
  },
  copilot: {
    furnish: (stage) => furnishCopilot(stage),
    event: 'PostToolUse',
    look: { tool: 'bash', input: { command: 'ls', description: 'look' } },
    slowLook: {
      tool: 'bash',
      input: { command: 'sleep 20', description: 'wait', initial_wait: 25, sessionId: 'b' },
    },
    start: copilotSpawn,
  },
}

async function otherStage(context, runtime) {
  const { furnish, event } = RUNTIMES[runtime]
  const parts = await furnishedStage(context, [runtime], furnish)
  const payloads = () => parts.stage.captured(runtime, 'killed').map(({ payload }) => payload)
  const idOf = () => payloads()[0]?.session_id
  const comesToIt = (run) =>
    until(
      () => payloads().some(({ hook_event_name: name }) => name === event),
      EVENT_MS,
      `${runtime} never came to ${event}: ${run.said()}`,
    )
  return { ...parts, idOf, comesToIt }
}

const others = Object.entries(RUNTIMES).flatMap(([runtime, { event, look, slowLook, start }]) => [
  {
    id: `truth.${runtime}.${event}`,
    runtime,
    needs: [runtime],
    title: 'a tool behind which the session was killed has shown nothing',
    async run(context) {
      const { stage, cwd, model, idOf, comesToIt } = await otherStage(context, runtime)
      const told = tellWithin(stage, { model, id: idOf, calls: look })
      stage.slowDown(runtime, event, SLOW_MS)
      const run = start(stage, { cwd, model, actor: 'killed', prompt: 'look around' })
      await comesToIt(run)
      await stage.quiet()
      return { handed: await killUnseen(stage, run, { model, frameId: told.frameId, id: idOf() }) }
    },
  },
  {
    id: `truth.${runtime}.two-calls`,
    runtime,
    needs: [runtime],
    title: 'the first of two calls of one step proves nothing with the second',
    async run(context) {
      const { stage, cwd, model, idOf, comesToIt } = await otherStage(context, runtime)
      const told = tellWithin(stage, { model, id: idOf, calls: [look, slowLook] })
      const run = start(stage, { cwd, model, actor: 'killed', prompt: 'look around' })
      await comesToIt(run)
      await sleep(1_500)
      run.kill()
      await mustNotBeSeen(stage, { model, frameId: told.frameId, id: idOf() })
    },
  },
])

const interrupted = {
  id: 'truth.codex.interrupt',
  runtime: 'codex',
  needs: ['codex'],
  title: 'Esc before the first word proves nothing, and what came with the prompt comes again',
  async run(context) {
    const { stage, cwd, model } = await otherStage(context, 'codex')
    const terminal = new CodexTerminal(stage, { cwd, actor: 'killed' })
    await terminal.prompt('hello')
    const { session_id: id } = codexEvents(stage, 'killed')[0]
    const { address } = await stage.joined(id)
    const { frameId, since } = await interruptBeforeFirstWord(stage, { terminal, model, id, address })
    await terminal.prompt('something else')
    must(model.wasShown(AGAIN, since), 'it did not come again as what may have been shown before')
    await stage.becomes(frameId, id, 'seen')
  },
}

/** Kills runs at random moments behind a hand-over; what is called seen then was shown, what was not comes again. */
async function killAtRandom(stage, { actor, model, start, resume, idOf, calls }) {
  const verdicts = { seen: 0, shownUnproved: 0, neverShown: 0, neverWritten: 0 }
  for (let round = 0; round < KILLS; round += 1) {
    const name = `${actor}${round}`
    const since = model.mark()
    const told = tellWithin(stage, { model, id: () => idOf(name), calls })
    model.plan(...Array.from({ length: LOOKS }, () => calls))
    const run = start(name)
    await until(() => told.frameId, EVENT_MS, `it never asked its model: ${run.said()}`)
    await sleep(Math.random() * KILL_WITHIN_MS)
    run.kill()
    model.forget()
    const id = idOf(name)
    await stage.left(id)
    const state = await stage.stateAt(told.frameId, id)
    const wasShown = model.wasShown(MESSAGE, since)
    must(state !== 'seen' || wasShown, `in round ${round} it was called seen, and no model was given it`)
    must(state !== 'dropped' && state !== 'expired', `in round ${round} it is ${state}`)
    verdicts[state === 'seen' ? 'seen' : wasShown ? 'shownUnproved' : 'neverShown'] += 1
    if (state === 'seen') continue
    must(state === 'queued', `in round ${round} it does not wait for who comes back, it is ${state}`)
    const mark = model.mark()
    const done = await resume(`${name}-again`, id).ended
    // It was killed before the program had written the session down.
    if (NEVER_WRITTEN.test(done)) {
      verdicts.neverWritten += 1
      continue
    }
    must(model.wasShown(MESSAGE, mark), `in round ${round} the message did not come again: ${done}`)
  }
  return verdicts
}

const random = [
  {
    id: 'truth.claude-code.random',
    runtime: 'claude-code',
    needs: ['claude-code'],
    title:
      'killed at random moments, Claude Code has called nothing seen that no model was given, and lost nothing',
    async run(context) {
      const { stage, cwd } = await claudeStage(context)
      const model = context.model('random')
      const ids = new Map()
      return killAtRandom(stage, {
        actor: 'random',
        model,
        calls: LOOK,
        idOf: (name) => ids.get(name),
        start(name) {
          ids.set(name, randomUUID())
          return claudeSpawn(stage, {
            cwd,
            model,
            actor: name,
            words: ['--session-id', ids.get(name), 'look'],
          })
        },
        resume: (name, id) =>
          claudeSpawn(stage, { cwd, model, actor: name, words: ['--resume', id, 'go on'] }),
      })
    },
  },
  {
    id: 'truth.codex.random',
    runtime: 'codex',
    needs: ['codex'],
    title:
      'killed at random moments, Codex has called nothing seen that no model was given, and lost nothing',
    async run(context) {
      const { stage, cwd, model } = await otherStage(context, 'codex')
      return killAtRandom(stage, {
        actor: 'random',
        model,
        calls: RUNTIMES.codex.look,
        idOf: (name) => codexEvents(stage, name)[0]?.session_id,
        start: (name) => codexSpawn(stage, { cwd, actor: name, prompt: 'look' }),
        resume: (name, id) => codexSpawn(stage, { cwd, actor: name, resume: id, prompt: 'go on' }),
      })
    },
  },
]

/** What all of them are about. */
export const scenarios = [...claudeKills, ...claudeOthers, ...others, interrupted, ...random].map(
  (scenario) => ({
    ...scenario,
    capability: 'truth',
  }),
)
