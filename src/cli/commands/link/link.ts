/**
 * `agentd link`: this machine and the others of the same person.
 *
 * @see docs/link.md; FED-06, FED-61
 */
import { Command } from 'commander'
import { addNewLink } from '../../link/add-link.ts'
import { allowOnLink, removeNamedLink, showLinks } from '../../link/show-links.ts'
import { runs } from '../../run/command-context.ts'
import { choiceOption } from '../../run/options.ts'
import { hubCommand } from './hub.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function linkCommand(): Command {
  return new Command('link')
    .helpGroup(GROUPS.people)
    .summary('Link your machines, as far as you let it')
    .description('Link your machines: what is said on one is heard on the others, as far as you let it')
    .addHelpText('after', '\nExample: agentd link add home devbox.link')
    .addCommand(addCommand())
    .addCommand(
      new Command('status')
        .description('How each link is, what leaves over it, and who is at its other ends')
        .addHelpText('after', '\nExample: agentd link status')
        .action(runs(showLinks)),
    )
    .addCommand(
      withRules(new Command('allow'))
        .description('What may leave over a link; with options, change it')
        .argument('[name]', 'the link; may be left out where there is one')
        .option('--kinds <kinds>', 'all, none, or kinds of frames with commas between')
        .option('--no-seal', 'let the hub read what goes over it')
        .addHelpText('after', '\nExample: agentd link allow home --kinds advisory,query')
        .action(runs(allowOnLink)),
    )
    .addCommand(
      new Command('remove')
        .description('Take a link away, with its keys')
        .argument('[name]', 'the link; may be left out where there is one')
        .option('--yes', 'do not ask')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd link remove home')
        .action(runs(removeNamedLink)),
    )
    .addCommand(hubCommand())
}

function addCommand(): Command {
  return withRules(new Command('add'))
    .description('Make this machine a node with the file it was invited by')
    .argument('<name-and-file...>', 'the file, and before it a name for the link (default: home)')
    .option('--allow <kinds>', 'what may leave: all, none, or kinds of frames; asked for otherwise')
    .option('--since <duration>', 'let out what was said up to so long ago too, such as 24h')
    .option('--server <urls>', 'another address than the one in the file')
    .option('--creds <file>', 'a credential of your own server, instead of the one in the file')
    .option('--ca <file>', 'the authority that signs the certificate of that server')
    .option('--domain <name>', 'a JetStream domain, behind a leaf node')
    .option('--trust-network', 'go without TLS: the network itself is private, such as WireGuard')
    .addHelpText('after', '\nExample: agentd link add home devbox.link --allow all')
    .action(runs(addNewLink))
}

function withRules(command: Command): Command {
  return command
    .option('--from <patterns>', 'which sessions: cc-*, an address, repository:<id>')
    .addOption(
      choiceOption('--presence <what>', 'what is told of who is here', ['none', 'addresses', 'full']),
    )
    .option('--bus <channels>', 'channels of envelopes')
    .option('--redact <paths>', 'free-text members that are blacked out, such as payload.text')
    .option('--seal', 'keep what goes over it from the hub, and take nothing else from there')
    .option('--compute <where>', 'server-active, server-aggregate, local-only: where inference ran')
}
