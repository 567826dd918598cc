/**
 * Turns of OpenCode that a person ends before the model has answered: what no request carried is not called seen, and nothing
 * is lost (OP-09, OP-20).
 *
 * OpenCode says by `session.idle` that a turn is over, however it ended.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { must, times } from '../support/checks.mjs'
import { OpencodeServer, furnishOpencode, holdingPlugin, recordPlugin } from '../support/opencode.mjs'
import { until } from '../support/waiting.mjs'

const RUNTIME = 'opencode'
const MESSAGE = 'Main has moved to 4711.'

/** How long something may take that depends on the load of the machine. */
const EVENT_MS = 45_000

/** Where a turn is held up: its prompt is not written down yet; the model is asked next. */
const PROMPT = 'chat.message'
const REQUEST = 'experimental.chat.messages.transform'

/** A session that has had one turn. @returns `somebody`, who holds it up, `frameId`, which waits, and the parts of the stage */
async function sessionOf(context, { isTold = true } = {}) {
  const stage = context.stage()
  const cwd = stage.repository()
  const model = context.model(RUNTIME)
  furnishOpencode(stage, model)
  await stage.agentd('setup', RUNTIME, '--yes', '--plugin')
  recordPlugin(stage)
  const somebody = holdingPlugin(stage, cwd)
  await stage.startDaemon()
  const server = await OpencodeServer.start(stage, { cwd })
  const id = await server.startSession()
  await server.prompt(id, 'hello')
  await stage.quiet()
  const { address } = await stage.joined(id)
  const tell = async () => (await stage.tell(address, MESSAGE)).frame_id
  return { stage, cwd, model, server, id, somebody, tell, ...(isTold && { frameId: await tell() }) }
}

/** How often OpenCode has said that a turn is over. */
function idles(stage) {
  return stage.captured(RUNTIME).filter(({ payload }) => payload.hook_event_name === 'session.idle').length
}

/** Ends the turn, and waits until our hooks know. */
async function abort({ stage, server, id }) {
  const before = idles(stage)
  await server.abort(id)
  await until(() => idles(stage) > before, EVENT_MS, 'no session.idle came of the abort')
  await stage.quiet()
}

/** No request has carried it, and nobody says that it was seen. @returns what its receipt says */
async function mustNotBeSeen({ stage, model, id }, frameId) {
  must(!model.wasShown(MESSAGE), 'a request carried the message: the abort came too late')
  const state = await stage.stateAt(frameId, id)
  must(state === 'handed' || state === 'queued', `no request carried the message, and it is ${state}`)
  return state
}

/** A turn that is held up, and has been told something, is aborted where it is, and goes on from there if it can. */
async function abortHeld(parts, turn, told) {
  const { somebody } = parts
  await somebody.held()
  const before = await mustNotBeSeen(parts, told.frameId)
  must(before === 'handed', `before the abort it is ${before}`)
  await abort(parts)
  const state = await mustNotBeSeen(parts, told.frameId)
  somebody.release()
  await turn
  return state
}

/** The next prompt carries it, and then it is seen. @returns how often, and whether OpenCode has kept it by itself */
async function mustComeWithNext({ stage, model, server, id }, frameId) {
  const isKept = (await server.history(id)).includes(MESSAGE)
  const since = model.mark()
  await server.prompt(id, 'something else')
  must(model.wasShown(MESSAGE, since), 'the message did not come with the next prompt')
  await stage.becomes(frameId, id, 'seen')
  return { isKept, times: times(model.requests.at(-1).text, MESSAGE) }
}

export const scenarios = [
  {
    id: 'aborted.opencode.unasked',
    title:
      'a prompt that is aborted before the model was asked has shown nothing, and its message comes with the next',
    async run(context) {
      const parts = await sessionOf(context)
      const { server, id, somebody, frameId } = parts
      somebody.hold(REQUEST)
      const state = await abortHeld(parts, server.begin(id, 'go on'), { frameId })
      await mustNotBeSeen(parts, frameId)
      return { state, ...(await mustComeWithNext(parts, frameId)) }
    },
  },
  {
    id: 'aborted.opencode.unanswered',
    title:
      'a prompt that is aborted before the first word of the answer proves nothing, and its message is not lost',
    async run(context) {
      const parts = await sessionOf(context)
      const { stage, model, server, id, frameId } = parts
      let isOver = false
      model.plan(async () => {
        await until(() => isOver, EVENT_MS, 'nobody aborted')
        return { text: 'too late' }
      })
      const turn = server.begin(id, 'go on')
      await model.heard(MESSAGE)
      await abort(parts)
      isOver = true
      await turn
      const state = await stage.stateAt(frameId, id)
      must(state === 'handed', `before any sign of the model it is ${state}`)
      return { state, ...(await mustComeWithNext(parts, frameId)) }
    },
  },
  {
    id: 'aborted.opencode.behind-tool',
    title: 'what was told behind a tool is not seen when the turn is aborted before the model is asked again',
    async run(context) {
      const parts = await sessionOf(context, { isTold: false })
      const { cwd, model, server, id, somebody, tell } = parts
      const told = {}
      model.plan(async () => {
        told.frameId = await tell()
        somebody.hold(REQUEST)
        return { tool: 'read', input: { filePath: `${cwd}/README.md` } }
      })
      const state = await abortHeld(parts, server.begin(id, 'look around'), told)
      await mustNotBeSeen(parts, told.frameId)
      return { state, ...(await mustComeWithNext(parts, told.frameId)) }
    },
  },
  {
    id: 'aborted.opencode.in-prompt',
    title: 'an abort that comes while a prompt is still being taken ends nothing, and proves nothing',
    async run(context) {
      const parts = await sessionOf(context)
      const { stage, model, server, id, somebody, frameId } = parts
      somebody.hold(PROMPT)
      const state = await abortHeld(parts, server.begin(id, 'go on'), { frameId })
      must(model.wasShown(MESSAGE), 'the turn did not go on')
      await stage.becomes(frameId, id, 'seen')
      return { state }
    },
  },
  {
    id: 'aborted.opencode.next-prompt',
    title: 'a tool that ends behind the next prompt proves nothing of what that prompt was told',
    async run(context) {
      const parts = await sessionOf(context, { isTold: false })
      const { stage, cwd, model, server, id, somebody, tell } = parts
      const [began, goOn] = [join(cwd, 'began'), join(cwd, 'go-on')]
      const command = `touch ${began}; until [ -e ${goOn} ]; do sleep 0.1; done`
      model.plan({ tool: 'bash', input: { command, description: 'wait' } })
      const first = server.begin(id, 'wait')
      await until(() => existsSync(began), EVENT_MS, 'the tool never ran')
      const frameId = await tell()
      const second = server.begin(id, 'and then go on')
      const isHanded = async () => (await stage.stateAt(frameId, id)) === 'handed'
      await until(isHanded, EVENT_MS, 'the message was not handed over with the next prompt')
      somebody.hold(REQUEST)
      writeFileSync(goOn, '')
      await somebody.held()
      await stage.quiet()
      const state = await mustNotBeSeen(parts, frameId)
      somebody.release()
      await Promise.all([first, second])
      must(model.wasShown(MESSAGE), 'the message was not shown')
      await stage.becomes(frameId, id, 'seen')
      return { state }
    },
  },
  {
    id: 'aborted.opencode.killed',
    title:
      'a server that was killed before its model was asked has shown nothing, and the message comes with the next prompt',
    async run(context) {
      const parts = await sessionOf(context)
      const { stage, cwd, server, id, somebody, frameId } = parts
      somebody.hold(REQUEST)
      const turn = server.begin(id, 'go on')
      await somebody.held()
      server.kill()
      await turn.catch(() => {})
      await stage.left(id)
      const state = await mustNotBeSeen(parts, frameId)
      somebody.release()
      const again = await OpencodeServer.start(stage, { cwd })
      return { state, ...(await mustComeWithNext({ ...parts, server: again }, frameId)) }
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME], capability: 'truth' }))
