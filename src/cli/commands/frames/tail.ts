/**
 * `agentd tail`: what passes, as it passes, until Ctrl-C.
 */
import { Command } from 'commander'
import type { Participant, StreamItem } from '../../../client/index.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatEnvelope, withoutText } from '../../items/envelope-line.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatFrame } from '../../items/frame-line.ts'
import { formatGap } from '../../../protocol/sse/gap-line.ts'
import { untilInterrupted } from '../../run/interrupt.ts'
import { readCount, readFlag, readList, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { SenderNames } from './sender-names.ts'

/** The command. */
export function tailCommand(): Command {
  return new Command('tail')
    .description('Show frames and envelopes as they pass, until Ctrl-C (exit code 0)')
    .option('--filter <expression>', 'only what matches, such as kind:agent_query,sender:~alice')
    .option('--entities <names>', 'hear for these AEE entities and channels too, such as agent.a,bus.ops')
    .option('--replay <count>', 'begin with the newest frames that are retained')
    .option('--full', 'wrap long text instead of cutting it')
    .addHelpText('after', '\nExample: agentd tail --replay 10')
    .action(runs(tail))
}

function tail(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const filter = readTextOption(options, 'filter')
  const entities = readList(options, 'entities')
  const replay = readCount(options, 'replay')
  return asParticipant(context, (participant, { principal }) =>
    untilInterrupted(async (signal) => {
      let connections = 0
      const onOpen = (): void => {
        connections += 1
        if (connections > 1) output.note('-- reconnected')
        else if (output.notesAreRead) output.note(`-- listening as ${nameOf(participant)}; Ctrl-C ends`)
      }
      const stream = participant.stream({ filter, entities, replay, signal, onOpen })
      const senders = new SenderNames(participant)
      for await (const item of stream) {
        const name = output.json || item.type !== 'frame' ? undefined : await senders.nameOf(item)
        show({ item, name, principal }, context)
      }
      return EXIT.done
    }, EXIT.done),
  )
}

/** An item, and what the session it came from is called. */
interface Attributed {
  readonly item: StreamItem
  readonly name: string | undefined
  readonly principal: string
}

function show({ item, name, principal }: Attributed, { output, options }: CommandContext): void {
  output.data(withoutText(item))
  if (output.json) return
  if (item.type === 'gap') return output.note(formatGap(item.gap))
  const { paint, columns } = output
  const view = { paint, columns, principal, full: readFlag(options, 'full'), nowMs: item.receivedMs }
  return output.answer(
    item.type === 'frame' ? formatFrame(item.frame, view, name) : formatEnvelope(item, view),
  )
}

function nameOf(participant: Participant): string {
  return 'address' in participant ? String(participant.address) : participant.handle
}
