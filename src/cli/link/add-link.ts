/**
 * `agentd link add`: this machine becomes a node, and the person says once what may leave.
 *
 * @see FED-06, FED-14, FED-61
 */
import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError } from '../../core/errors.ts'
import { stateDir } from '../../host/config/paths.ts'
import { readJudgedFile, readPrivateFile } from '../../host/files/own-file.ts'
import { addLink, linkFolder, readLinks } from '../../host/links/link-folders.ts'
import { removePending } from '../../host/links/pending-folder.ts'
import { isInvitation, readInvitation } from '../../link/joining/invitation.ts'
import { MAX_LINK_FILE_OCTETS, decodeLink, encodeLink, type HubCredential } from '../../link/link-file.ts'
import { accordToken } from '../../link/audience.ts'
import { realmForm, type Realm } from '../../link/realm.ts'
import { AuthorityFolder } from '../authority/authority-folder.ts'
import { requireNoSession } from '../authority/person.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readDuration, readFlag, readList, readTextOption } from '../run/options.ts'
import { confirm } from '../setup/confirm.ts'
import { allowedBy, readAllowOptions, readSealOption, writeAllow, type Allow } from './allow-rules.ts'
import { joinInvitation, type JoinedFile } from './invitation-file.ts'
import { requireJoinFile } from './join-file.ts'
import { tellLink } from './tell-links.ts'

/** What a first link is called unless the person says otherwise. */
const USUAL_NAME = 'home'

/** Of the name of a link. */
const MAX_NAME_LENGTH = 32

const STDIN = 0

/** The command's work. */
export async function addNewLink(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  requireNoSession(context)
  const state = stateDir(environment)
  const path = args.at(-1) ?? ''
  const named = args.length > 1 ? args[0] : undefined
  if (named !== undefined) linkFolder(state, named)
  const found = await joinFrom(path, context)
  if (found === undefined) return EXIT.done
  const join = adjusted(found, context)
  const { realm } = join
  const seal = readSealOption(context.options, realm)
  const name = named ?? usualName(realm, context)
  const allow = whatLeaves(context, realm)
  const nowMs = Date.now()
  const sinceMs = nowMs - (readDuration(context.options, 'since') ?? 0)
  const text = asUsage(() =>
    encodeLink({ ...join, type: 'agentd.link', since_ms: sinceMs, added_at_ms: nowMs }),
  )
  // First what may leave: the daemon reads both as soon as there is a link.
  writeAllow(environment, name, { allow, seal })
  if (addLink(state, { name, text }, environment) === 'taken')
    throw new UsageError(`There is a link "${name}" already; see "agentd link status".`)
  output.say(`this machine is "${join.node}" at ${join.urls.join(', ')}, by the link "${name}"`)
  removePending(environment, realm)
  const isSecret = realmForm(realm).form === 'person'
  output.note(`${path} is not needed any more${isSecret ? '; whoever has it can be this machine' : ''}.`)
  return (await tellLink(context, name)) ? EXIT.done : EXIT.unreachable
}

/** A join file, or an invitation; in both cases to a realm that no link leads to. @returns undefined for a no */
async function joinFrom(path: string, context: CommandContext): Promise<JoinedFile | undefined> {
  const text = readInvited(path)
  if (text === undefined) {
    const join = requireJoinFile(path, context)
    requireNewRealm(join, context)
    return join
  }
  requireNewRealm(
    asUsage(() => readInvitation(text)),
    context,
  )
  return joinInvitation(text, context)
}

/** The text of an invitation, which holds no secret; undefined for anything else. */
function readInvited(path: string): string | undefined {
  const file = readJudgedFile(path, ({ size }) => (size > MAX_LINK_FILE_OCTETS ? 'too large' : undefined))
  return file.kind === 'text' && isInvitation(file.text) ? file.text : undefined
}

/** An organisation's link is called as it is, and an accord's after both sides. */
function usualName(realm: Realm, { environment }: CommandContext): string {
  const form = realmForm(realm)
  if (form.form === 'org') return form.org.slice(1)
  if (form.form === 'person') return USUAL_NAME
  const id = [...new AuthorityFolder(environment).accords().keys()].find(
    (one) => accordToken(one) === form.accord,
  )
  return (id ?? form.accord).replace('_', '-').slice(0, MAX_NAME_LENGTH).replace(/-$/, '')
}

/** Another address or credential than the one that was handed over. */
function adjusted<File extends JoinedFile>(join: File, { options, environment }: CommandContext): File {
  const [urls, credsPath, caPath] = [
    readList(options, 'server'),
    readTextOption(options, 'creds'),
    readTextOption(options, 'ca'),
  ]
  const creds = credsPath === undefined ? undefined : readPrivateFile(credsPath, environment.uid)
  if (creds !== undefined && creds.kind !== 'text')
    throw new UsageError(
      `The file ${credsPath ?? ''} cannot be taken: ${creds.kind === 'absent' ? 'it is not there' : creds.reason}.`,
    )
  const credential: HubCredential = creds === undefined ? join.credential : { creds: creds.text }
  return {
    ...join,
    credential,
    ...(urls !== undefined && { urls }),
    // A server that is not the hub shows another certificate: its own authority, or one that this machine trusts anyway.
    ...(caPath !== undefined ? { ca: readFileSync(caPath, 'utf8') } : urls !== undefined && { ca: null }),
    domain: readTextOption(options, 'domain') ?? join.domain,
    trust_network: readFlag(options, 'trustNetwork') || join.trust_network,
  }
}

/** Two links into one realm would be two machines of one name. */
function requireNewRealm({ realm }: { readonly realm: Realm }, { environment }: CommandContext): void {
  const others = readLinks(stateDir(environment), environment.uid)
  const there = others.find(({ text }) => asUsage(() => decodeLink(text)).realm === realm)
  if (there !== undefined)
    throw new UsageError(
      `The link "${there.name}" leads there already; "agentd link remove ${there.name}" first.`,
    )
}

/** Said in options, or asked once; where nobody can be asked, nothing leaves (FED-06). */
function whatLeaves(context: CommandContext, realm: Realm): Partial<Allow> {
  const { options, output } = context
  const said = readAllowOptions(options)
  if (readTextOption(options, 'allow') !== undefined || Object.keys(said).length > 0) return said
  const canAsk = isatty(STDIN) && output.isTerminal && output.notesAreRead
  if (canAsk && confirm(context, mayLeave(realm))) return allowedBy('all')
  return allowedBy('none')
}

function mayLeave(realm: Realm): string {
  const { form } = realmForm(realm)
  if (form === 'person') return 'May everything that is said here go to your other machines?'
  return form === 'org'
    ? 'May what your sessions say to its members, by their handles or as the organisation, go to them?'
    : 'May what your sessions say under its grants, and who is here, go to the other side?'
}
