/**
 * `agentd ui`: the person's page in their own browser.
 *
 * @see docs/ui.md
 */
import { Command } from 'commander'
import { resolveSocketPath } from '../../../host/config/paths.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { findOpener, openInBrowser, type Opener } from '../../seat/browser.ts'
import type { SeatLink } from '../../seat/reach-seat.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function uiCommand(): Command {
  return new Command('ui')
    .helpGroup(GROUPS.seat)
    .summary('Open your page in the browser')
    .description('Open your page: who is here, what needs you, what passes')
    .option('--no-open', 'print the link instead of opening it, as for "ssh -L"')
    .option('--foreground', 'serve the page here, until Ctrl-C')
    .option('--stop', 'end the process that serves the page')
    .addHelpText('after', '\nExample: agentd ui')
    .action(runs(ui))
}

async function ui(context: CommandContext): Promise<ExitCode> {
  const { options } = context
  if (readFlag(options, 'stop')) return stop(context)
  const opener = options['open'] === false ? undefined : await findOpener(context.environment)
  const use = opener === undefined ? 'link' : 'open'
  if (readFlag(options, 'foreground')) {
    const { runSeat } = await import('../../seat/run-seat.ts')
    return runSeat(context, use, (link) => void show(link, opener, context))
  }
  const { reachSeat } = await import('../../seat/reach-seat.ts')
  await show(await reachSeat(context, use), opener, context)
  return EXIT.done
}

async function stop({ environment, output, socket }: CommandContext): Promise<ExitCode> {
  const { stopSeat } = await import('../../seat/reach-seat.ts')
  const pid = await stopSeat(resolveSocketPath(environment, socket).path)
  output.data(pid === undefined ? { stopped: false } : { stopped: true, pid })
  output.say(pid === undefined ? 'no page is served' : `the page is no longer served, pid ${pid}`)
  return EXIT.done
}

/** Opens it or prints it, and says who keeps others out. */
async function show(
  link: SeatLink,
  opener: Opener | undefined,
  { options, output }: CommandContext,
): Promise<void> {
  const { url, pid, port, peerCheck } = link
  output.data({ url, pid, port, peerCheck })
  const isAsked = options['open'] !== false
  const isOpened = opener !== undefined && (await openInBrowser(link, opener))
  if (isOpened)
    output.say('your browser opens the page; if it does not, open the link of "agentd ui --no-open"')
  else output.answer(url)
  if (isAsked && !isOpened) output.note('Nothing here opens a browser; open the link in one yourself.')
  if (!isOpened) output.note('The link signs one browser in, once, within two minutes.')
  if (peerCheck === 'unavailable') {
    output.note('This system does not say who connects: only the link and its token keep other users out.')
  }
}
