/**
 * `agentd link hub revoke ~bob/box`: a machine of somebody else's, cut off from a realm of several people. They stay a member,
 * and their other machines stay where they are.
 *
 * @see FED-43, FED-44
 */
import { UsageError } from '../../../core/errors.ts'
import { realmForm, type NodeAt, type Realm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { askPerson } from '../../authority/person.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import type { HubFile } from './kept/hub-file.ts'
import { HubHome } from './kept/hub-home.ts'
import { withoutSharedNodes } from './kept/shared-nodes.ts'
import { tellServer } from './tell-server.ts'

/** A machine of a member, as it is written: `~bob/box`. */
export function isMembersNode(text: string): boolean {
  return text.startsWith('~')
}

/** The command's work, for a machine of a member. */
export async function revokeMembersNode(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const [text = ''] = args
  const [handle = '', node = ''] = text.split('/')
  const isMeant = (one: NodeAt): boolean => one.handle === handle && one.node === node
  const home = new HubHome(environment)
  const realm = requireRealm(home.require(), context, isMeant)
  const from = realmInWords(realm)
  if (!askPerson(context, `Cut ${text} off from ${from}? ${handle} stays a member.`)) return EXIT.done
  await home.alone(async () => home.put(withoutSharedNodes(home.require(), realm, isMeant)))
  const told = await tellServer(home, new AuthorityFolder(environment))
  output.data({ node: text, realm, hub: told })
  const isCut = told.state !== 'unreached'
  if (isCut) output.say(`${text} is let in to ${from} no more`)
  output.note(told.sentence)
  return isCut ? EXIT.done : EXIT.unreachable
}

/** `~acme`; an accord by its realm. */
export function realmInWords(realm: Realm): string {
  const form = realmForm(realm)
  if (form.form === 'accord') return `the accord ${realm}`
  return form.form === 'org' ? form.org : form.principal
}

/** The realm that is meant: the one that is said, or the only one with that machine. @throws UsageError */
function requireRealm(
  { realms }: HubFile,
  { args, options }: CommandContext,
  isMeant: (one: NodeAt) => boolean,
): Realm {
  const said = readTextOption(options, 'realm')
  const found = realms.filter(
    ({ realm, nodes }) =>
      nodes.some(isMeant) && (said === undefined || said === realm || said === realmInWords(realm)),
  )
  const [only] = found
  if (only !== undefined && found.length === 1) return only.realm
  if (only === undefined)
    throw new UsageError(`The hub lets no machine "${args[0] ?? ''}" in; see "agentd link hub list".`)
  throw new UsageError(`Say from where with --realm: ${found.map(({ realm }) => realm).join(', ')}.`)
}
