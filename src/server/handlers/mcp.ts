/**
 * MCP over one request (docs/http.md §10; OP-08): the lines go to whoever serves the tools, and come from there.
 */
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { SURROUNDINGS_HEADER } from '../../protocol/http/headers.ts'
import { McpQuery, decodeSurroundings } from '../../protocol/routes/mcp-routes.ts'
import { TAKEN, type RouteAnswer } from '../request/answer.ts'
import { queryOf, requirePrincipal, type RequestContext } from '../request/context.ts'
import { textHeader } from '../request/http-message.ts'
import { linger } from '../request/problem.ts'
import { TakenInTime } from '../request/taken-in-time.ts'

/** Every refusal comes before the head of the answer; behind it there is nothing but lines. */
export async function openMcp(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, charge, closing, mcp, request, response } = context
  requirePrincipal(context, 'Only the principal itself may open this')
  const { verbs } = queryOf(context, McpQuery)
  const surroundings = decodeSurroundings(textHeader(request, SURROUNDINGS_HEADER))
  const { serve, release } = await mcp.reserve()
  response.once('close', release)
  if (response.destroyed) {
    release()
    return TAKEN
  }
  response.writeHead(200, { 'content-type': MEDIA_NDJSON })
  response.flushHeaders()
  const output = new TakenInTime(response)
  const holds = (octets: number): void => charge.hold(octets + output.heldOctets)
  const { peerPid, principal } = caller
  const as = principal === broker.authority.principal ? undefined : principal
  const connection = { input: request, output, holds, closing, surroundings, verbs, as, peerPid }
  void serveAndEnd(context, () => serve(connection), output)
  return TAKEN
}

async function serveAndEnd(
  { request, response }: RequestContext,
  serve: () => Promise<void>,
  output: TakenInTime,
): Promise<void> {
  await serve()
  output.end()
  // What the other side still sends is nobody's any more.
  if (!request.complete) linger(response)
}
