/**
 * `agentd link status`, `allow` and `remove`.
 *
 * @see FED-61, FED-65
 */
import { UsageError } from '../../core/errors.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { stateDir } from '../../host/config/paths.ts'
import { readLinks, removeLink, type StoredLink } from '../../host/links/link-folders.ts'
import { decodeLink } from '../../link/link-file.ts'
import { realmForm } from '../../link/realm.ts'
import { askPerson, requireNoSession } from '../authority/person.ts'
import type { CommandContext } from '../run/command-context.ts'
import { asUsage } from '../run/as-usage.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readFlag } from '../run/options.ts'
import { findDaemon } from '../run/stop-daemon.ts'
import {
  allowInWords,
  readAllow,
  readAllowOptions,
  readSeal,
  readSealOption,
  writeAllow,
} from './allow-rules.ts'
import { askLinks, reloadDaemon } from './ask-links.ts'
import { linkLines } from './link-lines.ts'
import { tellLink } from './tell-links.ts'

/** `agentd link status`: starts nothing. */
export async function showLinks(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  const stored = readLinks(stateDir(environment), environment.uid)
  if (stored.length === 0) {
    output.data({ links: [] })
    output.say('there is no link; "agentd link add FILE" adds one, and docs/link.md says how to get a file')
    return EXIT.done
  }
  const client = await findDaemon(context)
  if (client === undefined) {
    output.data({ links: [], stored: stored.map(({ name }) => name) })
    output.say(`agentd is not running, and so no link is: ${stored.map(({ name }) => name).join(', ')}`)
    return EXIT.unreachable
  }
  const { socketPath } = client
  await client.close()
  const links = await askLinks(socketPath, context)
  output.data({ links })
  const nowMs = Date.now()
  for (const link of links) for (const line of linkLines(link, nowMs, output.paint)) output.answer(line)
  return EXIT.done
}

/** `agentd link allow`: says what may leave, or changes it. */
export async function allowOnLink(context: CommandContext): Promise<ExitCode> {
  const { environment, output, options } = context
  const { name, text } = requireStored(context)
  const { realm } = asUsage(() => decodeLink(text))
  const [allow, seal] = [readAllowOptions(options), readSealOption(options, realm)]
  if (Object.keys(allow).length === 0 && seal === undefined) {
    const now = readAllow(environment, name)
    const sealed = readSeal(environment, name)
    output.data({ name, allow: now, ...(sealed !== undefined && { seal: sealed }) })
    output.answer(ruleInWords(environment, name))
    return EXIT.done
  }
  requireNoSession(context)
  writeAllow(environment, name, { allow, seal })
  output.say(`what leaves over "${name}": ${ruleInWords(environment, name)}`)
  return (await tellLink(context, name)) ? EXIT.done : EXIT.unreachable
}

function ruleInWords(environment: CommandContext['environment'], name: string): string {
  const words = allowInWords(readAllow(environment, name))
  return readSeal(environment, name) === undefined ? words : `${words}; sealed`
}

/** `agentd link remove`. */
export async function removeNamedLink(context: CommandContext): Promise<ExitCode> {
  const { environment, output, options } = context
  requireNoSession(context)
  const { name, text } = requireStored(context)
  const question = `Take the link "${name}" away, with its keys? ${againInWords(text)}`
  const isToldTo = readFlag(options, 'yes') && !readFlag(options, 'dryRun')
  if (!isToldTo && !askPerson(context, question)) return EXIT.done
  removeLink(stateDir(environment), name)
  writeAllow(environment, name, undefined)
  const client = await findDaemon(context)
  if (client !== undefined) {
    reloadDaemon(client.socketPath)
    await client.close()
    // The daemon looks at the folders when it is asked.
    await askLinks(client.socketPath, context)
  }
  output.data({ removed: name })
  output.say(`the link "${name}" is gone`)
  output.note(afterwards(text))
  return EXIT.done
}

/** What is left of it elsewhere, and who takes that away. */
function afterwards(text: string): string {
  const file = unlessRefused(() => decodeLink(text))
  if (file === undefined) return 'Whoever keeps its hub lets this machine in until it is revoked there.'
  const { handle = '', node, realm } = file
  const form = realmForm(realm)
  if (form.form === 'person')
    return `Where the hub is, "agentd link hub revoke ${node}" takes this machine out of your estate.`
  const whom = form.form === 'org' ? form.org : 'the accord'
  return `You stay what you were in ${whom}; whoever keeps its hub lets this machine in no more with: agentd link hub revoke ${handle}/${node}`
}

/** How it is added again. A file that cannot be read is a link all the same. */
function againInWords(text: string): string {
  const realm = unlessRefused(() => decodeLink(text))?.realm
  const form = realm === undefined ? undefined : realmForm(realm)
  if (form?.form === 'org') return `Adding it again takes another request: agentd org request ${form.org}`
  if (form?.form === 'accord') return 'Adding it again takes another request: agentd accord request'
  return 'Adding it again takes another file.'
}

/** @throws UsageError with the choices */
function requireStored({ args, environment }: CommandContext): StoredLink {
  const links = readLinks(stateDir(environment), environment.uid)
  const names = links.map(({ name }) => name)
  const [given] = args
  const meant = given === undefined ? links : links.filter(({ name }) => name === given)
  const [only] = meant
  if (only !== undefined && meant.length === 1) return only
  if (names.length === 0) throw new UsageError('There is no link; "agentd link add FILE" adds one.')
  throw new UsageError(
    `${given === undefined ? 'Say which link' : `There is no link "${given}"`}: ${names.join(', ')}.`,
  )
}
