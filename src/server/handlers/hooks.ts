/** Hooks of agent runtimes: events in, what is to be printed out (docs/http.md §12). */
import { AgentdError } from '../../core/errors.ts'
import { SURROUNDINGS_HEADER } from '../../protocol/http/headers.ts'
import type { HookReply } from '../../protocol/http/hook-exchange.ts'
import { HookQuery, HookWaitQuery } from '../../protocol/routes/hook-routes.ts'
import { MEDIA_JSON, MEDIA_TEXT } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { readBody, type BodyBound } from '../request/body.ts'
import { held, paramOf, queryOf, requirePrincipal, type RequestContext } from '../request/context.ts'
import { textHeader } from '../request/http-message.ts'
import type { HookPort } from '../ports/hook-port.ts'

/** Runtimes send whole files with their edits; beyond this they say nothing we need (OP-01). */
const MAX_PAYLOAD_OCTETS = 1_048_576

const PAYLOAD: BodyBound = {
  maxOctets: MAX_PAYLOAD_OCTETS,
  field: 'body',
  tooLarge: () =>
    new AgentdError('frame-too-large', `A payload may be at most ${MAX_PAYLOAD_OCTETS} octets long.`, {
      field: 'body',
    }),
}

export async function answerHook(context: RequestContext): Promise<RouteAnswer> {
  // First: who sends it may be gone when the desk has been loaded.
  const payload = await readBody(context, PAYLOAD)
  const { desk, runtime } = await deskOf(context)
  const reply = await desk.answer({
    runtime,
    payload,
    surroundings: textHeader(context.request, SURROUNDINGS_HEADER),
    peerPid: context.caller.peerPid,
  })
  return toAnswer(context, reply, MEDIA_JSON)
}

export async function waitHook(context: RequestContext): Promise<RouteAnswer> {
  const { desk, runtime } = await deskOf(context)
  const { session } = queryOf(context, HookWaitQuery)
  return held(context, (answer) =>
    desk.wait(runtime, session, (reply) => answer(toAnswer(context, reply, MEDIA_TEXT))),
  )
}

export async function getHook(context: RequestContext): Promise<RouteAnswer> {
  const { desk, runtime } = await deskOf(context)
  return json(desk.status(runtime, queryOf(context, HookQuery).session))
}

/**
 * A hook speaks for whichever session its payload names, so it is the person's: a session with its own token would get,
 * and could become, every other one (HD-23).
 *
 * @throws AgentdError `scope-unauthorised` for a token, `not-found`, field `runtime`
 */
async function deskOf(context: RequestContext): Promise<{ desk: HookPort; runtime: string }> {
  requirePrincipal(context, 'Hooks speak for the principal itself')
  const runtime = paramOf(context, 'runtime')
  const desk = await context.hooks()
  if (desk.knows(runtime)) return { desk, runtime }
  throw new AgentdError('not-found', 'There is no runtime of this id; "agentd setup --help" names them.', {
    field: 'runtime',
  })
}

/** What was not written was not handed over. */
function toAnswer(
  { response }: RequestContext,
  reply: HookReply | undefined,
  mediaType: string,
): RouteAnswer {
  if (reply === undefined) return { kind: 'empty', status: 204 }
  if (response.destroyed) reply.givenUp()
  response.once('finish', () => (response.statusCode === 200 ? reply.written() : reply.givenUp()))
  response.once('close', () => reply.givenUp())
  return { kind: 'text', status: 200, text: reply.text, mediaType }
}
