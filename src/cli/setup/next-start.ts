/**
 * Of which runtimes a session that runs already goes on as it began, whatever is set up or taken out meanwhile.
 *
 * @see docs/runtimes.md §10 rule 15
 */
import { safeLine } from '../../core/text/safe-text.ts'
import type { Setup, Step } from './modules.ts'

/** One line for all of them, safe to print; empty where everything is taken up at once. @param steps - that were done */
export function formatNextStart(steps: readonly Step[], setup: Setup): string {
  return wordsFor('take it up at their next start', steps, setup)
}

/** The same for what was taken out: a tool that is still there starts the daemon when it is called. */
export function formatUntilEnd(steps: readonly Step[], setup: Setup): string {
  return wordsFor('keep it until they end, and start the daemon when they use its tools', steps, setup)
}

function wordsFor(what: string, steps: readonly Step[], setup: Setup): string {
  const late = steps.flatMap((step) => lateOf(step, setup) ?? [])
  return late.length === 0 ? '' : safeLine(`Sessions that run already ${what}: ${late.join(', ')}.`)
}

function lateOf(step: Step, setup: Setup): string | undefined {
  const readAtStart = setup.setups.find(({ id }) => id === step.runtime)?.readAtStart ?? []
  const kinds = step.changes.flatMap(setup.ownChanges).map(({ kind }) => kind)
  const hasTools = step.commands.length > 0 || kinds.includes('server')
  const hasHooks = kinds.some((kind) => kind !== 'server')
  const areHooksLate = hasHooks && readAtStart.includes('hooks')
  const areToolsLate = hasTools && readAtStart.includes('mcp')
  if (areHooksLate || (areToolsLate && !hasHooks)) return step.title
  return areToolsLate ? `the tools of ${step.title}` : undefined
}
