/**
 * What a hook has to say, before it is put in the words of one runtime.
 */

/** What is said, and what is to be done once it has been. */
export interface HookAnswer {
  /** To be shown to the model. */
  readonly context?: string | undefined
  /** Why the tool must not run. */
  readonly denial?: string | undefined
  /** Why the turn goes on. */
  readonly continuation?: string | undefined
  /** Runs when all of it has been written, and only then. */
  readonly settle?: (() => void) | undefined
  /** Why nothing is said; for who looks inside. */
  readonly why?: SilenceReason | undefined
}

/**
 * Why a hook says nothing.
 *
 * - `not-understood`: the payload is no event of a runtime
 * - `repeated`: the event was dealt with before
 * - `subagent`, `child`: a session within a session has no inbox
 * - `not-shown`: the runtime shows nothing at this event
 * - `unregistered`: there is no session, and none could be had
 * - `nothing-new`: there is nothing that was not shown before
 * - `nothing-urgent`, `over-budget`: what there is may wait, or the session was woken often enough
 * - `left-to-waiter`: something urgent waits, and whoever waits for the session wakes it with that
 * - `continuing`: the turn goes on already
 * - `no-words`: the runtime has none for the answer
 * - `out-of-time`: the answer would have come too late (OP-01)
 * - `busy`: too many events of the session, or of all, are under way (OP-11)
 */
export type SilenceReason =
  | 'not-understood'
  | 'repeated'
  | 'subagent'
  | 'child'
  | 'not-shown'
  | 'unregistered'
  | 'nothing-new'
  | 'nothing-urgent'
  | 'over-budget'
  | 'left-to-waiter'
  | 'continuing'
  | 'no-words'
  | 'out-of-time'
  | 'busy'

/** Nothing to say. */
export const SILENCE: HookAnswer = { why: 'nothing-new' }

/** Nothing to say, and why. */
export function silence(why: SilenceReason): HookAnswer {
  return { why }
}

/** Several answers to one event, in order. */
export function joinAnswers(answers: readonly HookAnswer[]): HookAnswer {
  const context = answers.map((answer) => answer.context).filter((text) => text !== undefined)
  return {
    why: answers.find(({ why }) => why !== undefined)?.why,
    context: context.length === 0 ? undefined : context.join('\n'),
    denial: answers.find(({ denial }) => denial !== undefined)?.denial,
    continuation: answers.find(({ continuation }) => continuation !== undefined)?.continuation,
    settle: () => {
      for (const { settle } of answers) settle?.()
    },
  }
}
