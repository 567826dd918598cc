/**
 * The one-shot commands as data: which verb each one calls, and what it takes.
 *
 * Both ways through the command line read this one table: the short way (`fast.ts`), which has no parser but
 * its own, and commander. It loads nothing, and what it repeats of the protocol a test holds against it.
 *
 * @see docs/http.md §§8, 11
 */
import type { VerbArgument, VerbCommand, VerbFlag } from './verb-command.ts'

/** Whom a frame is for: as a person calls a session, or as the wire does. One of them at the most. */
const WHOM: readonly VerbFlag[] = [
  {
    name: 'to',
    value: 'session',
    form: 'text',
    member: 'recipient_scope',
    says: 'who gets it: a name of "agentd roster", or a beginning of it or of an id that no other has',
  },
  {
    name: 'scope',
    value: 'scope',
    form: 'text',
    member: 'recipient_scope',
    says: 'who gets it: ~alice, ~alice/cc-*, ~alice/cc-opus@s1 (default: all your sessions)',
  },
]

const FILE: VerbFlag = { name: 'file', value: 'path', form: 'file', says: 'read the content from a file' }

const KINDS =
  'agent_advisory agent_broadcast agent_handover agent_lock_request agent_lock_release agent_lease_extend ' +
  'agent_query agent_response agent_return_event agent_binding_moment peer_diagnostic_request ' +
  'peer_diagnostic_response intent_declare intent_withdraw flush_executed'

const LEASE: VerbArgument = {
  name: 'lease',
  form: 'lease',
  member: 'lease_id',
  says: 'what the lease is on, as "agentd locks" shows it, or its id, or a beginning of that',
}

/** Command → what it calls and takes. */
export const VERB_COMMANDS = {
  send: {
    verb: 'agent_send',
    group: 'tell',
    says: 'Send a frame of any kind',
    example: `agentd send --kind agent_return_event '{"return_event_ref":"run/41","summary":"green"}'`,
    args: [
      {
        name: 'payload',
        form: 'json',
        member: 'payload',
        optional: true,
        says: 'the payload as JSON; - reads stdin',
      },
    ],
    flags: [
      {
        name: 'kind',
        value: 'kind',
        form: 'kind',
        member: 'kind',
        choices: KINDS.split(' '),
        required: true,
        says: 'one of the fifteen kinds, also without agent_ or peer_',
      },
      ...WHOM,
      FILE,
      {
        name: 'wait',
        value: 'state',
        form: 'choice',
        choices: ['seen', 'all'],
        says: 'wait until one recipient has seen it, or all of them',
      },
      { name: 'timeout', value: 'duration', form: 'duration', says: 'how long to wait (default: 30s)' },
      {
        name: 'no-redact',
        form: 'off',
        member: 'redact',
        says: 'send a symptom, finding or remediation with the secrets in it',
      },
    ],
    slow: ['wait', 'timeout', 'no-redact'],
  },
  advise: {
    verb: 'agent_advise',
    group: 'tell',
    says: 'Say what you are doing',
    example: 'agentd advise "rewriting the token refresh" --file-ref src/auth.ts',
    args: [{ name: 'text', form: 'content', member: 'text', says: 'what you are doing; - reads stdin' }],
    flags: [
      {
        name: 'file-ref',
        value: 'path',
        form: 'texts',
        member: 'file_refs',
        says: 'a file it is about; may be repeated',
      },
      { name: 'branch', value: 'name', form: 'text', member: 'branch', says: 'the branch you are on' },
      { name: 'worktree', value: 'path', form: 'text', member: 'worktree', says: 'the worktree you are in' },
      ...WHOM,
    ],
  },
  broadcast: {
    verb: 'agent_broadcast',
    group: 'tell',
    says: 'Say what has happened',
    example: 'agentd broadcast "feature/login is on main" --class merged',
    args: [{ name: 'text', form: 'content', member: 'text', says: 'what has happened; - reads stdin' }],
    flags: [
      {
        name: 'class',
        value: 'class',
        form: 'choice',
        member: 'event_class',
        choices: ['merged', 'stale', 'released', 'other'],
        says: 'what sort of event it is (default: other)',
      },
      {
        name: 'ref',
        value: 'ref',
        form: 'texts',
        member: 'refs',
        says: 'what it refers to; may be repeated',
      },
      ...WHOM,
    ],
  },
  handover: {
    verb: 'agent_handover',
    group: 'tell',
    says: 'Leave work to a later session',
    example: 'agentd handover "refresh() is red on purpose, see line 80" --pointer src/auth.ts',
    args: [
      {
        name: 'text',
        form: 'content',
        member: 'body',
        optional: true,
        says: 'where the work stands; - reads stdin',
      },
    ],
    flags: [
      { ...FILE, keeps: true, says: 'read it from a file; what fits into no frame is kept, up to 1 MiB' },
      {
        name: 'pointer',
        value: 'path',
        form: 'places',
        member: 'pointer_refs',
        orHere: true,
        says: 'where to look, beside the work tree you are in; may be repeated',
      },
      {
        name: 'next-session',
        value: 'id',
        form: 'text',
        member: 'next_session_id',
        says: 'the session that is to take over',
      },
      ...WHOM,
    ],
  },
  respond: {
    verb: 'agent_respond',
    group: 'ask',
    says: 'Answer a question',
    example: 'agentd respond 4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c "I am, until noon"',
    args: [
      {
        name: 'query',
        form: 'need',
        member: 'query_id',
        says: 'the query id the question came with, or a beginning of it as "agentd needs" shows it',
      },
      { name: 'text', form: 'content', member: 'text', says: 'the answer; - reads stdin' },
    ],
    flags: WHOM,
  },
  lock: {
    verb: 'agent_lock_acquire',
    group: 'files',
    says: 'Announce that you are at work on something; says who announced it already',
    example:
      'agentd lock src/auth.ts --ttl 10m --intent "moving the session code"\n' +
      '         agentd lock package.json -- npm update',
    tells: true,
    args: [{ name: 'resource', form: 'text', member: 'resource', says: 'what you are at work on' }],
    flags: [
      {
        name: 'ttl',
        value: 'duration',
        form: 'duration',
        member: 'ttl_ms',
        says: 'how long the lease lasts (default: 5m)',
      },
      { name: 'intent', value: 'text', form: 'text', member: 'intent', says: 'what you are going to do' },
      ...WHOM,
    ],
  },
  unlock: {
    verb: 'agent_lock_release',
    group: 'files',
    says: 'Announce that a lease is over',
    example: 'agentd unlock src/auth.ts',
    tells: true,
    args: [LEASE],
    flags: WHOM,
  },
  extend: {
    verb: 'agent_lease_extend',
    group: 'files',
    says: 'Announce that a lease lasts longer',
    example: 'agentd extend src/auth.ts --by 10m',
    tells: true,
    args: [LEASE],
    flags: [
      {
        name: 'by',
        value: 'duration',
        form: 'duration',
        member: 'additional_ttl_ms',
        says: 'how much longer (default: 5m)',
      },
      ...WHOM,
    ],
  },
} satisfies Readonly<Record<string, VerbCommand>>

/** A one-shot command's name. */
export type VerbCommandName = keyof typeof VERB_COMMANDS

/** Whether a word names a one-shot command; `__proto__` and its kin do not. */
export function isVerbCommand(word: string): word is VerbCommandName {
  return Object.hasOwn(VERB_COMMANDS, word)
}
