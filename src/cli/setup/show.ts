/**
 * A step of a set-up as it is shown: every line of it to a person who asks, and as JSON to a program.
 */
import { safeBlock, safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import type { Setup, Step } from './modules.ts'

type Change = Step['changes'][number]

/** Every line that changes, safe to print. */
export function formatStep(step: Step, setup: Setup, { output }: CommandContext): string {
  const { changes, commands, title, refusal } = step
  const instead =
    refusal === undefined ? (setup.isIdle(step) ? ['  nothing to do'] : []) : [`  ${safeLine(refusal)}`]
  return [
    output.paint.bold(title),
    ...instead,
    ...changes.map((change) => paintDiff(setup.showChange(change), output)),
    ...commands.map((command) => `run: ${formatCommand(command)}`),
  ].join('\n')
}

/** The same for a program. */
export function describeStep(step: Step, setup: Setup): object {
  const { runtime, changes, commands, notes, refusal } = step
  return {
    runtime,
    files: changes.map((change) => ({
      path: change.file.path,
      change: changeName(change),
      lines: setup.ownChanges(change),
      diff: setup.showChange(change),
    })),
    run: commands.map(formatCommand),
    notes,
    refusal,
  }
}

/** What was done to a file. */
export function formatChange(change: Change): string {
  return `  ${changeName(change)} ${safeLine(change.file.path)}`
}

/** A program and its words. */
export function formatCommand({ program, args }: Step['commands'][number]): string {
  return safeLine([program, ...args].join(' '))
}

function changeName({ file, after }: Change): 'created' | 'removed' | 'changed' {
  if (after === undefined) return 'removed'
  return file.bytes === undefined ? 'created' : 'changed'
}

function paintDiff(diff: string, { paint }: CommandContext['output']): string {
  const lines = safeBlock(diff).split('\n')
  return lines
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')
}
