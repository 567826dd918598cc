/**
 * Forgetting what is retained: here, and where that is asked for on the person's other machines.
 *
 * @see docs/http.md §5; AC-192, FED-33
 */
import { idOf } from '../../../broker/ingest/receipts.ts'
import { MAX_FORGOTTEN_EVERYWHERE } from '../../../broker/origins/origins.ts'
import type { Broker } from '../../../broker/broker.ts'
import type { RetainedPage } from '../../../broker/ring/history.ts'
import type { Retained } from '../../../broker/ring/retained.ts'
import { isDeleted, searchFor, type Deletion } from '../../../broker/ring/ring.ts'
import { AgentdError } from '../../../core/errors.ts'
import { MAX_HISTORY_ITEMS } from '../../../core/limits.ts'
import { readTimestampMs } from '../../../core/text/timestamp.ts'
import type { ForgetReply } from '../../../protocol/http/frame-replies.ts'
import { ForgetQuery } from '../../../protocol/http/requests.ts'
import { json, type RouteAnswer } from '../../request/answer.ts'
import {
  askerOf,
  queryOf,
  requirePlace,
  requirePrincipal,
  type RequestContext,
} from '../../request/context.ts'

/** Forgetting is for the person whose frames they are, not for an agent that would rather not be quoted (AC-192). */
export async function forgetFrames(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const query = queryOf(context, ForgetQuery)
  requirePrincipal(context, 'Only the principal itself may forget frames')
  const which = readDeletion(broker, query)
  const isEverywhere = query.everywhere !== undefined
  if (query.dry_run !== undefined) {
    const { count, elsewhere, upTo } = await findForgettable(context, which)
    if (isEverywhere) requireFew(elsewhere)
    return json({ forgotten: 0, up_to: upTo, would_forget: count, ...describeElsewhere(broker, elsewhere) })
  }
  if (!isEverywhere) return json({ forgotten: await broker.forget(which) })
  const { elsewhere, upToSeq } = await findForgettable(context, which)
  requireFew(elsewhere)
  const forgotten = await broker.forget({ ...which, upToSeq }, elsewhere.ids)
  return json({ forgotten, ...describeElsewhere(broker, elsewhere) })
}

function readDeletion(broker: Broker, query: ForgetQuery): Deletion {
  const { event_id, frame_id, corr, sender, kind, before, up_to } = query
  return {
    seq: event_id === undefined ? undefined : requirePlace(broker, event_id, 'event_id'),
    key: frame_id?.toLowerCase(),
    corr,
    senderHandle: sender,
    kind,
    beforeMs: before === undefined ? undefined : readTimestampMs(before),
    upToSeq: up_to === undefined ? undefined : requirePlace(broker, up_to, 'up_to'),
  }
}

/** What is retained now and would be forgotten: the same with `up_to` forgets these and no more. */
interface Forgettable {
  readonly count: number
  readonly upToSeq: number
  readonly upTo: string | null
  readonly elsewhere: Elsewhere
}

/** Those that the person's other machines have too. */
interface Elsewhere {
  readonly count: number
  /** As far as they are told of at once. */
  readonly ids: readonly string[]
}

async function findForgettable(context: RequestContext, which: Deletion): Promise<Forgettable> {
  const { broker } = context
  const { ring } = broker
  const { lastSeq } = ring
  const upToSeq = which.upToSeq ?? lastSeq
  const ids: string[] = []
  let [count, copied] = [0, 0]
  for await (const frames of forgettablePages(context, { ...which, upToSeq })) {
    count += frames.length
    const there = frames.filter((retained) => broker.others.isElsewhere(retained))
    copied += there.length
    ids.push(...there.slice(0, MAX_FORGOTTEN_EVERYWHERE - ids.length).map((retained) => idOf(retained)))
  }
  return {
    count,
    elsewhere: { count: copied, ids },
    upToSeq,
    upTo: lastSeq === 0 ? null : ring.eventId(upToSeq),
  }
}

/** Absent where the person has no other machine. */
function describeElsewhere({ others }: Broker, { count }: Elsewhere): Pick<ForgetReply, 'elsewhere'> {
  const own = others.ownNodes
  return own === undefined ? {} : { elsewhere: { items: count, nodes: [...own.nodes] } }
}

function requireFew({ count }: Elsewhere): void {
  if (count <= MAX_FORGOTTEN_EVERYWHERE) return
  throw new AgentdError(
    'field-invalid',
    `${count} items are too many to be forgotten everywhere; say which, so that it is ${MAX_FORGOTTEN_EVERYWHERE} at the most.`,
    { field: 'everywhere' },
  )
}

async function* forgettablePages(
  context: RequestContext,
  which: Deletion,
): AsyncGenerator<readonly Retained[]> {
  const { broker } = context
  const isOne = (retained: Retained): boolean => isDeleted(retained, which)
  if (which.seq !== undefined) {
    yield [broker.ring.get(which.seq)].filter((one) => one !== undefined).filter(isOne)
    return
  }
  const request = {
    limit: MAX_HISTORY_ITEMS,
    search: searchFor(which),
    asker: askerOf(context),
    admits: isOne,
  }
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
    const page: RetainedPage = await broker.readHistory({ ...request, afterSeq })
    yield page.frames
    afterSeq = page.nextSeq
  }
}
