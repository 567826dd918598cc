/** Verbs: the daemon composes the frame (docs/http.md §8, AC-172). */
import { callerHandle } from '../../broker/session/caller.ts'
import { callVerb } from '../../broker/verb-call.ts'
import { AgentdError } from '../../core/errors.ts'
import { MAX_HANDOVER_OCTETS } from '../../core/limits.ts'
import { isJsonObject, textMember, textsOf } from '../../core/text/json-object.ts'
import { newSessionId } from '../../core/ids.ts'
import { VISITOR_INSTRUMENT } from '../../protocol/address/handle.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'
import { decodeJson, decodeText } from '../../core/text/json.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'
import type { SubscribeReply, VerbReply } from '../../protocol/http/frame-replies.ts'
import { MEDIA_FORM, MEDIA_JSON, MEDIA_TEXT, MEDIA_TEXT_UTF8 } from '../../protocol/http/media.ts'
import type { Verb } from '../../protocol/verb/row.ts'
import { decodeForm } from '../../protocol/verb/form.ts'
import { composeHead, textTooLarge } from '../../protocol/verb/kept-text.ts'
import { formatSentFrame, isPlaced, type SentFrame } from '../../protocol/verb/sent-line.ts'
import { READING_VERBS, VERBS, isVerb } from '../../protocol/verb/verbs.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { prefers } from '../request/accept.ts'
import { readBody, type BodyBound } from '../request/body.ts'
import { SMALL_BODY, paramOf, type RequestContext } from '../request/context.ts'
import { rosterOf } from './roster.ts'

/** An octet of a form may be written as three. */
const FORM_BODY: BodyBound = { ...SMALL_BODY, maxOctets: 3 * SMALL_BODY.maxOctets }

/** An octet of a text may be written as six in JSON, and a handover is larger than a frame (HO-07). */
const HANDOVER_BODY: BodyBound = {
  ...SMALL_BODY,
  maxOctets: 6 * MAX_HANDOVER_OCTETS + SMALL_BODY.maxOctets,
  tooLarge: textTooLarge,
}

export async function handleVerb(context: RequestContext): Promise<RouteAnswer> {
  const name = paramOf(context, 'verb')
  if (name === 'agent_roster') return roster(context)
  if (name === 'agent_subscribe') return subscribe(context)
  if (!isVerb(name)) {
    throw new AgentdError('not-found', `There is no verb "${name}"; see GET /v1/openapi.json.`, {
      field: 'verb',
    })
  }
  const verb = VERBS[name]
  const args = await argumentsOf(context, verb)
  const reply =
    name === 'agent_handover' ? await handOver(context, args) : await callVerb(context, verb, args)
  if (!prefers(context.request, MEDIA_TEXT, MEDIA_JSON)) return json(reply)
  return { kind: 'text', status: 200, text: formatSentFrame(sentFrameOf(reply)), mediaType: MEDIA_TEXT_UTF8 }
}

/**
 * A handover. What fits into no frame is kept beside one, where its sender wishes that: the frame has the beginning, and
 * points to the file (HO-07).
 */
async function handOver(context: RequestContext, args: unknown): Promise<VerbReply> {
  const verb = VERBS.agent_handover
  try {
    return await callVerb(context, verb, args)
  } catch (error) {
    const isTooLarge = error instanceof AgentdError && error.code === 'frame-too-large'
    if (!isTooLarge || !isJsonObject(args) || args['keep'] !== true) throw error
  }
  const words = requireShape(verb.args, args, 'body')
  const body = textMember(words, 'body') ?? ''
  const kept = await context.texts.keep(body)
  const { path, octets } = kept
  try {
    const head = { body: composeHead(body, kept), pointer_refs: [path, ...textsOf(words, 'pointer_refs')] }
    const reply = await callVerb(context, verb, { ...words, ...head })
    kept.settle(reply.frame_id)
    return { ...reply, kept: { path, octets } }
  } catch (error) {
    kept.discard()
    throw error
  }
}

/** What the command line tells of it, for who has no other way of reading an answer than printing it (OP-14). */
function sentFrameOf(reply: VerbReply): SentFrame {
  const {
    frame,
    recipient_count,
    queued_count,
    people_count,
    terminal_count,
    near = [],
    warnings = [],
    lease_id,
    kept,
    org,
    remote,
  } = reply
  return {
    kind: frame.kind,
    recipientCount: recipient_count,
    queuedCount: queued_count,
    peopleCount: people_count,
    terminalCount: terminal_count,
    org,
    remote,
    near: near.map(({ name }) => name),
    warnings: warnings.map(({ message }) => message),
    newLease: frame.kind === 'agent_lock_request' ? lease_id : undefined,
    kept,
    isPlaced:
      frame.kind === 'agent_handover'
        ? isPlaced(frame.payload.previous_session_id, frame.payload.pointer_refs)
        : undefined,
  }
}

/** The body as arguments: an object, a form, or for a verb of one text the text itself. */
async function argumentsOf(
  context: RequestContext,
  { shape, text: textArgument }: Pick<Verb, 'shape' | 'text'>,
): Promise<unknown> {
  const { mediaType } = context
  const bytes = await readBody(context, boundOf(mediaType, textArgument))
  if (mediaType === MEDIA_FORM) return decodeForm(bytes, shape)
  if (mediaType === MEDIA_JSON) return decodeJson(bytes, 'body')
  if (textArgument === undefined) {
    throw new AgentdError('media-type-unsupported', 'This verb takes several arguments; send them as JSON.', {
      field: 'content-type',
    })
  }
  return { [textArgument]: decodeText(bytes, textArgument) }
}

function boundOf(mediaType: string, textArgument: string | undefined): BodyBound {
  if (mediaType === MEDIA_FORM) return FORM_BODY
  return textArgument === VERBS.agent_handover.text ? HANDOVER_BODY : SMALL_BODY
}

/** No text of its own stands for its arguments. */
function reading({ shape }: Pick<Verb, 'shape'>): Pick<Verb, 'shape' | 'text'> {
  return { shape, text: undefined }
}

async function roster(context: RequestContext): Promise<RouteAnswer> {
  const args = await argumentsOf(context, reading(READING_VERBS.agent_roster))
  const query = requireShape(READING_VERBS.agent_roster, args, 'body')
  return json(rosterOf(context, callerHandle(context.caller), query))
}

/** Where to read: the caller's own stream, or that of a session made for the purpose. */
async function subscribe(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller } = context
  const args = await argumentsOf(context, reading(READING_VERBS.agent_subscribe))
  const { filter } = requireShape(READING_VERBS.agent_subscribe, args, 'body')
  parseFilter(filter)
  const made =
    caller.session === undefined
      ? broker.sessions.open(
          { instrument: VISITOR_INSTRUMENT, session_id: newSessionId() },
          undefined,
          undefined,
        )
      : undefined
  const session = caller.session ?? made?.session
  const reply: SubscribeReply = {
    url: `/v1/handles/${callerHandle(caller)}/stream${filter === '' ? '' : `?filter=${encodeURIComponent(filter)}`}`,
    address: session?.address ?? '',
    ...(made !== undefined && { token: made.token }),
  }
  return json(reply)
}
