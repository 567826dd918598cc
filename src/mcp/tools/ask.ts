/**
 * `agentd_ask`: a question, and its answers within a bound.
 *
 * @see memo §5 "agent_query", AC-069…AC-077; PD-01
 */
import * as z from 'zod'
import type { AgentResponse, AskResult } from '../../client/index.ts'
import { DEFAULT_ASK_SECONDS, MAX_ASK_ANSWERS, MAX_ASK_SECONDS, QUESTION_TTL_MS } from '../session/bounds.ts'
import { ToolFailure } from '../session/failure.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { ASK_INTENT } from '../../aee/intents/agent.ts'
import { awaitEnd, isEntityRecipient, sendTask } from './entity-mail.ts'
import { PEER_NOTE, wordsOf } from './inbox.ts'
import { findListeners } from './listeners.ts'
import { wordForeign } from '../../protocol/address/foreign.ts'
import { TERMINAL_INSTRUMENT } from '../../protocol/address/handle.ts'
import { awayWords, formatAddressees } from '../../protocol/verb/sent-line.ts'
import { isUnheard } from './reached.ts'
import { Text, tool, type Facts, type Tool, type ToolCall } from '../session/tool.ts'

/** The tool. */
export const askTool: Tool = tool({
  name: 'agentd_ask',
  description:
    `Ask other sessions (or an entity) and wait for the first answer, or with all for everybody's. Fails at once when ` +
    'nobody is there, or terminals alone and no to or people. An answer after wait_s comes to the inbox.',
  input: {
    text: Text,
    to: Text.optional(),
    wait_s: z.int().min(1).max(MAX_ASK_SECONDS).default(DEFAULT_ASK_SECONDS),
    all: z.boolean().optional(),
    people: z.boolean().optional(),
  },
  output: {
    outcome: { enum: ['answered', 'deadline', 'dismissed'] },
    answers: { type: 'array', items: { type: 'object' } },
    silent: { type: 'array', items: { type: 'string' } },
    reason: { type: 'string' },
  },
  isReadOnly: false,
  run: ({ text, to, wait_s: seconds, all = false, people = false }, call) =>
    call.asks.run(() => {
      const timeoutMs = seconds * 1_000
      if (to !== undefined && isEntityRecipient(to)) return askEntity({ text, to, timeoutMs }, call)
      const agentsOnly = !people && !(to !== undefined && namesPeople(to))
      return askSessions({ text, to, timeoutMs, collect: all ? 'all' : 'first', agentsOnly }, call)
    }),
})

const UNTAKEN =
  'agentd did not say in time that it took the question; agentd_roster tells whether it answers, and an answer that comes ' +
  'after all goes to the inbox.'

/** A question in words, and how long it is waited for, in milliseconds. */
interface Question {
  readonly text: string
  readonly timeoutMs: number
}

/** As of `agentd ask`: whoever names one session, or the terminals, means an answer from there. */
function namesPeople(to: string): boolean {
  return !to.startsWith('~') || to.includes('@') || to.includes(`/${TERMINAL_INSTRUMENT}`)
}

interface SessionQuestion extends Question {
  readonly to: string | undefined
  readonly collect: 'all' | 'first'
  /** Where terminals alone hear it, nobody is waited for. */
  readonly agentsOnly: boolean
}

async function askSessions(
  { text, to, timeoutMs, collect, agentsOnly }: SessionQuestion,
  { session, signal, hiddenFrom }: ToolCall,
): Promise<Facts> {
  const wished = to === undefined ? undefined : await session.scopeOf(to)
  const { only, others } = await findListeners(session, wished)
  // What is asked of one session alone may wake it (OP-28).
  const scope = only ?? wished
  // The question outlives the wait: who is idle reads it later, and the answer comes to the inbox.
  const wait = { collect, agentsOnly, timeoutMs, ttlMs: QUESTION_TTL_MS, signal }
  const result = await session.ask(text, { scope, ...wait })
  if (result.outcome === 'no-listener') {
    throw result.recipients.length > 0 ? onlyTerminals(result) : unheard(others, result.remote?.away)
  }
  if (!result.isTaken) throw new ToolFailure('unreachable', UNTAKEN)
  const { responses, dismissal } = result
  const isShown = ({ eventId }: { readonly eventId: string }): boolean => hiddenFrom(eventId) === undefined
  const own = responses.filter(isShown)
  const answers = own.slice(0, MAX_ASK_ANSWERS)
  const end = dismissal !== undefined && isShown(dismissal) ? [dismissal] : []
  const eventIds = [...answers, ...end].map(({ eventId }) => eventId)
  if (eventIds.length > 0) await session.seen({ eventIds, via: 'mcp' })
  const facts = toFacts(result, { answers, more: own.length - answers.length, reason: end[0]?.summary })
  const all = dismissal === undefined ? responses : [...responses, dismissal]
  return { ...facts, not_shown: wordHidden(all.map(({ eventId }) => hiddenFrom(eventId))) }
}

/** A question to an entity is a task, and its answer the end of that. */
async function askEntity(
  { text, to, timeoutMs }: Question & { to: string },
  { session, signal, clock, hiddenFrom }: ToolCall,
): Promise<Facts> {
  const words = { to, intent: ASK_INTENT, payload: { text }, priority: 'urgent', timeoutMs } as const
  const sent = await sendTask(session, words)
  const { task, remote } = sent
  const task_id = task.id
  if (isUnheard(sent) && to !== SERVICE_ENTITY) {
    throw unheard((await findListeners(session, undefined)).others, remote?.away)
  }
  const end = await awaitEnd(session, task, { clock, timeoutMs, signal })
  if (end === undefined) return { outcome: 'deadline', task_id, answers: [], silent: [to] }
  const other = hiddenFrom(end.eventId)
  if (other !== undefined)
    return { outcome: 'answered', task_id, answers: [], not_shown: wordHidden([other]) }
  await session.seen({ eventIds: [end.eventId], via: 'mcp' })
  const { from, type, payload } = end.envelope
  const answer = { from, ...(type === 'error' && { failed: true }), text: wordsOf(payload) }
  return { outcome: 'answered', task_id, answers: [answer], note: PEER_NOTE }
}

/** What is shown of what came. */
interface ShownAnswers {
  readonly answers: readonly AgentResponse[]
  /** How many there are besides. */
  readonly more: number
  /** Why no answer comes, in the words of whoever says so. */
  readonly reason: string | undefined
}

/** How much came of other principals, whose words are not shown (FED-64). */
function wordHidden(handles: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>()
  for (const handle of handles) if (handle !== undefined) counts.set(handle, (counts.get(handle) ?? 0) + 1)
  return wordForeign([...counts].map(([handle, count]) => ({ handle, count })))
}

function toFacts(
  { outcome, queryId, recipients, responses }: AskResult,
  { answers, more, reason }: ShownAnswers,
): Facts {
  const heard = new Set(responses.map(({ from }) => from))
  return {
    outcome,
    query_id: queryId,
    answers: answers.map(({ from, text }) => ({ from, text })),
    silent: outcome === 'deadline' ? recipients.filter((address) => !heard.has(address)) : undefined,
    // Whoever was asked says so: it is as much a peer's word as an answer is.
    reason,
    more_answers: more > 0 ? more : undefined,
    note: answers.length > 0 || reason !== undefined ? PEER_NOTE : undefined,
  }
}

/** The question is there all the same, and a person may answer it: into the inbox. */
function onlyTerminals({ recipients, remote }: AskResult): ToolFailure {
  const count = recipients.length
  const went = formatAddressees({ recipientCount: count, queuedCount: 0, terminalCount: count })
  return new ToolFailure(
    'no-listener',
    `The question went${went} and to no agent, so no answer is waited for${awayWords(remote?.away)}; one that comes goes ` +
      'to the inbox. With people: true a person is waited for.',
    'people',
  )
}

/**
 * @param others - whom a question would find
 * @param away - nodes that get it when the link is back
 */
function unheard(others: readonly string[], away?: readonly string[]): ToolFailure {
  const hint = others.length === 0 ? 'No other session is there' : `There is ${others.join(', ')}`
  return new ToolFailure(
    'no-listener',
    `Nobody is there to hear the question${awayWords(away)}. ${hint}; see agentd_roster.`,
    'to',
  )
}
