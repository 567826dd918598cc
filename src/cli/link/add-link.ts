/**
 * `agentd link add`: this machine becomes a node, and the person says once what may leave.
 *
 * @see FED-06, FED-14, FED-61
 */
import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError } from '../../core/errors.ts'
import { stateDir } from '../../host/config/paths.ts'
import { readPrivateFile } from '../../host/files/own-file.ts'
import { addLink, linkFolder, readLinks } from '../../host/links/link-folders.ts'
import { decodeLink, encodeLink, type HubCredential, type JoinFile } from '../../link/link-file.ts'
import { requireNoSession } from '../authority/person.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readDuration, readFlag, readList, readTextOption } from '../run/options.ts'
import { confirm } from '../setup/confirm.ts'
import { allowedBy, readAllowOptions, writeAllow, type Allow } from './allow-rules.ts'
import { requireJoinFile } from './join-file.ts'
import { tellLink } from './tell-links.ts'

/** What a first link is called unless the person says otherwise. */
const USUAL_NAME = 'home'

const STDIN = 0

/** The command's work. */
export async function addNewLink(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  requireNoSession(context)
  const [name, path] = args.length > 1 ? [args[0] ?? '', args[1] ?? ''] : [USUAL_NAME, args[0] ?? '']
  const state = stateDir(environment)
  linkFolder(state, name)
  const join = adjusted(requireJoinFile(path, context), context)
  requireNewRealm(join, context)
  const allow = whatLeaves(context)
  const nowMs = Date.now()
  const sinceMs = nowMs - (readDuration(context.options, 'since') ?? 0)
  const text = asUsage(() =>
    encodeLink({ ...join, type: 'agentd.link', since_ms: sinceMs, added_at_ms: nowMs }),
  )
  // First what may leave: the daemon reads both as soon as there is a link.
  writeAllow(environment, name, allow)
  if (addLink(state, { name, text }, environment) === 'taken')
    throw new UsageError(`There is a link "${name}" already; see "agentd link status".`)
  output.say(`this machine is "${join.node}" at ${join.urls.join(', ')}, by the link "${name}"`)
  output.note(`${path} is not needed any more; whoever has it can be this machine.`)
  return (await tellLink(context, name)) ? EXIT.done : EXIT.unreachable
}

/** Another address or credential than the one that was handed over. */
function adjusted(join: JoinFile, { options, environment }: CommandContext): JoinFile {
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
function requireNewRealm({ realm }: JoinFile, { environment }: CommandContext): void {
  const others = readLinks(stateDir(environment), environment.uid)
  const there = others.find(({ text }) => asUsage(() => decodeLink(text)).realm === realm)
  if (there !== undefined)
    throw new UsageError(
      `The link "${there.name}" leads there already; "agentd link remove ${there.name}" first.`,
    )
}

/** Said in options, or asked once; where nobody can be asked, nothing leaves (FED-06). */
function whatLeaves(context: CommandContext): Partial<Allow> {
  const { options, output } = context
  const said = readAllowOptions(options)
  if (readTextOption(options, 'allow') !== undefined || Object.keys(said).length > 0) return said
  const canAsk = isatty(STDIN) && output.isTerminal && output.notesAreRead
  if (canAsk && confirm(context, 'May everything that is said here go to your other machines?'))
    return allowedBy('all')
  return allowedBy('none')
}
