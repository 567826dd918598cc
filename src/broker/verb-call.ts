/** A verb called: the frame is composed for its caller and submitted (docs/http.md §8, AC-172). */
import type { Clock } from '../core/clock.ts'
import { composeFrame } from '../protocol/frame/compose.ts'
import { redactPayload } from '../protocol/frame/redaction.ts'
import { parseSubmission } from '../protocol/frame/submission.ts'
import { formatScope, readScope, scopeHandle, type Scope } from '../protocol/address/scope.ts'
import type { SubmissionReply, VerbReply } from '../protocol/http/frame-replies.ts'
import { requireShape } from '../protocol/refusal/refusal.ts'
import { CommonArguments, type Arguments, type Verb, type VerbContext } from '../protocol/verb/row.ts'
import { VERBS } from '../protocol/verb/verbs.ts'
import type { Broker } from './broker.ts'
import { authorOf, callerHandle, type Caller } from './session/caller.ts'
import { OWN_WORK } from './ring/background.ts'
import { answered } from './submit/answered.ts'

/** Who calls a verb, and where. */
export interface VerbCall {
  readonly broker: Broker
  readonly caller: Caller
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The session id of a caller that has none: a shell, a script. */
const SHELL_SESSION_ID = 'shell'

/**
 * @param body - its arguments, still to be checked
 * @throws AgentdError as `POST /v1/verbs/{verb}` refuses
 */
export async function callVerb(call: VerbCall, verb: Verb, body: unknown): Promise<VerbReply> {
  const { broker, caller, clock } = call
  const args = requireShape(verb.args, body, 'body')
  const common = requireShape(CommonArguments, args, 'body')
  const author = authorOf(caller, common.drafted_with)
  const responseScope = verb === VERBS.agent_respond ? await findResponseScope(broker, args) : undefined
  const asked = common.recipient_scope === undefined ? undefined : readScope(common.recipient_scope)
  const draft = verb.compose(args, verbContext(call, { ...author, responseScope, asked }))
  const { payload, warnings } = redactPayload(draft.kind, draft.payload, common.redact)
  const recipientScope = common.recipient_scope ?? draft.scope
  const frame = composeFrame(
    {
      kind: draft.kind,
      payload,
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
  const told = warnings.length > 0 && { warnings: [...(reply.warnings ?? []), ...warnings] }
  return { ...reply, frame: submission.frame, ...draft.ids, ...told }
}

/** Where an answer goes: as the question says, or to the session that asked for a decision (W-7). */
async function findResponseScope(broker: Broker, { query_id: id }: Arguments): Promise<string | undefined> {
  if (typeof id !== 'string') return undefined
  const known = broker.queries.responseScopeOf(id)
  if (known !== undefined) return known
  await broker.receipts.recall(id, OWN_WORK)
  const asked = broker.receipts.find(id)
  return asked?.kind === 'agent_binding_moment' ? asked.senderAddress : undefined
}

function verbContext(
  call: VerbCall,
  {
    asked,
    draftedWith,
    responseScope,
  }: Pick<VerbContext, 'draftedWith' | 'responseScope'> & { readonly asked: Scope | undefined },
): VerbContext {
  const { caller, clock } = call
  return {
    actedBy: caller.principal,
    draftedWith,
    sessionId: caller.session?.sessionId ?? SHELL_SESSION_ID,
    ownScope: backUnderGrant(asked, call) ?? caller.session?.address ?? `${caller.principal}/*`,
    nowIso: new Date(clock.nowMs()).toISOString(),
    responseScope,
  }
}

/** Under a grant the answers come back to the side that asks, whose daemon knows which session that was (FED-58). */
function backUnderGrant(
  asked: Scope | undefined,
  { broker: { authority }, caller }: VerbCall,
): string | undefined {
  if (asked?.form !== 'accord') return undefined
  const found = authority.grantFor(asked, { actor: caller.principal, kind: 'agent_response' })
  return typeof found === 'string' ? undefined : formatScope({ ...asked, org: found.from })
}

/** The principal a scope names, so that a caller need not say it twice. */
function handleOf(recipientScope: string | undefined, caller: Caller): string {
  const scope = recipientScope === undefined ? undefined : readScope(recipientScope)
  return scope === undefined ? callerHandle(caller) : scopeHandle(scope)
}
