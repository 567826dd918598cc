/**
 * A task that is waited for: its parts as they come, and the exit code that its end is.
 *
 * @see AEE-024, AEE-031; design/wire.md §11
 */
import type { Key } from '../aee/key.ts'
import {
  EnvelopeTimeout,
  EnvelopeUnheard,
  type EnvelopeDraft,
  type EnvelopeItem,
  type EnvelopeRequest,
  type Participant,
} from '../client/index.ts'
import { safeBlock } from '../protocol/safe-text.ts'
import type { CommandContext } from './command-context.ts'
import { Countdown } from './countdown.ts'
import { withoutText } from './envelope-line.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { untilInterrupted } from './interrupt.ts'
import { reportTrouble } from './report.ts'
import { noteRemarks } from './tell-sent.ts'

/** A task, and who sends it. */
export interface WaitedTask {
  readonly participant: Participant
  readonly draft: EnvelopeDraft
  readonly sign: Key | undefined
  readonly timeoutMs: number | undefined
}

/** How long a task is waited for when nobody says otherwise, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 60_000

/** Sends the task and prints what comes of it. */
export function requestAndWait(waited: WaitedTask, context: CommandContext): Promise<ExitCode> {
  const { participant, draft, sign, timeoutMs } = waited
  return untilInterrupted(async (signal) => {
    const request = participant.request(draft, { sign, timeoutMs, signal })
    const countdown = new Countdown(context.output, timeoutMs ?? DEFAULT_TIMEOUT_MS)
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
  for await (const item of request) {
    countdown.clear()
    exit = show(item, context)
  }
  countdown.stop()
  if (request.leftOut > 0) output.note(`${request.leftOut} parts are not shown: they came too fast.`)
  noteRemarks(await request.sent, request.task.priority, output)
  return exit
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
    const message = `Nobody hears for "${error.to}" just now; the task is retained and nobody has it.`
    reportTrouble({ code: 'no-listener', message }, output.json)
    return EXIT.nobody
  }
  if (error instanceof EnvelopeTimeout) {
    reportTrouble({ code: 'deadline', message: `The time is over: ${error.message}` }, output.json)
    return EXIT.deadline
  }
  throw error
}
