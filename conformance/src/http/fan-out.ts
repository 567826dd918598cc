/**
 * A scene of sessions and submissions, played on a bus: who received what.
 */
import type { Answer } from '../adapter.ts'
import { isJsonObject, parseObject, readObjects, requireText, type JsonObject } from '../json.ts'
import type { Bus, Registered } from './bus.ts'
import type { Opened, Subscription } from './subscription.ts'

/** How long what was counted may take to arrive. */
export const MAX_ARRIVAL_MS = 2_000

/** How long it is listened for what should not arrive. */
const SETTLE_MS = 25

interface Seat {
  readonly subscription: Subscription
  readonly registered: Registered | undefined
}

/** Plays a scene. @param probe - a new frame to everybody */
export async function playScene(bus: Bus, scene: JsonObject, probe: () => string): Promise<Answer> {
  await bus.untilQuiet(probe)
  const submissions = readObjects(scene, 'submit')
  const senders = new Set(submissions.map((submission) => submission['as']))
  const seats = new Map<string, Seat>()
  try {
    for (const session of readObjects(scene, 'sessions')) {
      const name = requireText(session, 'name')
      const seat = await takeSeat(bus, session, senders.has(name))
      if ('refusal' in seat) return seat.refusal
      seats.set(name, seat)
    }
    const results: Answer[] = []
    for (const submission of submissions) results.push(await submit(bus, submission, seats))
    await settle(seats, results)
    const received = [...seats].map(([name, { subscription }]) => [name, framesOf(subscription)])
    return { ok: true, results, received: Object.fromEntries(received) }
  } finally {
    for (const { subscription, registered } of seats.values()) {
      subscription.close()
      if (registered !== undefined) await bus.unregister(registered)
    }
  }
}

async function takeSeat(
  bus: Bus,
  session: JsonObject,
  isSender: boolean,
): Promise<Seat | { readonly refusal: Answer }> {
  const facts = textsOf(session, ['instrument', 'session_id', 'tool'])
  const registered = isSender ? await bus.register(facts) : undefined
  const query = { ...textsOf(session, ['filter']), ...(isSender ? {} : facts) }
  const { last_event_id: last } = textsOf(session, ['last_event_id'])
  const opened: Opened = await bus.openStream(new URLSearchParams(query), {
    ...(registered !== undefined && { authorization: `Bearer ${registered.token}` }),
    ...(last !== undefined && { 'last-event-id': last }),
  })
  if (opened.subscription === undefined) return { refusal: opened.refusal }
  return { subscription: opened.subscription, registered }
}

/** The members of these names that are strings. */
function textsOf(session: JsonObject, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = session[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function submit(bus: Bus, submission: JsonObject, seats: ReadonlyMap<string, Seat>): Promise<Answer> {
  const { as, scope, frame } = submission
  const token = seats.get(String(as))?.registered?.token
  return bus.submit(JSON.stringify(frame), scope, token)
}

/** Waits for as many frames as were counted, and a moment for those that were not. */
async function settle(seats: ReadonlyMap<string, Seat>, results: readonly Answer[]): Promise<void> {
  const counted = results.map(({ recipient_count: count }) => (typeof count === 'number' ? count : 0))
  const total = counted.reduce((sum, count) => sum + count, 0)
  const deadlineMs = Date.now() + MAX_ARRIVAL_MS
  const arrived = (): number =>
    [...seats.values()].reduce((sum, { subscription }) => sum + framesOf(subscription).length, 0)
  while (arrived() < total && Date.now() < deadlineMs) await pause()
  await pause()
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}

/** The frames that came over a stream; what else is said on it is the bus's own. */
function framesOf({ events }: Subscription): readonly JsonObject[] {
  return events.flatMap(({ event, data, id }) => {
    if (event !== 'message' && event !== 'agent_frame') return []
    const frame = readFrame(data)
    return frame === undefined ? [] : [{ id, frame }]
  })
}

function readFrame(data: string): JsonObject | undefined {
  try {
    const value = parseObject(data)
    return isJsonObject(value) && 'frame_id' in value ? value : undefined
  } catch {
    return undefined
  }
}
