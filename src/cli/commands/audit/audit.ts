/**
 * `agentd audit`: whether the record of what happened is still what was written.
 *
 * @see docs/requirements.md §§2.3, 2.4, AEE-C13…AEE-C17
 */
import { Command } from 'commander'
import { auditBundleCommand } from './bundle.ts'
import { auditEnvelopeCommand } from './envelope.ts'
import { auditTipCommand } from './tip.ts'
import { auditVerifyCommand } from './verify.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function auditCommand(): Command {
  return new Command('audit')
    .helpGroup(GROUPS.envelopes)
    .description('Look whether the evidence is still what was written')
    .addHelpText('after', '\nExample: agentd audit verify')
    .addCommand(auditVerifyCommand())
    .addCommand(auditEnvelopeCommand())
    .addCommand(auditTipCommand())
    .addCommand(auditBundleCommand())
}
