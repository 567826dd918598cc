/**
 * `agentd link`: this machine and the others of the same person.
 *
 * @see docs/link.md
 */
import { Command } from 'commander'
import { hubCommand } from './hub.ts'

/** The command. */
export function linkCommand(): Command {
  return new Command('link')
    .description('Link your machines: what is said on one is heard on the others, as far as you let it')
    .addHelpText('after', '\nExample: agentd link add home devbox.link')
    .addCommand(hubCommand())
}
