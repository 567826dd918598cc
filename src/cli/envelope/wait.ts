/**
 * A task that is waited for: its parts as they come, and the exit code that its end is.
 *
 * @see AEE-024, AEE-031; docs/http.md §11
 */
import { isChannel } from '../../aee/envelope/entity.ts'
import type { Key } from '../../aee/keys/key.ts'
import {
  EnvelopeTimeout,
  EnvelopeUnheard,
  type EnvelopeDraft,
  type EnvelopeItem,
  type EnvelopeRequest,
  type Participant,
  type SentEnvelope,
} from '../../client/index.ts'
import { isTerminal } from '../../aee/thread/task-end.ts'
import { isEndOf } from '../../client/envelopes/reply-line.ts'
import { safeBlock, safeLine } from '../../core/text/safe-text.ts'
import { awayWords } from '../../protocol/verb/sent-line.ts'
import type { CommandContext } from '../run/command-context.ts'
import { Countdown } from '../terminal/countdown.ts'
import { withoutText } from '../items/envelope-line.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { untilInterrupted } from '../run/interrupt.ts'
import type { Output } from '../terminal/output.ts'
import { reportTrouble } from '../run/report.ts'
import { noteRemarks } from './tell-sent.ts'

/** A task, and who sends it. */
export interface WaitedTask {
  readonly participant: Participant
  readonly draft: EnvelopeDraft
  readonly sign: Key | undefined
  readonly timeoutMs: number | undefined
}

/** Sends the task and prints what comes of it. */
export function requestAndWait(waited: WaitedTask, context: CommandContext): Promise<ExitCode> {
  const { participant, draft, sign, timeoutMs } = waited
  return untilInterrupted(async (signal) => {
    const request = participant.request(draft, { sign, timeoutMs, signal })
    const countdown = new Countdown(context.output, request.timeoutMs)
    try {
      return await follow(request, countdown, context)
    } catch (error) {
      countdown.stop()
      return explain(error, context)
    } finally {
      countdown.stop()
    }
  }, EXIT.interrupted)
}

async function follow(
  request: EnvelopeRequest,
  countdown: Countdown,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context
  let exit: ExitCode = EXIT.done
  noteMailbox(request, countdown, output)
  for await (const item of request) {
    countdown.clear()
    if (isOfAnother(item, request)) tellOfAnother(item, request, output)
    else exit = show(item, context)
  }
  countdown.stop()
  if (request.leftOut > 0) output.note(`${request.leftOut} parts are not shown: they came too fast.`)
  noteRemarks(await request.sent, request.task.priority, output)
  return exit
}

/** Nobody has read the task yet: what is waited for may take until its recipient comes back. */
function noteMailbox(request: EnvelopeRequest, countdown: Countdown, output: Output): void {
  const tell = ({ recipientCount, queuedCount, remote }: SentEnvelope): void => {
    if (recipientCount + (remote?.sessions ?? 0) > 0 || queuedCount === 0) return
    countdown.clear()
    output.note(safeLine(`"${request.task.to}" is not listening just now; the task waits in a mailbox.`))
  }
  // Why it could not be sent, the waiting tells.
  request.sent.then(tell, () => {})
}

/** Whether somebody speaks under the task's id who was not asked. */
function isOfAnother({ envelope }: EnvelopeItem, { task }: EnvelopeRequest): boolean {
  return isTerminal(envelope) && !isEndOf(envelope, { task, acceptsDelegates: false })
}

/** Beside the matter: what stands on stdout is the word of whoever was asked. */
function tellOfAnother(item: EnvelopeItem, { task }: EnvelopeRequest, output: Output): void {
  const { from, type } = item.envelope
  output.data(withoutText(item))
  output.note(
    safeLine(
      `"${from}", who was not asked, said ${type === 'error' ? 'an error' : 'a result'} to the task; "${task.to}" was asked.`,
    ),
  )
}

/** @returns what the end of the task comes to; a part comes to nothing yet */
function show(item: EnvelopeItem, { output }: CommandContext): ExitCode {
  const { type, payload } = item.envelope
  output.data(withoutText(item))
  if (type !== 'error') {
    const isShort = type === 'stream' || output.quiet
    output.answer(safeBlock(JSON.stringify(payload, null, isShort ? undefined : 2)))
    return EXIT.done
  }
  if (!output.json) reportTrouble(readTrouble(payload), false)
  return EXIT.refused
}

/** What an error says of itself, where it says anything (AEE-029). */
function readTrouble(payload: Readonly<Record<string, unknown>>): { code: string; message: string } {
  const { code, message } = payload
  return {
    code: typeof code === 'string' ? code : 'error',
    message: typeof message === 'string' ? message : JSON.stringify(payload),
  }
}

function explain(error: unknown, { output }: CommandContext): ExitCode {
  if (error instanceof EnvelopeUnheard) {
    reportTrouble({ code: 'no-listener', message: describeUnheard(error) }, output.json)
    return EXIT.nobody
  }
  if (error instanceof EnvelopeTimeout) {
    reportTrouble({ code: 'deadline', message: `The time is over: ${error.message}` }, output.json)
    return EXIT.deadline
  }
  throw error
}

/**
 * Somebody has registered the name once, or the daemon would have refused it; at this moment nobody listens under
 * it, and no mailbox took the task.
 */
function describeUnheard({ to, away }: EnvelopeUnheard): string {
  if (isChannel(to))
    return `Nobody is listening to "${to}"${awayWords(away)}; the task is retained, and only a later replay finds it.`
  if (away.length > 0)
    return `"${to}" is known but not listening, and no mailbox keeps the task${awayWords(away)}; it is retained, and goes there when the link is back.`
  return `"${to}" is known but not listening, and no mailbox keeps the task; it is retained, and delivered when "${to}" reconnects with its cursor.`
}
