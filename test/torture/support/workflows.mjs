/**
 * Workflows of envelopes, and what a daemon has to say of them afterwards.
 */
import { SERVICE, makeWorkflow } from './envelopes.mjs'

/** Items of one page; several pages make one workflow, so that paging is part of it. */
const PAGE = 1_000

/**
 * Gives one envelope after the other, four of each task, for a publisher.
 *
 * @param options.corr - one workflow for all of them
 * @param options.resend - goes first: what was sent to an earlier daemon
 */
export function envelopeSource({ corr, resend = [], text }) {
  const waiting = [...resend]
  return () => {
    if (waiting.length === 0) waiting.push(...makeWorkflow({ corr, text }).map((one) => ({ ...one, corr })))
    return waiting.shift()
  }
}

/**
 * Every retained envelope of a workflow.
 *
 * @returns items as they came, each with `isText(text)`: whether its envelope is this text, byte for byte
 */
export async function readThread(request, socketPath, corr) {
  const items = []
  let after = ''
  while (after !== null) {
    const { status, body, text } = await request(socketPath, `/v1/threads/${corr}?limit=${PAGE}${after}`)
    if (status !== 200) throw new Error(`the thread answered ${status}: ${text.slice(0, 200)}`)
    let at = 0
    for (const item of body.items) {
      at = text.indexOf(`{"event_id":"${item.event_id}"`, at)
      const start = text.indexOf('"envelope":', at) + '"envelope":'.length
      items.push({
        ...item,
        isText: (own) => text.startsWith(own, start) && text[start + own.length] === '}',
      })
    }
    after = body.next === null ? null : `&after=${body.next}`
  }
  return items
}

/**
 * Holds a workflow against what was sent and answered.
 *
 * @param items - of {@link readThread}
 * @param acked - id → `{eventId, text, isLate, refutes}` of what was accepted
 * @param sent - as `acked`, of everything that was sent, answered or not
 * @returns how many are `missing`, `altered`, `strange` (nobody sent them), `misjudged` (late, refuted or their
 *   priority is another than was answered) and `misplaced` (before what they answer)
 */
export function compareThread(items, { acked, sent }) {
  const found = { missing: 0, altered: 0, strange: 0, misjudged: 0, misplaced: 0 }
  const places = new Map(items.map(({ envelope }, place) => [envelope.id, place]))
  const refuting = new Map()
  for (const { envelope } of items) {
    const refuted = sent.get(envelope.id)?.refutes
    if (refuted !== undefined) refuting.set(refuted, [...(refuting.get(refuted) ?? []), envelope.id])
  }
  for (const [place, item] of items.entries()) {
    const { id, from, reply_to: replyTo } = item.envelope
    if (places.get(replyTo) > place) found.misplaced += 1
    // The daemon's own answers were sent by nobody here.
    if (from === SERVICE) continue
    const own = sent.get(id)
    if (own === undefined) found.strange += 1
    else if (!item.isText(own.text)) found.altered += 1
    else if (isElsewhere(item.event_id, acked.get(id)?.eventId)) found.altered += 1
    else if (!isJudged(item, own, refuting.get(id) ?? [])) found.misjudged += 1
  }
  found.strange += items.length - places.size
  for (const id of acked.keys()) if (!places.has(id)) found.missing += 1
  return found
}

/** Whether something has another number than it was given; in another epoch it may. */
function isElsewhere(eventId, promised = eventId) {
  return eventId !== promised && epochOf(eventId) === epochOf(promised)
}

function epochOf(eventId) {
  return eventId.split('-')[0]
}

function isJudged({ late, effective_priority: priority, refuted }, { isLate }, refuting) {
  const by = refuted.map(({ id }) => id)
  const isRefuted = by.length === refuting.length && refuting.every((id) => by.includes(id))
  return (
    late === isLate &&
    priority === 'normal' &&
    isRefuted &&
    refuted.every(({ reason }) => reason === 'torture')
  )
}
