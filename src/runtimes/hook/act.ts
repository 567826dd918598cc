/**
 * What is done about each event.
 *
 * The parts that only some events need are loaded when they do: most hooks find nothing waiting, and end.
 */
import type { HookState } from '../memory/hook-state.ts'
import { announce, claimDue } from './advisory.ts'
import { SILENCE, joinAnswers, silence, type HookAnswer } from '../events/answer.ts'
import { sayActivity } from '../session/activity.ts'
import { isAttended } from '../session/attended.ts'
import { begin } from './begin.ts'
import { isSessionLost, type HookContext, type OwnSession } from '../session/context.ts'
import { wakeDriver } from '../events/wake-channels.ts'
import { locateEdits } from '../edits/files.ts'
import { handOver } from '../session/inbox.ts'
import { Unreached } from '../session/link.ts'
import { isAnnouncedBefore } from '../edits/shell-patch.ts'
import type { EventName } from '../events/hook-runtime.ts'
import { endTurn } from './turn-end.ts'

/** Loads what only some events need; it is bundled apart. */
export type LoadRest = () => Promise<{ readonly rest: typeof import('./rest.ts').rest }>

type Act = (context: HookContext, loadRest: LoadRest) => Promise<HookAnswer>

/** @throws Unreached, and whatever is wrong with this machine: a hook then says nothing */
export function act(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  return ACTS[context.event.name](context, loadRest)
}

/** Event → what is done about it; the compiler refuses an event without a row. */
const ACTS: Readonly<Record<EventName, Act>> = {
  'session-start': start,
  'session-end': end,
  'before-tool': beforeTool,
  prompt,
  'after-tool': afterTool,
  'tool-failed': passBy,
  notice: passBy,
  'turn-end': turnEnd,
  // See `farewell.ts`: there is nothing worth saying.
  compacting: () => Promise.resolve(silence('not-shown')),
}

async function start(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  const session = await registerOrStart(context, loadRest)
  if (session === undefined) return silence('unregistered')
  const { welcome } = (await loadRest()).rest
  const told = canShow(context) ? await welcome(context, session) : silence('not-shown')
  await sayActivity(context, session)
  return joinAnswers([told, await waiting(context, loadRest)])
}

/** A daemon that is not there is started by a session's start, and by nothing else a hook does. */
async function registerOrStart(context: HookContext, loadRest: LoadRest): Promise<OwnSession | undefined> {
  const { register, startDaemonFor } = (await loadRest()).rest
  try {
    return await register(context)
  } catch (error) {
    if (!(error instanceof Unreached) || error.how !== 'absent') throw error
    if (!(await startDaemonFor(context))) throw error
    context.relink()
    return register(context)
  }
}

async function end(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  if (context.event.isSubagent) return silence('subagent')
  if (begin(context, []) === undefined) return silence('repeated')
  const { endSession } = (await loadRest()).rest
  await endSession(context)
  return silence('not-shown')
}

async function prompt(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  if (context.event.isSubagent) return silence('subagent')
  return saying({ context, loadRest, state: begun.state }, async (session) => {
    if (!canShow(context)) return silence('not-shown')
    // Its start could not be shown, or found no daemon.
    if (!session.state.shown.has('welcome')) return (await loadRest()).rest.welcome(context, session)
    return handOver(context, session)
  })
}

async function beforeTool(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  const { activity, runtime } = context.event
  const files = locateEdits(context.event)
  if (files.length === 0) return activity === undefined ? silence('no-files') : tellOf(context, loadRest)
  const mayShow = canShow(context)
  if (!mayShow && !(runtime.cannotDeny !== true && context.settings.conflict === 'deny'))
    return silence('not-shown')
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  let due: ReturnType<typeof claimDue> | undefined
  return asSession({ context, loadRest, state: begun.state }, async (session) => {
    const { checkConflicts } = (await loadRest()).rest
    const answer = await checkConflicts(context, session, { files, isBefore: true })
    // What is held back is not written.
    if (answer.denial === undefined && isAnnouncedBefore(context.event)) {
      // Claimed once, though a session that the daemon has forgotten comes here twice.
      due ??= claimDue(context, files)
      const frames = await announce(context, session, due)
      if (frames.length > 0) remembered(context, session, frames)
    }
    return mayShow || answer.denial !== undefined ? answer : silence('not-shown')
  })
}

async function afterTool(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  const { event } = context
  const files = locateEdits(event)
  const begun = begin(context, files)
  if (begun === undefined) return silence('repeated')
  return saying({ context, loadRest, state: begun.state }, async (session) => {
    const isQuiet = event.isSubagent || !canShow(context)
    const [frames, inbox] = await Promise.all([
      announce(context, session, begun.due),
      isQuiet ? silence(event.isSubagent ? 'subagent' : 'not-shown') : handOver(context, session),
    ])
    const state = frames.length === 0 ? session.state : remembered(context, session, frames)
    if (isQuiet || files.length === 0 || event.runtime.shows.includes('before-tool')) return inbox
    // This runtime shows nothing before a tool runs, so what others are at is told behind it.
    const { checkConflicts } = (await loadRest()).rest
    const told = await checkConflicts(context, { ...session, state }, { files, isBefore: false })
    return joinAnswers([told, inbox])
  })
}

function remembered(context: HookContext, { state }: OwnSession, frames: readonly string[]): HookState {
  const own = (current: HookState): HookState => ({
    ...current,
    ownFrames: [...current.ownFrames, ...frames],
  })
  return context.remember(own) ?? own(state)
}

/** Events that are only an occasion to hand over, or to say what the session does. */
async function passBy(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  if (context.event.isSubagent) return silence('subagent')
  if (!canShow(context))
    return context.event.activity === undefined ? silence('not-shown') : tellOf(context, loadRest)
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  return saying({ context, loadRest, state: begun.state }, (session) => handOver(context, session))
}

/** The session waits at its own prompt, or does so no longer; there is nothing to show. */
async function tellOf(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  return saying({ context, loadRest, state: begun.state }, () => Promise.resolve(silence('not-shown')))
}

async function turnEnd(context: HookContext, loadRest: LoadRest): Promise<HookAnswer> {
  if (context.event.isSubagent) return silence('subagent')
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  if (begun.state.token === undefined) return silence('unregistered')
  const answer = await asSession({ context, loadRest, state: begun.state }, async (session) => {
    const ended = await endTurn(context, session)
    // A turn that goes on is no end of one.
    if (ended.continuation === undefined) await sayActivity(context, session)
    return ended
  })
  return answer.continuation === undefined
    ? joinAnswers([answer, await waiting(context, loadRest, begun.state)])
    : answer
}

/** Somebody to wake the session when it is idle. */
async function waiting(context: HookContext, loadRest: LoadRest, state?: HookState): Promise<HookAnswer> {
  if (state !== undefined && !mayNeedWaiter(context, state)) return SILENCE
  const { ensureWaiter } = (await loadRest()).rest
  return { release: () => ensureWaiter(context) }
}

/** A cheap look, good enough to tell that nothing is to be done; `ensure-waiter.ts` looks closely. */
function mayNeedWaiter({ environment, event }: HookContext, { wakeChannels, waiter }: HookState): boolean {
  if (wakeDriver(event.runtime, wakeChannels) === undefined) return false
  if (waiter?.kind === 'rewake' && isAttended(event.runtime, environment)) return false
  try {
    return waiter === undefined || !process.kill(waiter.pid, 0)
  } catch {
    return true
  }
}

/** What a hook needs to do something as its session. */
interface Speaking {
  readonly context: HookContext
  readonly loadRest: LoadRest
  readonly state: HookState
}

/** As {@link asSession}, and says what the session does. */
function saying(speaking: Speaking, work: (session: OwnSession) => Promise<HookAnswer>): Promise<HookAnswer> {
  return asSession(speaking, async (session) => {
    const answer = await work(session)
    await sayActivity(speaking.context, session)
    return answer
  })
}

/** Does something as the session, after registering it where it is not; once more when the daemon has forgotten it. */
async function asSession(
  { context, loadRest, state }: Speaking,
  work: (session: OwnSession) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  if (state.isChild) return silence('child')
  const { token } = state
  // A subagent works under a session that is there, or under none.
  if (context.event.isSubagent) return token === undefined ? silence('unregistered') : work({ token, state })
  const register = async (): Promise<OwnSession | undefined> => (await loadRest()).rest.register(context)
  const session = token === undefined ? await register() : { token, state }
  if (session === undefined) return silence('unregistered')
  try {
    return await work(session)
  } catch (error) {
    if (!isSessionLost(error)) throw error
    const again = await register()
    return again === undefined ? silence('unregistered') : work(again)
  }
}

function canShow({ event }: HookContext): boolean {
  const { shows, mute } = event.runtime
  return shows.includes(event.name) && mute?.includes(event.wireName) !== true
}
