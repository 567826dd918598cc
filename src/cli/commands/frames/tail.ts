/**
 * `agentd tail`: what passes, as it passes, until Ctrl-C. It watches, and so is nobody whom a sender counts as reached.
 */
import { Command } from 'commander'
import {
  type AgentdClient,
  type GapItem,
  type Participant,
  type StreamItem,
  type StreamOptions,
  type WatchItem,
  type WatchOptions,
} from '../../../client/index.ts'
import { AgentdError, unreachable } from '../../../core/errors.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { MAX_HISTORY_ITEMS } from '../../../core/limits.ts'
import { TERMINAL_INSTRUMENT } from '../../../protocol/address/handle.ts'
import { parseFilter } from '../../../protocol/frame/filter.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatEnvelope, withoutText } from '../../items/envelope-line.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { wholeKinds } from '../../input/whole-kinds.ts'
import { formatFrame } from '../../items/frame-line.ts'
import { LeaseResources } from '../../leases/lease-resources.ts'
import { formatGap } from '../../../protocol/sse/gap-line.ts'
import { untilInterrupted } from '../../run/interrupt.ts'
import { readCount, readFlag, readList, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { openReactions, readWish, type Reactions } from '../../reaction/reactions.ts'
import { Passing, type Passed } from './passing.ts'
import { SenderNames } from './sender-names.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function tailCommand(): Command {
  return new Command('tail')
    .helpGroup(GROUPS.read)
    .summary('Show frames and envelopes as they pass')
    .description('Show frames and envelopes as they pass, until Ctrl-C (exit code 0)')
    .option('--filter <expression>', 'only what matches, such as kind:query,sender:~alice')
    .option('--entities <names>', 'of envelopes only those to these, such as agent.a,bus.ops')
    .option('--replay <count>', 'begin with the newest frames that are retained')
    .option('--listen', 'be reached as a session meanwhile, so that who asks waits for an answer from here')
    .option('--full', 'wrap long text instead of cutting it')
    .option('--notify', 'show each on the desktop as well')
    .option('--exec', 'run the command behind -- for each, with all of it as JSON on stdin')
    .option('--jobs <count>', 'with --exec: commands at a time (default: 1, in the order of what passes)')
    .argument('[command...]', 'with --exec: the program and its arguments, behind --; no shell reads them')
    .addHelpText('after', EXAMPLES)
    .action(runs(tail))
}

const EXAMPLES = `
Example: agentd tail --replay 10
Example: agentd tail --filter kind:query --exec -- ./answer.sh`

/** One run of the command. */
interface Tailing {
  readonly context: CommandContext
  readonly client: AgentdClient
  readonly participant: Participant
  readonly principal: string
  readonly signal: AbortSignal
  readonly filter: string | undefined
  readonly entities: readonly string[] | undefined
  readonly replay: number | undefined
  readonly told: Told
  readonly leases: LeaseResources
  readonly reactions: Reactions
}

/** With commands that run, whatever ends tail lets them finish. */
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function tail(context: CommandContext): Promise<ExitCode> {
  const { options } = context
  const written = readTextOption(options, 'filter')
  const filter = written === undefined ? undefined : wholeKinds(written)
  const entities = readList(options, 'entities')
  const replay = readCount(options, 'replay')
  const wish = readWish(context)
  const endings = wish.command.length > 0 ? ENDINGS : undefined
  return asParticipant(context, async (participant, client) => {
    const { principal, socketPath } = client
    const reactions = await openReactions(wish, context, socketPath)
    const follow = async (signal: AbortSignal): Promise<ExitCode> => {
      const told = tellConnections(context)
      const leases = new LeaseResources()
      const wanted = { filter, entities, replay, reactions, leases }
      await followWith({ client, context, participant, principal, signal, told, ...wanted })
      return EXIT.done
    }
    try {
      return await untilInterrupted(follow, EXIT.done, endings)
    } finally {
      await reactions.finish()
    }
  })
}

async function followWith(tailing: Tailing): Promise<void> {
  const { output, options } = tailing.context
  try {
    await (readFlag(options, 'listen') ? listen(tailing) : watch(tailing))
  } catch (error) {
    if (!(error instanceof AgentdError) || error.code !== 'not-found') throw error
    output.note('-- this daemon is older and cannot be watched: tail is reached as a session')
    await listen(tailing)
  }
}

/** What is said of connections. */
type Told = Pick<WatchOptions, 'onOpen' | 'onBusy'>

/** Says that it begins, each time that it is back, and once that there is no room for it: it goes on trying. */
function tellConnections({ output }: CommandContext): Told {
  let connections = 0
  let isWaiting = false
  return {
    onOpen() {
      connections += 1
      isWaiting = false
      if (connections > 1) output.note('-- reconnected')
      else if (output.notesAreRead) output.note('-- what passes shows up here; Ctrl-C ends')
    },
    onBusy({ message }) {
      if (!isWaiting) output.note(safeLine(`-- ${message} It goes on trying; Ctrl-C ends.`))
      isWaiting = true
    },
  }
}

async function watch(tailing: Tailing): Promise<void> {
  const { participant, principal, signal, entities, replay, told } = tailing
  const filter = parseFilter(tailing.filter ?? '')
  const passing = new Passing({ filter, entities, replay, principal })
  // Of what is filtered here, the newest so many that match lie further back.
  const isNarrowed = filter.length > 0 || entities !== undefined
  const asked = isNarrowed && replay !== undefined && replay > 0 ? MAX_HISTORY_ITEMS : replay
  for await (const item of participant.watch({ replay: asked, signal, ...told }))
    await takeIn(item, passing, tailing)
}

async function takeIn(item: WatchItem, passing: Passing, tailing: Tailing): Promise<void> {
  switch (item.type) {
    case 'snapshot':
      for (const session of item.sessions) passing.meet(session)
      return passing.begin(item.eventId)
    case 'session':
      return passing.meet(item.session)
    case 'gap':
      return show(item, undefined, tailing)
    case 'frame':
    case 'envelope':
      // Also what is not shown: a release may be, of a lease whose request the filter leaves out.
      if (item.type === 'frame') tailing.leases.observe(item.frame)
      for (const one of passing.take(item)) await show(one, passing.nameOf(one), tailing)
      return undefined
    case 'need':
    case 'receipt':
    case 'forgotten':
      return undefined
    default:
      return unreachable(item)
  }
}

/** As a session that others reach; and the way of a daemon that is older. */
async function listen(tailing: Tailing): Promise<void> {
  const { client, context, participant, signal, filter, entities, replay, told } = tailing
  const senders = new SenderNames(participant)
  const isNamed = !context.output.json || readFlag(context.options, 'exec')
  // A command that is started for what comes may well answer.
  const isTerminal = context.token === undefined && !readFlag(context.options, 'exec')
  const open = (options: StreamOptions) =>
    isTerminal ? client.stream({ ...options, instrument: TERMINAL_INSTRUMENT }) : participant.stream(options)
  for await (const item of open({
    filter,
    entities,
    replay,
    signal,
    dropExpired: false,
    ...told,
  })) {
    const name = !isNamed || item.type !== 'frame' ? undefined : await senders.nameOf(item)
    if (item.type === 'frame') tailing.leases.observe(item.frame)
    await show(item, name, tailing)
  }
}

/** @param name - what the session it came from is called */
async function show(
  item: StreamItem | Passed | GapItem,
  name: string | undefined,
  tailing: Tailing,
): Promise<void> {
  const { context, participant, principal, leases, reactions } = tailing
  const { output, options } = context
  output.data(withoutText(item))
  if (item.type === 'gap') return output.note(formatGap(item.gap))
  reactions.take(item, { name, principal })
  // Then it is the commands' words that were asked for.
  if (output.json || (output.quiet && readFlag(options, 'exec'))) return
  const { paint, columns } = output
  const full = readFlag(options, 'full')
  const view = { paint, columns, principal, full, nowMs: item.receivedMs, dimsStale: true }
  if (item.type !== 'frame') return output.answer(formatEnvelope(item, view))
  const resource = await leases.find(item.frame, participant)
  return output.answer(formatFrame(item.frame, view, { name, resource }))
}
