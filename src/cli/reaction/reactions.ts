/**
 * What else is done with an item that `agentd tail` shows: a notification, a command.
 */
import { systemClock } from '../../core/clock.ts'
import { UsageError } from '../../core/errors.ts'
import { shellWord } from '../../core/text/shell-word.ts'
import { findOnPath, isProgram } from '../../host/files/program-path.ts'
import { summariseEnvelope } from '../../aee/envelope/summary.ts'
import { spokenKind } from '../../protocol/frame/spoken-kind.ts'
import { summarise } from '../../protocol/frame/summary.ts'
import { formatSender } from '../items/frame-line.ts'
import type { CommandContext } from '../run/command-context.ts'
import { readCount, readFlag } from '../run/options.ts'
import { reportTrouble } from '../run/report.ts'
import { CommandQueue, MAX_JOBS } from './command-queue.ts'
import { DesktopNotices, desktopTrouble } from './desktop-notices.ts'
import { toTask, type Item, type Sender } from './item-facts.ts'

/** All that is done with each of them. */
export interface Reactions {
  take(item: Item, sender: Sender): void
  /** Nothing more is begun; resolves when what runs has ended, within bounds. Ctrl-C ends it at once. */
  finish(): Promise<void>
}

/** What `tail` was asked to do with each item. */
export interface Wish {
  readonly command: readonly string[]
  readonly jobs: number
  readonly isNotified: boolean
}

/** @throws UsageError for a command that is not there, and for what only goes with one */
export function readWish({ options, args, environment }: CommandContext): Wish {
  const jobs = readCount(options, 'jobs')
  if (!readFlag(options, 'exec')) {
    if (args.length > 0)
      throw new UsageError(`A command goes with --exec: --exec -- ${args.map(shellWord).join(' ')}`)
    if (jobs !== undefined) throw new UsageError('--jobs goes with --exec.')
  } else requireProgram(args, environment.env['PATH'])
  if (jobs !== undefined && (jobs < 1 || jobs > MAX_JOBS))
    throw new UsageError(`--jobs is "${jobs}"; it must be from 1 to ${MAX_JOBS}.`)
  return { command: args, jobs: jobs ?? 1, isNotified: readFlag(options, 'notify') }
}

/** Before anything is watched: a slip of the pen would otherwise be told with each item. */
function requireProgram([program, ...words]: readonly string[], path: string | undefined): void {
  if (program === undefined) throw new UsageError('--exec wants a command behind it: --exec -- ./handle.sh')
  const isThere = program.includes('/') ? isProgram(program) : findOnPath(program, path) !== undefined
  if (isThere) return
  const isLine = words.length === 0 && /\s/.test(program)
  const hint = isLine ? ` No shell reads it; to have one, write: --exec -- sh -c ${shellWord(program)}` : ''
  throw new UsageError(`"${program}" is no program that can be run.${hint}`)
}

/** @param socketPath - of the daemon that is watched, for commands that speak to it */
export async function openReactions(
  { command, jobs, isNotified }: Wish,
  { environment, output }: Pick<CommandContext, 'environment' | 'output'>,
  socketPath: string,
): Promise<Reactions> {
  const complainAs =
    (code: string) =>
    (message: string): void =>
      reportTrouble({ code, message }, output.json)
  const { env, platform } = environment
  const notices = isNotified ? await openNotices({ env, platform }, complainAs('desktop')) : undefined
  const queue =
    command.length === 0
      ? undefined
      : new CommandQueue({
          command,
          jobs,
          env: { ...env, AGENTD_SOCKET: socketPath },
          clock: systemClock,
          complain: complainAs('exec'),
        })
  return {
    take(item, sender) {
      notices?.take(item, sender)
      queue?.take(toTask(item, sender))
    },
    async finish() {
      if (queue !== undefined) await finishQueue(queue, (text) => output.note(text))
      notices?.close()
    },
  }
}

async function finishQueue(queue: CommandQueue, note: (text: string) => void): Promise<void> {
  const end = (): void => queue.end()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  if (queue.running > 0) note('-- waits for the commands that run; Ctrl-C ends them')
  try {
    await queue.finish()
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}

interface Notices {
  take(item: Item, sender: Sender): void
  close(): void
}

/** @returns undefined where nothing shows them, which has then been told */
async function openNotices(
  machine: Pick<CommandContext['environment'], 'env' | 'platform'>,
  complain: (sentence: string) => void,
): Promise<Notices | undefined> {
  const program = machine.platform === 'darwin' ? 'osascript' : 'notify-send'
  if (findOnPath(program, machine.env['PATH']) === undefined) {
    complain(`Nothing is shown on the desktop: "${program}" is not installed.`)
    return undefined
  }
  const [{ Desktop }, { wordsOfPassed }] = await Promise.all([
    import('../../ui/serve/alerts/desktop.ts'),
    import('../../ui/seat/alerts/alert-words.ts'),
  ])
  let isOpen = true
  const log = desktopTrouble((sentence) => {
    // One that is ended with tail has not failed.
    if (isOpen) complain(sentence)
  })
  const desktop = new Desktop({ ...machine, clock: systemClock, log })
  const notices = new DesktopNotices({ desktop, clock: systemClock })
  return {
    take: (item, sender) => notices.take(wordsOfPassed(saidOf(item, sender))),
    close() {
      isOpen = false
      desktop.close()
    },
  }
}

/** Who says what kind of thing, and what. */
function saidOf(item: Item, { name, principal }: Sender): { who: string; label: string; text: string } {
  if (item.type === 'frame') {
    const { frame } = item
    return {
      who: formatSender(frame, principal, name),
      label: spokenKind(frame.kind),
      text: summarise(frame),
    }
  }
  const { envelope } = item
  const text = `${envelope.intent} to ${envelope.to}: ${summariseEnvelope(envelope)}`
  return { who: envelope.from, label: envelope.type, text }
}
