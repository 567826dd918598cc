/**
 * What is done about each event.
 */
import { isAnnouncedBefore } from '../../runtimes/edits/shell-patch.ts'
import { joinAnswers, SILENCE, silence, type HookAnswer } from '../../runtimes/events/answer.ts'
import type { EventName } from '../../runtimes/events/hook-runtime.ts'
import type { HookState } from '../memory/hook-state.ts'
import { locateEdits, locateReads, type LocatedFile, type Seeker } from '../places/edited.ts'
import { sayActivity } from '../session/activity.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { handOver } from '../session/inbox.ts'
import { canPlace } from '../session/facts.ts'
import { doubtStart, endHandOver } from '../session/waiting.ts'
import { findSession, register } from '../session/registration.ts'
import { announce, claimDue } from './advisory.ts'
import { begin } from './begin.ts'
import { checkConflicts } from './conflict.ts'
import { tellSighting } from './observed.ts'
import { endSession } from './farewell.ts'
import { noteReads } from './reads.ts'
import { endTurn } from './turn-end.ts'
import { WELCOMED, welcome } from './welcome.ts'

type Act = (context: HookContext) => Promise<HookAnswer>

/** What there is to say to an event. */
export function act(context: HookContext): Promise<HookAnswer> {
  context.hooks.observer.heard(context)
  return ACTS[context.event.name](context)
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

async function start(context: HookContext): Promise<HookAnswer> {
  const begun = begin(context, [])
  if (begun === undefined) {
    doubtStart(context)
    return silence('repeated')
  }
  const own = await register(context)
  if (own === undefined) return silence('unregistered')
  await endHandOver(context, { ...own, state: begun.state })
  // Nobody waits for it: whoever edits first, without it, begins there.
  void beginToObserve(context)
  const told = canShow(context) ? await welcome(context, own) : silence('not-shown')
  sayActivity(context, own)
  return told
}

async function end(context: HookContext): Promise<HookAnswer> {
  if (context.event.isSubagent) return silence('subagent')
  if (begin(context, []) === undefined) return silence('repeated')
  await endSession(context)
  return silence('not-shown')
}

async function prompt(context: HookContext): Promise<HookAnswer> {
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  if (context.event.isSubagent) return silence('subagent')
  return asSession(context, begun.state, (own) => {
    if (!canShow(context)) return Promise.resolve(silence('not-shown'))
    // Its start could not be shown, or found no daemon.
    if (!own.state.shown.has(WELCOMED)) return welcome(context, own)
    return handOver(context, own, { room: context.settings.contextChars })
  })
}

async function beforeTool(context: HookContext): Promise<HookAnswer> {
  const { event } = context
  // Who wants to be asked is asked though the disk is late: what cannot be looked up is taken by its name.
  const home = () => (context.settings.conflict === 'show' ? undefined : context.state)
  const edits = await locateEdits(event, { ...seekerOf(context), home })
  // Who reads a file is told before it thinks: what is told before an edit comes with the edit's own result (OP-21).
  const reads = edits.length > 0 ? [] : await locateReads(event, seekerOf(context))
  const files = [...edits, ...reads]
  if (files.length === 0) return passBy(context)
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  return asSession(context, begun.state, async (own) => {
    noteReads(context, reads)
    const mayDeny = edits.length > 0 && event.runtime.cannotDeny !== true
    const [conflicts, sighting] = await Promise.all([
      checkConflicts(context, own, { files, mayDeny }),
      canShow(context) ? tellSighting(context, own, edits) : SILENCE,
    ])
    // What is not shown with a denial is told before the next edit.
    const answer = conflicts.denial === undefined ? joinAnswers([conflicts, sighting]) : conflicts
    // What is held back is not written.
    if (answer.denial === undefined && isAnnouncedBefore(event))
      await announce(context, own, claimDue(context, edits))
    return canShow(context) || answer.denial !== undefined ? answer : silence('not-shown')
  })
}

async function afterTool(context: HookContext): Promise<HookAnswer> {
  const { event } = context
  const edits = await locateEdits(event, seekerOf(context))
  const reads = edits.length > 0 ? [] : await locateReads(event, seekerOf(context))
  const files: readonly LocatedFile[] = [...edits, ...reads]
  const begun = begin(context, edits)
  if (begun === undefined) return silence('repeated')
  return asSession(context, begun.state, async (own) => {
    noteReads(context, reads)
    await Promise.all([noteFiles(context, { edits, reads }), announce(context, own, begun.due)])
    if (event.isSubagent || !canShow(context)) return silence(event.isSubagent ? 'subagent' : 'not-shown')
    const inbox = await handOver(context, own, { room: context.settings.contextChars })
    if (files.length === 0 || event.runtime.shows.includes('before-tool')) return inbox
    // This runtime shows nothing before a tool runs, so what others are at is told behind it.
    const conflicts = await checkConflicts(context, own, { files, mayDeny: false })
    return joinAnswers([conflicts, await tellSighting(context, own, edits), inbox])
  })
}

/** Events that are only an occasion to hand over, or to say what the session does. */
async function passBy(context: HookContext): Promise<HookAnswer> {
  const { event } = context
  if (event.isSubagent) return silence('subagent')
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  return asSession(context, begun.state, (own) => {
    // An answer before a tool is for what concerns the tool.
    if (!canShow(context) || event.name === 'before-tool') return Promise.resolve(silence('not-shown'))
    return handOver(context, own, { room: context.settings.contextChars })
  })
}

async function turnEnd(context: HookContext): Promise<HookAnswer> {
  if (context.event.isSubagent) return silence('subagent')
  const begun = begin(context, [])
  if (begun === undefined) return silence('repeated')
  return asSession(context, begun.state, (own) => endTurn(context, own))
}

/** Does something as the session, after registering it where the daemon does not know it, and says what it does. */
async function asSession(
  context: HookContext,
  state: HookState,
  work: (own: OwnSession) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  const { event } = context
  if (state.isChild) return silence('child')
  const session = findSession(context, state)
  // A subagent works under a session that is there, or under none.
  if (event.isSubagent) return session === undefined ? silence('unregistered') : work({ session, state })
  const own = session === undefined ? await register(context) : await placed(context, { session, state })
  if (own === undefined) return silence('unregistered')
  await endHandOver(context, own)
  const answer = await work(own)
  // A turn that goes on is no end of one.
  if (answer.continuation === undefined) sayActivity(context, { ...own, state: context.state ?? own.state })
  return answer
}

/** The same session where it is by now known to be: one whose disk was slow at its start would be near nobody for good. */
async function placed(context: HookContext, own: OwnSession): Promise<OwnSession> {
  if (!(await canPlace(context, own.state))) return own
  const again = await register(context)
  return again === undefined ? own : { ...again, state: { ...again.state, wokenWith: own.state.wokenWith } }
}

/** Where it begins to work, and with which head. */
async function beginToObserve(context: HookContext): Promise<void> {
  const { event, hooks, key } = context
  const place = event.cwd?.startsWith('/') === true ? await hooks.places.find(event.cwd, key) : undefined
  if (place?.checkout !== undefined) await hooks.observer.begin(context, place.checkout.gitDir)
}

/** As these are on the disk now, the session knows them. */
async function noteFiles(
  context: HookContext,
  { edits, reads }: { readonly edits: readonly LocatedFile[]; readonly reads: readonly LocatedFile[] },
): Promise<void> {
  await context.hooks.observer.note(context, edits, 'written')
  await context.hooks.observer.note(context, reads, 'read')
}

function seekerOf({ event, hooks, key }: HookContext): Seeker {
  return { places: hooks.places, session: key, cwd: event.cwd }
}

function canShow({ event }: HookContext): boolean {
  const { shows, mute } = event.runtime
  return shows.includes(event.name) && mute?.includes(event.wireName) !== true
}
