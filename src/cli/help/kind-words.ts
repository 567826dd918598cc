/**
 * The fifteen kinds in words: for `agentd help kinds` and docs/frames.md.
 */
import type { Kind } from '../../protocol/frame/kinds.ts'
import { spokenKind } from '../../protocol/frame/spoken-kind.ts'

/** Kind → what it says, from its sender's mouth. */
const KIND_WORDS: Readonly<Record<Kind, string>> = {
  agent_advisory: 'what I am doing, in which files',
  agent_broadcast: 'what has happened: merged, stale, released',
  agent_handover: 'take this over, here is where it stands',
  agent_lock_request: 'I am at this for a while; nobody is forced',
  agent_lock_release: 'I am done with it',
  agent_lease_extend: 'it takes longer',
  agent_query: 'a question',
  agent_response: 'an answer to it',
  agent_return_event: 'what was asked or waited for has come back',
  agent_binding_moment: 'a decision to take: two to four options, a way out',
  peer_diagnostic_request: 'something is wrong here',
  peer_diagnostic_response: 'this is what I found',
  intent_declare: 'let us batch a costly effect',
  intent_withdraw: 'I no longer need it',
  flush_executed: 'it was done for all of us',
}

/** Kind, its short name where a filter takes one, and what it says. */
export const KIND_TABLE: readonly (readonly [string, string, string])[] = Object.entries(KIND_WORDS).map(
  ([kind, says]) => [kind, spokenKind(kind), says],
)
