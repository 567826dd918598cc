/** What the bridge of a link asks for and brings (docs/http.md §13). */
import { isUtf8 } from 'node:buffer'
import { AgentdError } from '../../../core/errors.ts'
import { MAX_LINK_BATCH_OCTETS, MAX_LINK_PRESENCE_OCTETS } from '../../../core/limits.ts'
import { unlessRefused } from '../../../core/thrown.ts'
import { decodeJson } from '../../../core/text/json.ts'
import {
  AcknowledgedRequest,
  ConditionRequest,
  DigestQuery,
  EstateRequest,
  FeedQuery,
  LinkPresenceRequest,
  RecordsHead,
  type DigestReply,
} from '../../../protocol/http/link-exchange.ts'
import { MEDIA_NDJSON } from '../../../protocol/http/media.ts'
import { requireShape } from '../../../protocol/refusal/refusal.ts'
import type { LinkPort } from '../../ports/link-port.ts'
import { json, type RouteAnswer } from '../../request/answer.ts'
import { readBody, type BodyBound } from '../../request/body.ts'
import { bodyOf, queryOf, type RequestContext } from '../../request/context.ts'
import { readUntilClosed, takeConnection } from '../stream.ts'

/** The first line and the batch behind it. */
const RECORDS_BODY: BodyBound = {
  maxOctets: MAX_LINK_BATCH_OCTETS,
  field: 'records',
  tooLarge: () => tooLarge('A batch', MAX_LINK_BATCH_OCTETS),
}

/** JSON may need a second octet for each of a text that is JSON itself. */
const PRESENCE_BODY: BodyBound = {
  maxOctets: 2 * MAX_LINK_PRESENCE_OCTETS,
  field: 'text',
  tooLarge: () => tooLarge('A presence', MAX_LINK_PRESENCE_OCTETS),
}

/** An estate of 64 KiB, escaped. */
const ESTATE_BODY: BodyBound = {
  maxOctets: 2 * 65_536 + 64,
  field: 'text',
  tooLarge: () => tooLarge('An estate', 65_536),
}

const DONE: RouteAnswer = { kind: 'empty', status: 204 }

export function getLinkState(context: RequestContext): RouteAnswer {
  return json(requireLink(context).state())
}

/** Every refusal comes before the first byte. */
export function openLinkFeed(context: RequestContext): RouteAnswer {
  const link = requireLink(context)
  const query = queryOf(context, FeedQuery)
  let sink: ReturnType<typeof takeConnection> | undefined
  // The head goes out with the first line, so that what is refused before can still be answered.
  const connection = (): NonNullable<typeof sink> => (sink ??= takeConnection(context, MEDIA_NDJSON))
  const reader = link.feed(query, {
    get backlogBytes() {
      return connection().backlogBytes
    },
    write: (chunks) => connection().write(chunks),
    end: (last) => connection().end(last),
  })
  return readUntilClosed(context, reader)
}

/** The batch is passed on as it came: what is signed is its octets. */
export async function submitRecords(context: RequestContext): Promise<RouteAnswer> {
  const link = requireLink(context)
  const bytes = await readBody(context, RECORDS_BODY)
  const end = bytes.indexOf(0x0a)
  const headLine = end === -1 ? bytes : bytes.subarray(0, end)
  const head = requireShape(RecordsHead, decodeJson(headLine, 'records'), 'records')
  const batch = end === -1 ? bytes.subarray(bytes.length) : bytes.subarray(end + 1)
  if (!isUtf8(batch))
    throw new AgentdError('field-invalid', '"records" is not valid UTF-8.', { field: 'records' })
  return json(await link.records(head, batch.toString()))
}

export async function notePresence(context: RequestContext): Promise<RouteAnswer> {
  const link = requireLink(context)
  const { others = [], ...presence } = await bodyOf(context, LinkPresenceRequest, PRESENCE_BODY)
  // A word that is nobody's is passed over, as if it had come alone.
  for (const other of others) unlessRefused(() => link.notePresence(other))
  link.notePresence(presence)
  return DONE
}

export async function noteEstate(context: RequestContext): Promise<RouteAnswer> {
  const link = requireLink(context)
  const { text } = await bodyOf(context, EstateRequest, ESTATE_BODY)
  return json(link.noteEstate(text))
}

export function getLinkDigest(context: RequestContext): RouteAnswer {
  const link = requireLink(context)
  const reply: DigestReply = link.digest(queryOf(context, DigestQuery).event_id)
  return json(reply)
}

export async function noteAcknowledged(context: RequestContext): Promise<RouteAnswer> {
  const link = requireLink(context)
  link.noteAcknowledged(await bodyOf(context, AcknowledgedRequest))
  return DONE
}

export async function noteCondition(context: RequestContext): Promise<RouteAnswer> {
  const link = requireLink(context)
  link.noteCondition(await bodyOf(context, ConditionRequest))
  return DONE
}

/** @throws AgentdError `unauthenticated` for anybody but the bridge of a link */
function requireLink({ links, token }: RequestContext): LinkPort {
  const link = token === undefined ? undefined : links.linkOf(token)
  if (link !== undefined) return link
  throw new AgentdError(
    'unauthenticated',
    'This path is for the bridge of a link, which the daemon starts itself.',
  )
}

function tooLarge(what: string, maxOctets: number): AgentdError {
  return new AgentdError('frame-too-large', `${what} is at most ${maxOctets} octets long.`, {
    field: 'records',
  })
}
