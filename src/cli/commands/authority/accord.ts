/**
 * `agentd accord`: what two organisations grant each other.
 *
 * @see memo §6, AC-122, AC-126, AC-127; FED-40, FED-44
 */
import { Command } from 'commander'
import { draftAccord } from '../../authority/accord-draft.ts'
import { installAccord, listAccords, revokeAccord, signAccord } from '../../authority/accords.ts'
import { inviteParty } from '../../link/accord/invite-party.ts'
import { thenTellHub } from '../../link/accord/publish-accord.ts'
import { requestParty } from '../../link/accord/request-party.ts'
import { runs } from '../../run/command-context.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function accordCommand(): Command {
  return new Command('accord')
    .helpGroup(GROUPS.people)
    .summary('Accords: what two organisations grant each other')
    .description('Accords: what two organisations grant each other, signed by both')
    .addHelpText('after', '\nExample: agentd accord list')
    .addCommand(draftCommand())
    .addCommand(
      new Command('sign')
        .description('Sign a draft, after it was shown in words; asks at a terminal')
        .argument('<file>', 'what "accord draft" printed, or what the other side has signed')
        .option('--org <org>', 'for which side; may be left out where you hold the key of one alone')
        .addHelpText('after', '\nExample: agentd accord sign accord.json')
        .action(runs(signAccord)),
    )
    .addCommand(
      new Command('install')
        .description('Take an accord that both sides have signed; asks at a terminal')
        .argument('<file>', 'the signed accord')
        .addHelpText('after', '\nExample: agentd accord install accord.json')
        .action(runs(thenTellHub(installAccord))),
    )
    .addCommand(
      new Command('request')
        .description('Ask the hub of an accord to let this machine in; asks at a terminal')
        .argument('<accord>', 'its id, such as acme_globex, or the other side')
        .option('--org <org>', 'for which side; may be left out where you are a member of one alone')
        .option('--node <name>', "the name of this machine (default: the one it has, or the host's)")
        .option('--to <file>', 'the file to write (default: stdout)')
        .addHelpText('after', '\nExample: agentd accord request ~globex --to alice.request')
        .action(runs(requestParty)),
    )
    .addCommand(
      new Command('invite')
        .description('Let a machine of either side in, by your hub; asks at a terminal')
        .argument('<request>', 'what "accord request" wrote')
        .option('--to <file>', 'the file to write (default: stdout)')
        .addHelpText('after', '\nExample: agentd accord invite alice.request --to alice.invitation')
        .action(runs(inviteParty)),
    )
    .addCommand(
      new Command('list')
        .description('The accords there are, what they grant, and when they end')
        .addHelpText('after', '\nExample: agentd accord list --json')
        .action(runs(listAccords)),
    )
    .addCommand(
      new Command('revoke')
        .description('Take an accord back, at once and for ever; asks at a terminal')
        .argument('<accord>', 'its id, such as acme_globex, or the other side')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd accord revoke ~globex')
        .action(runs(thenTellHub(revokeAccord))),
    )
}

function draftCommand(): Command {
  return new Command('draft')
    .description('Print a text for both sides to sign; what is granted already stays in it')
    .requiredOption('--with <org>', 'the other side, whose key you trust')
    .requiredOption('--grant <name>', 'what the grant is called in a scope')
    .requiredOption('--reach <whom>', 'all, role:<role> or member:<handle>, with commas between')
    .option('--kinds <kinds>', 'kinds of frames, with commas between')
    .option('--intents <intents>', 'intents of envelopes between linked machines (no effect on one machine)')
    .option('--from <org>', 'whose members may send (default: your side)')
    .option('--org <org>', 'your side; may be left out where you sign for one organisation alone')
    .option('--until <time>', 'the last moment at which it holds, an RFC 3339 time')
    .option('--per-minute <n>', 'what all senders together may send and answer in a minute (default: 60)')
    .option('--max-octets <n>', 'octets of one frame (default: 16384)')
    .addHelpText(
      'after',
      '\nExample: agentd accord draft --with ~globex --grant support --reach role:support --kinds query,response --until 2027-06-01T00:00:00Z > accord.json',
    )
    .action(runs(draftAccord))
}
