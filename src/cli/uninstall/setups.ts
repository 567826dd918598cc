/**
 * Every set-up that is on record, wherever it was made, and what stands unrecorded in the files of this user.
 */
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT } from '../run/exit.ts'
import { readFlag } from '../run/options.ts'
import { ownLaunch } from '../run/launcher.ts'
import { loadSetup, type Applied, type Setup, type SetupRequest, type Step } from '../setup/modules.ts'
import { formatUntilEnd } from '../setup/next-start.ts'
import { describeStep, formatChange, formatCommand } from '../setup/show.ts'
import { undoRowsOf } from '../setup/summary.ts'
import type { Part, Taken } from './part.ts'

/** @throws HostRefusal where it cannot even be read what was set up */
export async function findSetups(context: CommandContext): Promise<Part> {
  const { environment, options } = context
  const setup = await loadSetup()
  const request: SetupRequest = {
    paths: setup.pathsFor(environment, 'user', process.cwd()),
    launch: ownLaunch(),
    parts: ['hooks', 'mcp'],
    plugin: false,
  }
  const plan = (): readonly Step[] => setup.planRemoval(setup.setups, request)
  const shown = plan()
  const isIdle = shown.every((step) => step.refusal === undefined && setup.isIdle(step))
  return {
    rows: shown.flatMap((step) => [...undoRowsOf(step, setup, context), ...refusalRow(step)]),
    async take() {
      // An idle one makes no folder for its lock.
      const agreed = readFlag(options, 'yes') ? undefined : shown
      const done = isIdle ? [] : await setup.applyPlan(plan, agreed, environment)
      return told(done, setup)
    },
  }
}

function refusalRow({ title, refusal }: Step): Part['rows'] {
  return refusal === undefined ? [] : [{ place: title, what: safeLine(refusal) }]
}

function told(done: readonly Applied[], setup: Setup): Taken {
  const runtimes = done.map(({ step, failure }) => ({ ...describeStep(step, setup), failure }))
  const failures = done.flatMap(({ step, failure }) => {
    const message = failure ?? step.refusal
    return message === undefined ? [] : [{ exit: EXIT.unsafe, trouble: { code: 'unsafe', message } }]
  })
  const well = done.filter(({ step, failure }) => (failure ?? step.refusal) === undefined)
  const lines = well.flatMap(({ step: { title, changes, commands } }) => {
    const what = [...changes.map(formatChange), ...commands.map((one) => `  ran ${formatCommand(one)}`)]
    return what.length === 0 ? [] : [`${title}:`, ...what]
  })
  const steps = well.map(({ step }) => step)
  const untilEnd = formatUntilEnd(steps, setup)
  const notes = [...done.flatMap(({ step }) => step.notes), ...(untilEnd === '' ? [] : [untilEnd])]
  return { lines, notes, failures, data: { runtimes } }
}
