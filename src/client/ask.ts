/**
 * Asking: subscribes first, then asks, and knows when nobody listens, or that no answer comes.
 *
 * @see memo §5 "agent_query", "agent_return_event"; PD-01, SEAT-12
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import { pause, toError } from './http/backoff.ts'
import { Question, type AskOptions, type Asker } from './question.ts'
import type { AskResult } from './reply/ask-results.ts'
import type { AgentdStream } from './stream/stream.ts'

/** A collection window when nobody says otherwise, as of the daemon's own verb. */
const DEFAULT_TIMEOUT_MS = 60_000

/**
 * The least time that putting a question may take, in milliseconds: who waits for answers but shortly has asked all the same
 * when the machine is busy.
 */
const LEAST_PUT_MS = 5_000

/** How often it is looked at whom other nodes gave a question to, in milliseconds, while answers of all are waited for. */
const LOOK_AGAIN_MS = 500

/** What answers a question, and what says that no answer comes; a filter admits one kind. */
const REPLY_KINDS = ['agent_response', 'agent_return_event'] as const

/** The time is over; never leaves this file. */
class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/**
 * The time for answers begins when the daemon has the question, and who it reached is known.
 *
 * @throws AgentdError when the question is refused, or the signal's reason
 */
export async function ask(asker: Asker, text: string, options: AskOptions): Promise<AskResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const bound = new AbortController()
  const over = new AbortController()
  const abort = (): void => bound.abort(toError(signal?.reason))
  const pass = (): void => bound.abort(new DeadlinePassed())
  let deadline = asker.clock.after(Math.max(timeoutMs, LEAST_PUT_MS), pass)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort)
  const { streams, address } = asker.openReplies(REPLY_KINDS, { aside: true, signal: bound.signal })
  const question = new Question(asker, address, options)
  try {
    await Promise.all(streams.map((stream) => stream.opened))
    await question.put(text, timeoutMs, bound.signal)
    if (question.isUnheard) return question.result('no-listener')
    deadline.cancel()
    deadline = asker.clock.after(timeoutMs, pass)
    const answered = streams.map((stream) => takeAll(stream, question, bound.signal))
    const learning = AbortSignal.any([bound.signal, over.signal])
    const learned = question.awaitsReports ? [learnOn(question, asker.clock, learning)] : []
    await Promise.race([...answered, ...learned])
    return question.result(question.outcome)
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error
    return question.result(question.outcome)
  } finally {
    deadline.cancel()
    over.abort()
    signal?.removeEventListener('abort', abort)
    await Promise.all(streams.map((stream) => stream.return()))
  }
}

/** Other nodes report whom they gave the question to while it is answered; it is looked at again until nothing more is waited for. */
async function learnOn(question: Question, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!question.isOver) {
    await pause(clock, LOOK_AGAIN_MS, signal)
    await question.learnRecipients(signal)
  }
}

/** Takes what comes until nothing more is waited for. */
async function takeAll(stream: AgentdStream, question: Question, signal: AbortSignal): Promise<void> {
  for await (const item of stream) {
    // Another node reports whom it gave the question to before it passes on an answer.
    if (question.isFromStranger(item)) await question.learnRecipients(signal)
    question.take(item)
    // An answer that was sent before is there already, on the other stream: it is read within this turn of the loop.
    if (question.isDismissed) await turn()
    if (question.isOver) return
  }
}
