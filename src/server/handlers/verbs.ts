/** Verbs: the daemon composes the frame (docs/http.md §8, AC-172). */
import { authorOf, callerHandle, type Caller } from '../../broker/session/caller.ts'
import { AgentdError } from '../../core/errors.ts'
import { newSessionId } from '../../core/ids.ts'
import { composeFrame } from '../../protocol/frame/compose.ts'
import { VISITOR_INSTRUMENT } from '../../protocol/address/handle.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'
import { decodeJson, decodeText } from '../../core/text/json.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'
import type { SubscribeReply, VerbReply, SubmissionReply } from '../../protocol/http/frame-replies.ts'
import { MEDIA_FORM, MEDIA_JSON, MEDIA_TEXT, MEDIA_TEXT_UTF8 } from '../../protocol/http/media.ts'
import { readScope, scopeHandle } from '../../protocol/address/scope.ts'
import { parseSubmission } from '../../protocol/frame/submission.ts'
import { CommonArguments, type Verb, type VerbContext } from '../../protocol/verb/row.ts'
import { decodeForm } from '../../protocol/verb/form.ts'
import { formatSentFrame, type SentFrame } from '../../protocol/verb/sent-line.ts'
import { READING_VERBS, VERBS, isVerb } from '../../protocol/verb/verbs.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { prefers } from '../request/accept.ts'
import { readBody, type BodyBound } from '../request/body.ts'
import { SMALL_BODY, paramOf, type RequestContext } from '../request/context.ts'
import { answered } from './submission.ts'
import { rosterOf } from './roster.ts'

/** The session id of a caller that has none: a shell, a script, a hook. */
const SHELL_SESSION_ID = 'shell'

/** An octet of a form may be written as three. */
const FORM_BODY: BodyBound = { ...SMALL_BODY, maxOctets: 3 * SMALL_BODY.maxOctets }

export async function handleVerb(context: RequestContext): Promise<RouteAnswer> {
  const name = paramOf(context, 'verb')
  if (name === 'agent_roster') return roster(context)
  if (name === 'agent_subscribe') return subscribe(context)
  if (!isVerb(name)) {
    throw new AgentdError('not-found', `There is no verb "${name}"; see GET /v1/openapi.json.`, {
      field: 'verb',
    })
  }
  const reply = await send(context, VERBS[name])
  if (!prefers(context.request, MEDIA_TEXT, MEDIA_JSON)) return json(reply)
  return { kind: 'text', status: 200, text: formatSentFrame(sentFrameOf(reply)), mediaType: MEDIA_TEXT_UTF8 }
}

/** What the command line tells of it, for who has no other way of reading an answer than printing it (OP-14). */
function sentFrameOf({ frame, recipient_count, queued_count, near = [], lease_id }: VerbReply): SentFrame {
  return {
    kind: frame.kind,
    recipientCount: recipient_count,
    queuedCount: queued_count,
    near: near.map(({ name }) => name),
    newLease: frame.kind === 'agent_lock_request' ? lease_id : undefined,
  }
}

async function send(context: RequestContext, verb: Verb): Promise<VerbReply> {
  const { broker, caller, clock } = context
  const args = requireShape(verb.args, await argumentsOf(context, verb), 'body')
  const common = requireShape(CommonArguments, args, 'body')
  const author = authorOf(caller, common.drafted_with)
  const draft = verb.compose(args, verbContext(context, author.draftedWith))
  const recipientScope = common.recipient_scope ?? draft.scope
  const frame = composeFrame(
    {
      kind: draft.kind,
      payload: draft.payload,
      recipientHandle: common.recipient_handle ?? handleOf(recipientScope, caller),
      ttlMs: draft.ttlMs ?? common.ttl_ms,
      provenance: common.provenance,
    },
    author,
    clock.nowMs(),
  )
  const wrapper = { frame, ...(recipientScope !== undefined && { recipient_scope: recipientScope }) }
  const submission = parseSubmission(wrapper, { nowMs: broker.plausibleAroundMs })
  const reply = await answered<SubmissionReply>((respond) => broker.submit(submission, caller, respond))
  return { ...reply, frame: submission.frame, ...draft.ids }
}

/** The body as arguments: an object, a form, or for a verb of one text the text itself. */
async function argumentsOf(
  context: RequestContext,
  { shape, text: textArgument }: Pick<Verb, 'shape' | 'text'>,
): Promise<unknown> {
  const { mediaType } = context
  const bytes = await readBody(context, mediaType === MEDIA_FORM ? FORM_BODY : SMALL_BODY)
  if (mediaType === MEDIA_FORM) return decodeForm(bytes, shape)
  if (mediaType === MEDIA_JSON) return decodeJson(bytes, 'body')
  if (textArgument === undefined) {
    throw new AgentdError('media-type-unsupported', 'This verb takes several arguments; send them as JSON.', {
      field: 'content-type',
    })
  }
  return { [textArgument]: decodeText(bytes, textArgument) }
}

function verbContext({ broker, caller, clock }: RequestContext, draftedWith: string): VerbContext {
  return {
    actedBy: caller.principal,
    draftedWith,
    sessionId: caller.session?.sessionId ?? SHELL_SESSION_ID,
    ownScope: caller.session?.address ?? `${caller.principal}/*`,
    nowIso: new Date(clock.nowMs()).toISOString(),
    responseScopeOf: (queryId) => broker.responseScopeOf(queryId),
  }
}

/** The principal a scope names, so that a caller need not say it twice. */
function handleOf(recipientScope: string | undefined, caller: Caller): string {
  const scope = recipientScope === undefined ? undefined : readScope(recipientScope)
  return scope === undefined ? callerHandle(caller) : scopeHandle(scope)
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
