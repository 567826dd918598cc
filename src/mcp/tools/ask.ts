/**
 * `agentd_ask`: a question, and its answers within a bound.
 *
 * @see memo §5 "agent_query", AC-069…AC-077; PD-01
 */
import * as z from 'zod'
import type { AgentResponse, AskResult } from '../../client/index.ts'
import { DEFAULT_ASK_SECONDS, MAX_ASK_ANSWERS, MAX_ASK_SECONDS, QUESTION_TTL_MS } from '../session/bounds.ts'
import { ToolFailure } from '../session/failure.ts'
import { PEER_NOTE } from './inbox.ts'
import { Text, tool, type Facts, type Tool } from '../session/tool.ts'

/** The tool. */
export const askTool: Tool = tool({
  name: 'agentd_ask',
  description:
    `Ask other sessions and wait for the first answer, or with all for everybody's. Fails at once when nobody is ` +
    'there. An answer after wait_s comes to the inbox.',
  input: {
    text: Text,
    to: Text.optional(),
    wait_s: z.int().min(1).max(MAX_ASK_SECONDS).default(DEFAULT_ASK_SECONDS),
    all: z.boolean().optional(),
  },
  output: {
    outcome: { enum: ['answered', 'deadline'] },
    answers: { type: 'array', items: { type: 'object' } },
    silent: { type: 'array', items: { type: 'string' } },
  },
  isReadOnly: false,
  run: ({ text, to, wait_s: seconds, all = false }, { asks, session, signal }) =>
    asks.run(async () => {
      const collect = all ? 'all' : 'first'
      const timeoutMs = seconds * 1_000
      // The question outlives the wait: who is idle reads it later, and the answer comes to the inbox.
      const result = await session.ask(text, { to, collect, timeoutMs, ttlMs: QUESTION_TTL_MS, signal })
      if (result.outcome === 'no-listener') throw unheard()
      const answers = result.responses.slice(0, MAX_ASK_ANSWERS)
      const eventIds = answers.map(({ eventId }) => eventId)
      if (eventIds.length > 0) await session.seen({ eventIds, via: 'mcp' })
      return toFacts(result, answers)
    }),
})

function toFacts(
  { outcome, queryId, recipients, responses }: AskResult,
  answers: readonly AgentResponse[],
): Facts {
  const heard = new Set(responses.map(({ from }) => from))
  return {
    outcome,
    query_id: queryId,
    answers: answers.map(({ from, text }) => ({ from, text })),
    silent: outcome === 'deadline' ? recipients.filter((address) => !heard.has(address)) : undefined,
    more_answers: responses.length > answers.length ? responses.length - answers.length : undefined,
    note: answers.length > 0 ? PEER_NOTE : undefined,
  }
}

function unheard(): ToolFailure {
  return new ToolFailure(
    'no-listener',
    'Nobody is there to hear the question; see agentd_roster. It waits for nobody.',
    'to',
  )
}
