/**
 * `agentd link hub`: the one server that machines are linked by, and which machines those are.
 *
 * @see docs/link.md; FED-12, FED-43, FED-44
 */
import { Command } from 'commander'
import { initHub } from '../../link/hub/init-hub.ts'
import { inviteNode } from '../../link/hub/invite-node.ts'
import { listNodes, printAccounts, tellHub } from '../../link/hub/list-nodes.ts'
import { revokeNode } from '../../link/hub/revoke-node.ts'
import { runHub } from '../../link/hub/run-hub.ts'
import { runs } from '../../run/command-context.ts'

/** The command. */
export function hubCommand(): Command {
  return new Command('hub')
    .description('The server that your machines are linked by, and which machines those are')
    .addHelpText('after', '\nExample: agentd link hub init --listen 192.168.1.10:4222')
    .addCommand(initCommand())
    .addCommand(
      new Command('run')
        .description('Run the hub here until Ctrl-C; a service manager runs the same')
        .addHelpText('after', '\nExample: agentd link hub run')
        .action(runs(runHub)),
    )
    .addCommand(
      new Command('invite')
        .description('Let one machine more in, and write the file that makes it one; asks at a terminal')
        .argument('<node>', 'the name it is to have, such as devbox')
        .option('--to <file>', "the file to write, 0600 (default: in the hub's own folder)")
        .addHelpText('after', '\nExample: agentd link hub invite devbox')
        .action(runs(inviteNode)),
    )
    .addCommand(
      new Command('revoke')
        .description('Cut a machine off, for good; asks at a terminal')
        .argument('<node>', 'its name; a machine of a member as ~bob/box')
        .option('--realm <realm>', 'of which organisation or accord, where it is in several')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd link hub revoke devbox')
        .action(runs(revokeNode)),
    )
    .addCommand(
      new Command('list')
        .description('The machines that were let in, and those that were cut off')
        .addHelpText('after', '\nExample: agentd link hub list')
        .action(runs(listNodes)),
    )
    .addCommand(
      new Command('print')
        .description('What a nats-server of yours that runs already needs, as its configuration')
        .addHelpText('after', '\nExample: agentd link hub print')
        .action(runs(printAccounts)),
    )
    .addCommand(
      new Command('tell')
        .description('Have the running hub take up who is let in, once more')
        .addHelpText('after', '\nExample: agentd link hub tell')
        .action(runs(tellHub)),
    )
}

function initCommand(): Command {
  return new Command('init')
    .description('Make a hub on this machine: certificate, keys, configuration; asks at a terminal')
    .requiredOption('--listen <ip:port>', 'where the other machines reach this one')
    .option('--node <name>', "the name of this machine (default: the host's)")
    .option('--name <name>', 'what the server calls itself (default: agentd- and the name of the host)')
    .option('--url <urls>', 'by which it is reached, with commas between (default: nats:// and --listen)')
    .addHelpText('after', '\nExample: agentd link hub init --listen 192.168.1.10:4222')
    .action(runs(initHub))
}
