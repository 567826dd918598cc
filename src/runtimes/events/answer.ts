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
  readonly settle?: (() => Promise<void>) | undefined
  /** Runs in any case. */
  readonly release?: (() => void) | undefined
}

/** Nothing to say. */
export const SILENCE: HookAnswer = {}

/** Several answers to one event, in order. */
export function joinAnswers(answers: readonly HookAnswer[]): HookAnswer {
  const context = answers.map((answer) => answer.context).filter((text) => text !== undefined)
  return {
    context: context.length === 0 ? undefined : context.join('\n'),
    denial: answers.find(({ denial }) => denial !== undefined)?.denial,
    continuation: answers.find(({ continuation }) => continuation !== undefined)?.continuation,
    settle: async () => {
      for (const { settle } of answers) await settle?.()
    },
    release: () => {
      for (const { release } of answers) release?.()
    },
  }
}
