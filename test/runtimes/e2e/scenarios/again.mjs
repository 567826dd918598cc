/**
 * A program that is killed right behind a hand-over, before its model has answered, is given the message again at its next
 * turn (OP-09, OP-20).
 */
import { must, times } from '../support/checks.mjs'
import { copilotSpawn, furnishCopilot } from '../support/copilot.mjs'
import { furnishedStage } from '../support/furnished.mjs'
import { furnishGemini, geminiSpawn } from '../support/gemini.mjs'
import { until } from '../support/waiting.mjs'

const MESSAGE = 'Main has moved to 4711.'
const AGAIN = 'perhaps shown before'

/** How long something may take that depends on the load of the machine. */
const EVENT_MS = 45_000

/** One way to run a turn that can be killed: how its home is furnished, what its model does, and how it is started. */
const RUNTIMES = {
  gemini: {
    furnish: furnishGemini,
    look: { tool: 'list_directory', input: { dir_path: '.' } },
    start: geminiSpawn,
  },
  copilot: {
    furnish: furnishCopilot,
    look: { tool: 'bash', input: { command: 'ls', description: 'look' } },
    start: copilotSpawn,
  },
}

/** The message is sent in the middle of the turn, and the model never answers what it is asked behind that. */
function planTurn(stage, { model, id, look, isOver }) {
  const told = {}
  model.plan(
    async () => {
      const { address } = await stage.joined(id)
      told.frameId = (await stage.tell(address, MESSAGE)).frame_id
      return look
    },
    async () => {
      await until(isOver, EVENT_MS, 'nobody killed it')
      return { text: 'too late' }
    },
  )
  return told
}

export const scenarios = Object.entries(RUNTIMES).map(([runtime, { furnish, look, start }]) => ({
  id: `again.${runtime}`,
  runtime,
  needs: [runtime],
  capability: 'truth',
  title: 'killed right behind a hand-over, a session that comes back is given the message again, and says so',
  async run(context) {
    const { stage, cwd, model } = await furnishedStage(context, [runtime], (at) => furnish(at))
    const idOf = (actor) => stage.captured(runtime, actor)[0]?.payload.session_id
    // What has never finished a turn may not be written down yet, and there is nothing to come back to.
    await start(stage, { cwd, model, actor: 'first', prompt: 'begin' }).ended
    const id = idOf('first')
    let isOver = false
    const told = planTurn(stage, { model, id, look, isOver: () => isOver })
    const run = start(stage, { cwd, model, actor: 'killed', prompt: 'look around', resume: id })
    const isHanded = async () =>
      told.frameId !== undefined && (await stage.stateAt(told.frameId, id)) === 'handed'
    await until(isHanded, EVENT_MS, `nothing was handed over: ${run.said()}`)
    run.kill()
    const wasAsked = model.wasShown(MESSAGE)
    await stage.left(id)
    isOver = true
    const state = await stage.stateAt(told.frameId, id)
    must(state === 'queued', `it does not wait for who comes back, it is ${state}`)
    model.forget()
    const since = model.mark()
    const said = await start(stage, { cwd, model, actor: 'again', prompt: 'go on', resume: id }).ended
    must(idOf('again') === id, `it came back as ${idOf('again')}: ${said}`)
    must(model.wasShown(MESSAGE, since), `the message did not come again: ${said}`)
    must(model.wasShown(AGAIN, since), 'it is not said that it may have been shown before')
    await stage.becomes(told.frameId, id, 'seen')
    return { wasAsked, times: times(model.requests.at(-1).text, MESSAGE) }
  },
}))
