/**
 * `agentd hook`: from the bytes a runtime sends to the bytes it gets.
 *
 * @see docs/runtimes.md §10
 */
import type { Environment } from '../../host/config/paths.ts'
import { act, type LoadRest } from './act.ts'
import { HookContext, type HookPlace } from '../session/context.ts'
import { readEvent, type HookEvent } from '../events/event.ts'
import { parseMembers } from '../events/members.ts'
import { EVENT_NAMES, RUNTIMES, findRuntime } from '../catalogue.ts'
import { findOrigin } from '../events/origin.ts'
import type { HookEnd } from '../session/hook-trace.ts'
import type { HookAnswer } from '../events/answer.ts'
import { renderAnswer } from '../events/render.ts'

/** What a hook has to say, and what there is to do once it has been said. */
export interface HookOutcome {
  /** What is said, or why nothing is. */
  readonly end: HookEnd
  /** One line of JSON; undefined for nothing. */
  readonly text: string | undefined
  /** When all of it was written. */
  readonly settle: () => Promise<void>
  /** In any case. */
  readonly release: () => void
}

/**
 * Reads the payload; whatever it is, this does not throw.
 *
 * @param hint - the runtime on the command line
 */
export function readPayload(
  text: string,
  hint: string | undefined,
  environment: Environment,
): HookEvent | undefined {
  const payload = parseMembers(text)
  if (payload === undefined) return undefined
  const { env } = environment
  const runtime = findOrigin(payload, { runtimes: RUNTIMES, hint: findRuntime(hint), env })
  return runtime && readEvent(payload, runtime, EVENT_NAMES)
}

/** @throws Unreached, and whatever is wrong with this machine: the hook then says nothing */
export async function answerEvent(
  event: HookEvent,
  place: HookPlace,
  loadRest: LoadRest,
): Promise<HookOutcome> {
  place.trace?.of(event)
  const context = new HookContext(place, event)
  const answer = await act(context, loadRest)
  const output = renderAnswer(event, answer)
  const isMute = output === undefined && SAYINGS.some((saying) => answer[saying])
  return {
    end: endOf(answer, isMute),
    text: output === undefined ? undefined : `${JSON.stringify(output)}\n`,
    // What this runtime has no words for was not said.
    settle: async () => (isMute ? undefined : answer.settle?.()),
    release: () => {
      answer.release?.()
      context.link.close()
    },
  }
}

const SAYINGS = ['context', 'denial', 'continuation'] as const

function endOf(answer: HookAnswer, isMute: boolean): HookEnd {
  if (isMute) return { silent: 'no-words' }
  const said = SAYINGS.filter((saying) => answer[saying])
  return said.length > 0 ? { said } : { silent: answer.why ?? 'nothing-new' }
}
