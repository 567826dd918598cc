/**
 * `agentd envelope`: AEE envelopes, from sending one to drawing what came of it.
 *
 * @see draft-cowles-aee-00; docs/http.md §§9, 11
 */
import { Command } from 'commander'
import { envelopeCheckCommand } from './check.ts'
import { envelopeExportCommand } from './export.ts'
import { envelopeGetCommand } from './get.ts'
import { envelopeSendCommand } from './send.ts'
import { envelopeThreadCommand } from './thread.ts'
import { envelopeThreadsCommand } from './threads.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function envelopeCommand(): Command {
  return new Command('envelope')
    .helpGroup(GROUPS.envelopes)
    .summary('Send, fetch, draw, check and export envelopes (AEE)')
    .description('AEE envelopes: send, fetch, draw, check and export them')
    .addHelpText(
      'after',
      '\nExample: agentd envelope send --from human.alice --to agent.reviewer --intent code.review.request --wait',
    )
    .addCommand(envelopeSendCommand())
    .addCommand(envelopeGetCommand())
    .addCommand(envelopeThreadCommand())
    .addCommand(envelopeThreadsCommand())
    .addCommand(envelopeCheckCommand())
    .addCommand(envelopeExportCommand())
}
