/**
 * `agentd serve`: the daemon in the foreground, and on a terminal what passes through it.
 */
import { Command } from 'commander'
import { decodeEnvelopeText } from '../../../aee/envelope/envelope.ts'
import type { EnvelopeItem, FrameItem } from '../../../client/index.ts'
import { parseFrame, type Frame } from '../../../protocol/frame/frame.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatEnvelope, withoutText } from '../../items/envelope-line.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatFrame } from '../../items/frame-line.ts'
import type { ItemView } from '../../items/item-line.ts'
import { LeaseResources } from '../../leases/lease-resources.ts'
import { choiceOption, readTextOption } from '../../run/options.ts'
import { GROUPS } from '../../help/groups.ts'

/** Items shown per turn of the event loop; the daemon's work goes before its view. */
const ITEMS_PER_TURN = 50

/** The command. */
export function serveCommand(): Command {
  return new Command('serve')
    .helpGroup(GROUPS.daemon)
    .description('Run the daemon here and show what passes')
    .option('--principal <handle>', 'whose daemon it is (default: your user name)')
    .addOption(
      choiceOption('--profile <name>', 'switch off what a conformance run must not meet', [
        'default',
        'conformance',
      ]),
    )
    .option('--no-ring', 'keep frames in memory only, gone when the daemon stops')
    .addHelpText('after', '\nExample: agentd serve --principal alice')
    .action(runs(serve))
}

async function serve(context: CommandContext): Promise<ExitCode> {
  const { runDaemon } = await import('../../../daemon/main.ts')
  const { output, options, socket } = context
  const flags = {
    socket,
    principal: readTextOption(options, 'principal'),
    profile: readTextOption(options, 'profile'),
    // Only a "no" overrides the configuration.
    ring: options['ring'] === false ? false : undefined,
  }
  const code = await runDaemon({
    flags,
    onReady: ({ broker, socketPath }) => {
      if (!output.isTerminal && !output.json) return
      output.say(greeting(broker.principal, socketPath, context))
      const live = new LiveView(broker.principal, context)
      broker.observe(({ seq, text, envelope, senderAddress = '' }) => {
        const name = broker.sessions.find(senderAddress)?.name
        live.add({ eventId: broker.ring.eventId(seq), text, envelope, name })
      })
    },
  })
  return toExitCode(code)
}

function greeting(principal: string, socketPath: string, { output, socket }: CommandContext): string {
  const { bold, dim, cyan } = output.paint
  const where = socket === undefined ? '' : ` --socket ${safeLine(socketPath)}`
  return [
    `${bold('agentd')} serves ${principal} at ${safeLine(socketPath)}`,
    `  try  ${cyan(`agentd advise "hello from another terminal"${where}`)}`,
    `  or   ${cyan(`agentd roster${where}`)}`,
    dim('what passes shows up here; Ctrl-C stops the daemon'),
  ].join('\n')
}

/** What passes, as the daemon has it. */
interface Passing {
  readonly eventId: string
  readonly text: string
  /** Undefined for a frame. */
  readonly envelope: { readonly effectivePriority: string; readonly isLate: boolean } | undefined
  /** What the session it came from is called. */
  readonly name: string | undefined
}

/** Frames and envelopes as they pass, told after the turn that carried them, so that showing holds nobody up. */
class LiveView {
  readonly #principal: string
  readonly #context: CommandContext
  /** What came in this turn; emptied when it is shown. */
  #waiting: Passing[] = []
  #unshown = 0
  readonly #leases = new LeaseResources()

  constructor(principal: string, context: CommandContext) {
    this.#principal = principal
    this.#context = context
  }

  add(passing: Passing): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#show())
    // Programs get every one; a person cannot read that many.
    if (this.#waiting.length < ITEMS_PER_TURN || this.#context.output.json) this.#waiting.push(passing)
    else this.#unshown += 1
  }

  #show(): void {
    const { output } = this.#context
    const { paint, columns } = output
    const view = { paint, columns, principal: this.#principal, full: false, nowMs: Date.now() }
    for (const passing of this.#waiting) {
      const item = toItem(passing, view.nowMs)
      output.data(withoutText(item))
      output.say(
        item.type === 'frame' ? this.#formatFrame(item.frame, view, passing) : formatEnvelope(item, view),
      )
    }
    if (this.#unshown > 0) output.note(`-- ${this.#unshown} more passed at this moment`)
    this.#waiting = []
    this.#unshown = 0
  }

  /** A lease is known whose request has passed since the start. */
  #formatFrame(frame: Frame, view: ItemView, { name }: Passing): string {
    this.#leases.observe(frame)
    return formatFrame(frame, view, { name, resource: this.#leases.known(frame) })
  }
}

/** As a stream yields it. */
function toItem({ eventId, text, envelope: facts }: Passing, receivedMs: number): FrameItem | EnvelopeItem {
  if (facts === undefined) return { type: 'frame', eventId, frame: parseFrame(JSON.parse(text)), receivedMs }
  const { effectivePriority, isLate } = facts
  return {
    type: 'envelope',
    eventId,
    ...decodeEnvelopeText(text),
    effectivePriority,
    late: isLate,
    receivedMs,
  }
}

/** The daemon's codes are ours where they mean the same; 75, its socket was lost, asks to be started again. */
function toExitCode(code: number): ExitCode {
  if (code === EXIT.done || code === EXIT.unsafe) return code
  return code === TEMPORARY ? EXIT.lost : EXIT.defect
}

const TEMPORARY = 75
