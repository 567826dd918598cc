/**
 * `agentd org`: organisations you are in, and the charters that say who else is.
 *
 * @see memo §6, AC-120, AC-121, AC-125; FED-40, FED-44
 */
import { Command } from 'commander'
import { listOrganisations, showOrganisation } from '../../authority/org-report.ts'
import { initOrganisation, installCharter, removeCharter } from '../../authority/org-charters.ts'
import { thenTellHub } from '../../link/accord/publish-accord.ts'
import { inviteMember } from '../../link/org/invite-member.ts'
import { addMember, removeMember } from '../../link/org/org-members.ts'
import { publishOrganisation } from '../../link/org/publish-org.ts'
import { requestMembership } from '../../link/org/request-membership.ts'
import { runs } from '../../run/command-context.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function orgCommand(): Command {
  return new Command('org')
    .helpGroup(GROUPS.people)
    .description('Organisations: who is a member, in which roles')
    .addHelpText('after', '\nExample: agentd org init ~acme')
    .addCommand(
      new Command('init')
        .description('Found an organisation here, with you as its first member; asks at a terminal')
        .argument('<org>', 'its handle, such as ~acme')
        .option('--role <roles>', 'your own roles, with commas between (default: owner)')
        .option('--until <time>', 'the charter holds until this RFC 3339 time')
        .addHelpText('after', '\nExample: agentd org init ~acme --role owner,dev')
        .action(runs(initOrganisation)),
    )
    .addCommand(memberCommand())
    .addCommand(
      new Command('request')
        .description('Ask an organisation to let this machine in; asks at a terminal')
        .argument('<org>', 'its handle, such as ~acme')
        .option('--node <name>', "the name of this machine (default: the one it has, or the host's)")
        .option('--to <file>', 'the file to write (default: stdout)')
        .addHelpText('after', '\nExample: agentd org request ~acme --to bob.request')
        .action(runs(requestMembership)),
    )
    .addCommand(
      new Command('invite')
        .description('Let a machine of a member in, by your hub and with a new charter; asks at a terminal')
        .argument('<request>', 'what "org request" wrote')
        .option('--role <roles>', 'roles of the member, with commas between (default: those they have)')
        .option('--entities <names>', 'entities the member speaks for, with commas between')
        .option('--to <file>', 'the file to write (default: stdout)')
        .addHelpText('after', '\nExample: agentd org invite bob.request --role dev --to bob.invitation')
        .action(runs(inviteMember)),
    )
    .addCommand(
      new Command('publish')
        .description('Hand a charter that changed to everybody whom your hub lets in')
        .argument('<org>', 'its handle')
        .addHelpText('after', '\nExample: agentd org publish ~acme')
        .action(runs(publishOrganisation)),
    )
    .addCommand(
      new Command('list')
        .description('The organisations there are, and whether their charters hold')
        .addHelpText('after', '\nExample: agentd org list')
        .action(runs(listOrganisations)),
    )
    .addCommand(
      new Command('show')
        .description('The members of an organisation and their roles')
        .argument('[org]', 'its handle; may be left out where there is one')
        .option('--document', 'print the signed charter, to hand it over')
        .addHelpText('after', '\nExample: agentd org show ~acme --document > acme.json')
        .action(runs(showOrganisation)),
    )
    .addCommand(
      new Command('install')
        .description("Take a charter that the organisation's key has signed; asks at a terminal")
        .argument('<file>', 'what "org show --document" printed')
        .addHelpText('after', '\nExample: agentd org install acme.json')
        .action(runs(thenTellHub(installCharter))),
    )
    .addCommand(
      new Command('remove')
        .description('Take a charter away; no older one is ever taken again. Asks at a terminal')
        .argument('<org>', 'its handle')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd org remove ~acme')
        .action(runs(removeCharter)),
    )
}

function memberCommand(): Command {
  return new Command('member')
    .description('Members: add, change and remove them')
    .addHelpText('after', '\nExample: agentd org member add ~bob --role dev')
    .addCommand(
      new Command('add')
        .description('Add a member, or give one other roles; asks at a terminal')
        .argument('<handle>', 'such as ~bob')
        .option('--role <roles>', 'roles, with commas between')
        .option('--org <org>', 'which organisation; may be left out where you sign for one alone')
        .option('--entities <names>', 'entities the member speaks for, with commas between')
        .option('--key <file>', 'the public key of the member, as "keys export" prints it')
        .addHelpText('after', '\nExample: agentd org member add ~bob --role dev,ops --org ~acme')
        .action(runs(addMember)),
    )
    .addCommand(
      new Command('remove')
        .description('Remove a member, who receives nothing more; asks at a terminal')
        .argument('<handle>', 'such as ~bob')
        .option('--org <org>', 'which organisation; may be left out where you sign for one alone')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd org member remove ~bob')
        .action(runs(removeMember)),
    )
}
