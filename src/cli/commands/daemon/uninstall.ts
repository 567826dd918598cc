/**
 * `agentd uninstall`: every set-up, the page, the service and the daemon taken out, and a word on what stays.
 *
 * Each of them by itself: what fails is said, and holds nothing else up. What is gone already is no fault, so that it can
 * be run again.
 */
import { Command } from 'commander'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { reportTrouble } from '../../run/report.ts'
import { confirm, requireSomebody } from '../../setup/confirm.ts'
import { formatPlace, formatRows } from '../../setup/summary.ts'
import { formatBytes } from '../../terminal/quantities.ts'
import { findRunning } from '../../uninstall/daemon.ts'
import type { LeftFolder } from '../../uninstall/left.ts'
import { findPage } from '../../uninstall/page.ts'
import { lookAt, type Part, type Taken } from '../../uninstall/part.ts'
import { findService } from '../../uninstall/service.ts'
import { findSetups } from '../../uninstall/setups.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function uninstallCommand(): Command {
  return new Command('uninstall')
    .helpGroup(GROUPS.daemon)
    .summary('Take all of agentd out; says what it leaves')
    .description(
      'Take agentd out of every runtime, the page, the service and the daemon; says what it leaves',
    )
    .option('--yes', 'do not ask')
    .option('--dry-run', 'say what would be taken out, and change nothing')
    .addHelpText('after', '\nExample: agentd uninstall --dry-run')
    .action(runs(uninstall))
}

async function uninstall(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const isDry = readFlag(options, 'dryRun')
  const isAsking = !readFlag(options, 'yes') && !isDry
  if (isAsking) requireSomebody(context, 'look with --dry-run, then repeat with --yes')
  // Hooks first, since they start the daemon; then the page, which says farewell to it, and what starts it when it is
  // asked; then the daemon.
  const finds = [findSetups, findPage, findService, findRunning]
  const parts: Part[] = []
  for (const find of finds) parts.push(await lookAt(() => find(context)))
  const isThere = parts.some(({ rows }) => rows.length > 0)
  if (isDry) return tellParts(parts, context)
  if (isAsking && isThere && !isAgreed(parts, context)) {
    output.note('Nothing was changed.')
    return EXIT.done
  }
  const taken: Taken[] = []
  for (const part of parts) taken.push(await part.take())
  return tell(taken, isThere, context)
}

/** What would be taken out; nothing is. */
function tellParts(parts: readonly Part[], { output }: CommandContext): ExitCode {
  const rows = parts.flatMap((part) => part.rows)
  output.data({ dryRun: true, changed: false, wouldTakeOut: rows })
  if (rows.length === 0) output.say('Nothing of agentd is set up here, and no daemon runs.')
  else output.say(`would take out:\n${formatRows(rows).join('\n')}`)
  output.note('Nothing was changed.')
  return EXIT.done
}

function isAgreed(parts: readonly Part[], context: CommandContext): boolean {
  const { output } = context
  output.answer('agentd uninstall takes out:')
  output.answer(formatRows(parts.flatMap(({ rows }) => rows)).join('\n'))
  output.answer('Messages, keys and configuration stay; it says where they are.')
  return confirm(context, 'Take it out?')
}

async function tell(taken: readonly Taken[], isThere: boolean, context: CommandContext): Promise<ExitCode> {
  const { findCheckout, findLeft, removalCommands } = await import('../../uninstall/left.ts')
  const { output } = context
  const failures = taken.flatMap((one) => one.failures)
  const left = findLeft(context)
  // What is still set up needs this program, and the state directory, which holds what the files were before.
  const remove = failures.length > 0 ? [] : removalCommands(left)
  output.data({
    changed: isThere,
    ...taken.reduce<object>((all, { data }) => ({ ...all, ...data }), {}),
    failures: failures.map(({ trouble }) => trouble),
    left,
    remove,
  })
  for (const line of taken.flatMap(({ lines }) => lines)) output.say(line)
  if (!isThere && failures.length === 0) output.say('Nothing of agentd is set up here, and no daemon runs.')
  for (const note of taken.flatMap(({ notes }) => notes)) output.note(safeLine(note))
  for (const { trouble, exit } of failures) reportTrouble(trouble, output.json, exit)
  tellLeft(left, remove, context)
  const checkout = findCheckout()
  if (checkout !== undefined) output.say(`This checkout stays, too: ${formatPlace(checkout, context)}`)
  if (failures.length > 0)
    output.note('Mend that and run it again; until then keep agentd and what it has left.')
  return failures[0]?.exit ?? EXIT.done
}

function tellLeft(left: readonly LeftFolder[], remove: readonly string[], context: CommandContext): void {
  const { output } = context
  if (left.length > 0) {
    output.say('left, since it is yours:')
    const rows = left.map(({ path, holds, bytes, isOwn }) => ({
      place: formatPlace(path, context),
      what: `${holds} (${formatBytes(bytes)})${isOwn ? '' : '; not of agentd alone'}`,
    }))
    output.say(formatRows(rows).join('\n'))
  }
  if (remove.length > 0) output.say('to remove what is left, and the program:')
  for (const command of remove) output.say(`  ${output.paint.cyan(safeLine(command))}`)
}
