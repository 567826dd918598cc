/**
 * `agentd envelope send`: one envelope, composed from options, or many as they were written.
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { PRIORITIES, TYPES } from '../../../aee/envelope/envelope.ts'
import type { Key } from '../../../aee/keys/key.ts'
import { asEntity } from '../../envelope/as-entity.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { readDraft } from '../../envelope/draft.ts'
import { requestAndWait } from '../../envelope/wait.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { choiceOption, readFlag, readTextOption, readWaitTimeout } from '../../run/options.ts'
import { sendRaw } from '../../envelope/raw-envelopes.ts'
import { Restamp } from '../../envelope/restamp.ts'
import { tellSent } from '../../envelope/tell-sent.ts'

/** The command. */
export function envelopeSendCommand(): Command {
  return new Command('send')
    .description('Send an envelope; with --wait also wait for what comes of a task')
    .argument('[payload]', 'a JSON object, or - to read it from stdin (default: {})')
    .option('--from <entity>', 'who sends it, such as agent.manager or human.alice')
    .option('--to <entity>', 'who gets it: an entity, or a channel such as bus.ops')
    .option('--intent <intent>', 'what it is about, such as ops.backup.status.check')
    .addOption(choiceOption('--type <type>', 'what it is (default: task)', TYPES))
    .option('--corr <corr>', 'the workflow it belongs to (default: a new one)')
    .option('--reply-to <id>', 'the envelope it answers or follows from')
    .addOption(choiceOption('--priority <priority>', 'how urgent it is (default: normal)', PRIORITIES))
    .option('--requires <json>', 'constraints of a task, such as {"human_approval":true}')
    .option('--trace-parent <traceparent>', 'the trace it belongs to (or TRACEPARENT)')
    .option('--sign <kid>', 'sign it with this key; "agentd keys list" shows them')
    .option('--wait', 'wait for the result of a task, and print its parts as they come')
    .option('--timeout <duration>', 'how long to wait (default: 60s)')
    .option('--raw', 'send complete envelopes from stdin as they are, one to a line')
    .option(
      '--now',
      'with --raw: give each the time of now and ids of its own, such as to examples of a draft',
    )
    .addHelpText(
      'after',
      '\nExample: agentd envelope send --from human.alice --to agent.auditor --intent ops.backup.check \'{"window":"24h"}\' --wait',
    )
    .action(runs(send))
}

function send(context: CommandContext): Promise<ExitCode> {
  const { options } = context
  if (readFlag(options, 'raw')) {
    requireNothingElse(context)
    return sendRaw(context, readFlag(options, 'now') ? new Restamp() : undefined)
  }
  if (readFlag(options, 'now')) throw new UsageError('--now goes with --raw; what is composed is of now.')
  return sendOne(context)
}

/** Options that say something about an envelope that is complete already. */
const OF_A_DRAFT = [
  'from',
  'to',
  'intent',
  'type',
  'corr',
  'replyTo',
  'priority',
  'requires',
  'traceParent',
  'sign',
  'wait',
  'timeout',
]

function requireNothingElse({ options, args }: CommandContext): void {
  const given = OF_A_DRAFT.some((name) => options[name] !== undefined)
  const [input = '-'] = args
  if (given || input !== '-') {
    throw new UsageError(
      '--raw sends what stands on stdin; but for --now it takes no other option and no payload.',
    )
  }
}

async function sendOne(context: CommandContext): Promise<ExitCode> {
  const { options, output } = context
  const isWaiting = readFlag(options, 'wait')
  const timeoutMs = readWaitTimeout(options)
  const draft = await readDraft(context)
  if (isWaiting && draft.type !== 'task')
    throw new UsageError('--wait goes with a task; nothing else is answered.')
  const sign = readKey(context)
  return asEntity(context, draft.from, async (participant) => {
    if (isWaiting) return requestAndWait({ participant, draft, sign, timeoutMs }, context)
    const sent = await participant.sendEnvelope(draft, { sign })
    output.data(sent)
    tellSent(sent, context)
    return EXIT.done
  })
}

function readKey({ options, environment }: CommandContext): Key | undefined {
  const kid = readTextOption(options, 'sign')
  return kid === undefined ? undefined : new KeyFolder(environment).require(kid)
}
