/**
 * `agentd_send`: the verbs of the memo that say something, folded into one tool by kind.
 *
 * @see memo §9, AC-172; docs/http.md §8
 */
import { AgentdError } from '../../core/errors.ts'
import * as z from 'zod'
import type { AgentdSession, VerbName, VerbResult } from '../../client/index.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { TASK_INTENT } from '../../aee/intents/agent.ts'
import { answerTask, isEntityRecipient, sendTask, type SentTask } from './entity-mail.ts'
import { REACHED_OUTPUT, isUnheard, reachedFacts } from './reached.ts'
import { takeOverAs } from './takeover.ts'
import { Text, tool, type Facts, type Tool } from '../session/tool.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { UuidV4 } from '../../protocol/fields.ts'

/** A verb, and which of its arguments the folded ones stand for. */
interface Fold {
  readonly verb: VerbName
  readonly text?: string
  readonly id?: string
  /** What the id stands for besides, where it may be that of a question. */
  readonly question?: string
  readonly refs?: string
}

/** Kind → its verb. Further arguments of a verb go into `extra` under their own names. */
const FOLDS = {
  advise: { verb: 'agent_advise', text: 'text', refs: 'file_refs' },
  broadcast: { verb: 'agent_broadcast', text: 'text', refs: 'refs' },
  handover: { verb: 'agent_handover', text: 'body', refs: 'pointer_refs' },
  respond: { verb: 'agent_respond', text: 'text', id: 'query_id' },
  return: { verb: 'agent_return', text: 'summary', id: 'return_event_ref', question: 'query_id' },
  decide: { verb: 'agent_decide', text: 'synopsis' },
  diagnose: { verb: 'agent_diagnose', text: 'symptom', refs: 'substrate_refs' },
  diagnose_respond: {
    verb: 'agent_diagnose_respond',
    text: 'finding',
    id: 'diagnostic_id',
    refs: 'substrate_refs',
  },
  intent_declare: { verb: 'intent_declare', id: 'payload_ref' },
  intent_withdraw: { verb: 'intent_withdraw', id: 'intent_ref' },
  flush_execute: { verb: 'flush_execute', id: 'result_ref', refs: 'batch_refs' },
} satisfies Readonly<Record<string, Fold>>

type FoldName = keyof typeof FOLDS

const FOLD_NAMES = Object.keys(FOLDS).filter((name): name is FoldName => Object.hasOwn(FOLDS, name))

/** Any object, left as it came: `z.record` would drop a member named `__proto__` that has to be refused (ACQ-40). */
const Extra = z.custom<Facts>(isJsonObject, 'must be an object').meta({ type: 'object' })

/** The arguments that one field each stands for. */
type Folded = 'text' | 'id' | 'refs'

/** The tool. */
export const sendTool: Tool = tool({
  name: 'agentd_send',
  description: [
    'Send to other sessions. kind: advise (what you do now), broadcast (what happened; extra.event_class',
    'merged|stale|released|other), handover (work for a later session), takeover (claims one and gives its text: id, or the newest here), respond (answers question id), return',
    '(outcome of event, question or task id; extra.code E_… when it failed), decide (a choice for the person; text is its synopsis; extra: findings[],',
    'recommendations[], offer, question{stem,options[{label,reasoning}],recommended_idx}), diagnose',
    '(extra.severity info|degraded|blocked), diagnose_respond (to diagnostic id), intent_declare, intent_withdraw,',
    'flush_execute (id is the ref; extra.convergence_class, and to declare: ttl, withdrawable).',
    'refs: files or links. to: a name of agentd_roster, an address, or a scope like ~alice/cc-*; default all; or an',
    'entity like agent.api, for which advise makes a task (extra.intent).',
  ].join(' '),
  input: {
    kind: z.enum([...FOLD_NAMES, 'takeover']),
    text: Text.optional(),
    id: Text.optional(),
    refs: z.array(Text).optional(),
    to: Text.optional(),
    extra: Extra.optional(),
  },
  output: {
    frame_id: { type: 'string' },
    ...REACHED_OUTPUT,
  },
  isReadOnly: false,
  isAlwaysLoaded: true,
  async run({ kind, to, extra = {}, text, id, refs }, call) {
    const { session } = call
    if (kind === 'takeover') return takeOverAs(call, id)
    if (to !== undefined && isEntityRecipient(to))
      return sendToEntity({ kind, to, extra, text, refs }, session)
    if (id !== undefined && ANSWERS_TASK.has(kind)) {
      const answered = await answerWithWords({ id, extra, text }, session)
      if (answered !== undefined) return answered
    }
    const fold: Fold = FOLDS[kind]
    const args = toVerbArguments(fold, { text, id, refs }, kind)
    const scope = to === undefined ? undefined : await session.scopeOf(to)
    try {
      const sent = await session.verb(fold.verb, {
        ...questionOf(fold, id),
        ...ownMembers(extra),
        ...args,
        recipient_scope: scope,
      })
      return toFacts(sent, kind === 'handover' ? HANDED_OVER : UNHEARD)
    } catch (error) {
      throw error instanceof AgentdError ? inOurWords(error, fold) : error
    }
  },
})

/** Kinds that answer, a frame's question as well as a task. */
const ANSWERS_TASK: ReadonlySet<string> = new Set(['respond', 'return'])

/** Kinds whose words are something to do for an entity. */
const MAKES_TASK: ReadonlySet<string> = new Set(['advise', 'broadcast', 'handover'])

/** @throws AgentdError `field-invalid` for a kind that is none of those */
async function sendToEntity(
  {
    kind,
    to,
    extra,
    text = '',
    refs,
  }: Words & { kind: string; to: string; refs: readonly string[] | undefined },
  session: AgentdSession,
): Promise<Facts> {
  if (!MAKES_TASK.has(kind)) {
    const message = `The kind ${kind} is for sessions; an entity is sent a task, with the kind advise.`
    throw new AgentdError('field-invalid', message, { field: 'to' })
  }
  const { intent = TASK_INTENT, ...more } = ownMembers(extra)
  if (typeof intent !== 'string') {
    throw new AgentdError('field-invalid', '"extra.intent" must be a string.', { field: 'extra.intent' })
  }
  const payload = { text, ...(refs !== undefined && { refs }), ...more }
  return toTaskFacts('task_id', await sendTask(session, { to, intent, payload, priority: 'normal' }))
}

/** @returns undefined when the id names no task */
async function answerWithWords(
  { id, extra, text = '' }: Words & { id: string },
  session: AgentdSession,
): Promise<Facts | undefined> {
  const { code, ...more } = ownMembers(extra)
  const answer = { payload: { text, ...more }, code: typeof code === 'string' ? code : undefined }
  const sent = await answerTask(session, id, answer)
  return sent === undefined ? undefined : toTaskFacts('result_id', sent)
}

function toTaskFacts(name: 'task_id' | 'result_id', sent: SentTask): Facts {
  const { task } = sent
  const isMissed = isUnheard(sent) && task.to !== SERVICE_ENTITY
  return {
    [name]: task.id,
    corr: task.corr,
    ...reachedFacts(sent),
    note: isMissed ? 'Nobody hears for it just now; it is in the history only.' : undefined,
  }
}

/** What is said in words, whatever it is said to. */
interface Words {
  readonly text?: string | undefined
  readonly extra: Facts
}

/** Spreading would hand a member named `__proto__` to the prototype; the daemon has to see and refuse it. */
function ownMembers(extra: Facts): Facts {
  return Object.fromEntries(Object.entries(extra))
}

/** @throws AgentdError `field-unknown` for a folded argument that the kind has no use for */
function toVerbArguments(fold: Fold, given: Readonly<Record<Folded, unknown>>, kind: string): Facts {
  const names = ['text', 'id', 'refs'] as const
  const pairs = names.flatMap((name) => {
    if (given[name] === undefined) return []
    const argument = fold[name]
    if (argument !== undefined) return [[argument, given[name]] as const]
    throw new AgentdError('field-unknown', `"${name}" is not a field of the kind ${kind}.`, { field: name })
  })
  return Object.fromEntries(pairs)
}

/** A question has a UUID, and ends with the return that names it so; an event may be called anything. */
function questionOf({ question }: Fold, id: string | undefined): Facts {
  return question !== undefined && UuidV4.safeParse(id).success ? { [question]: id } : {}
}

/** The daemon names the verb's argument; the caller knows it by another name. */
function inOurWords(error: AgentdError, fold: Fold): AgentdError {
  const { code, field, message, retryAfterMs } = error
  // Of the whole, whatever it is called.
  if (field === undefined || code === 'frame-too-large') return error
  const head = /^[^.[]*/.exec(field)?.[0] ?? ''
  const names = {
    [fold.text ?? '']: 'text',
    [fold.id ?? '']: 'id',
    [fold.refs ?? '']: 'refs',
    recipient_scope: 'to',
  }
  const own = (Object.hasOwn(names, head) ? names[head] : undefined) ?? `extra.${head}`
  const ours = `${own}${field.slice(head.length)}`
  return new AgentdError(code, message.replaceAll(`"${field}"`, `"${ours}"`), {
    field: ours,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause: error,
  })
}

/** What is said where nobody was reached; a handover is shown to whoever begins next (OP-25). */
const UNHEARD = 'No other session is there to read it; it is in the history only.'
const HANDED_OVER =
  'No other session is there to read it; one that starts later in your repository, or in one that refs point into, is shown it.'

function toFacts(sent: VerbResult, unheard: string): Facts {
  const { frameId, diagnosticId, near, warnings } = sent
  return {
    frame_id: frameId,
    ...reachedFacts(sent),
    diagnostic_id: diagnosticId,
    near: near.length === 0 ? undefined : near,
    warnings: warnings.length === 0 ? undefined : warnings,
    note: isUnheard(sent) ? unheard : undefined,
  }
}
