/**
 * `agentd link hub init`: a hub of one's own, and this machine its first node.
 *
 * @see FED-12, FED-14, FED-40, FED-44
 */
import { hostname } from 'node:os'
import { UsageError } from '../../../core/errors.ts'
import { createCertificate } from '../../../host/links/certificate.ts'
import { HUB_SERVER_NAME } from '../../../link/hub-config.ts'
import { createUserNkey } from '../../../link/keys/nkey.ts'
import { ownRealm } from '../../../link/realm.ts'
import { isHubUrl } from '../../../link/text/hub-url.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { askPerson } from '../../authority/person.ts'
import { asUsage } from '../../run/as-usage.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readList, readTextOption } from '../../run/options.ts'
import { findSignedNode, type OwnNode } from './kept/own-node.ts'
import { signEstate } from './kept/hub-estate.ts'
import { isServerName, readListen, type HubFile } from './kept/hub-file.ts'
import { HubHome } from './kept/hub-home.ts'
import { createNode, joinText, nodeNameOf, requireNode, withNode } from './kept/hub-node.ts'
import { findServerProgram } from './hub-server.ts'
import { FOREGROUND, writeHubUnit } from './hub-unit.ts'
import { homeWord } from './home-word.ts'

/** The command's work. */
export async function initHub(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  const home = new HubHome(environment)
  if (home.find() !== undefined)
    throw new UsageError(
      `There is a hub of yours in ${home.path}; "agentd link hub list" says who is let in.`,
    )
  const authority = new AuthorityFolder(environment)
  const { principal } = authority.handles()
  // What this machine is in an organisation already it is to its hub too: its batches there are signed by that key.
  const known = findSignedNode(environment, authority, principal)
  const node = nameOf(context, known)
  const empty = emptyHub(context, principal)
  // Before anything is asked: where it cannot be made, there is nothing to ask.
  const certificate = createCertificate(HUB_SERVER_NAME, environment.env['PATH'])
  const made = authority.findSigner(principal) === undefined ? ', and make the key that signs for you' : ''
  const question = `Make a hub for the machines of ${principal}, with this one as "${node}"${made}?`
  if (!askPerson(context, question)) return EXIT.done
  const path = await home.alone(async () => {
    home.putCertificate(certificate)
    const own = createNode(node, known?.node_key)
    const estate = await signEstate(authority, principal, (nodes) => [
      // Those that were signed for an organisation stay.
      ...nodes.filter((one) => one.node !== node),
      own.inEstate,
    ])
    const hub = { ...withNode(empty, own), own: node }
    const join = home.putJoin(node, joinText(hub, own, home.authority(), estate))
    home.put(hub)
    return join
  })
  const unit = writeHubUnit(environment)
  output.data({ hub: home.path, node, urls: empty.urls, join: path, unit: unit.written, run: unit.start })
  output.say(`made the hub of ${principal} in ${homeWord(home.path, environment)}`)
  if (unit.note !== undefined) output.note(unit.note)
  tellNext(context, { start: unit.start, path })
  return EXIT.done
}

function tellNext({ output, environment }: CommandContext, next: { start: string; path: string }): void {
  const { cyan } = output.paint
  if (findServerProgram(environment) === undefined)
    output.say(
      `first install nats-server:  ${cyan('sudo apt install nats-server')} (or brew install nats-server)`,
    )
  output.say(
    next.start === FOREGROUND
      ? 'start it, in a terminal that stays open:'
      : 'start it, now and at every login:',
  )
  output.say(`  ${cyan(next.start)}`)
  output.say('then link this machine to it:')
  output.say(`  ${cyan(`agentd link add home ${homeWord(next.path, environment)} --allow all`)}`)
  output.say('and invite each other machine, by the name it is to have:')
  output.say(`  ${cyan('agentd link hub invite devbox')}`)
}

/** @throws UsageError for another name than this machine has */
function nameOf({ options }: CommandContext, known: OwnNode | undefined): string {
  const wanted = readTextOption(options, 'node')
  if (known === undefined) return requireNode(wanted ?? nodeNameOf(hostname()))
  if (wanted === undefined || wanted === known.node) return known.node
  throw new UsageError(`This machine is "${known.node}" among yours already; leave out --node ${wanted}.`)
}

/** A hub that nobody may enter yet. @throws UsageError for options that make none */
function emptyHub({ options }: CommandContext, principal: string): HubFile {
  const listen = readTextOption(options, 'listen') ?? ''
  const place = readListen(listen)
  if (place === undefined)
    throw new UsageError(`--listen is "${listen}"; write an address and a port such as 192.168.1.10:4222.`)
  const name = readTextOption(options, 'name') ?? `agentd-${nodeNameOf(hostname())}`
  if (!isServerName(name))
    throw new UsageError(`--name is "${name}"; write letters, digits, dots and hyphens.`)
  const urls = readList(options, 'url') ?? [`nats://${listen}`]
  if (!urls.every(isHubUrl)) throw new UsageError('--url takes addresses such as nats://hub.example:4222.')
  if (EVERYWHERE.has(place.host) && readList(options, 'url') === undefined)
    throw new UsageError(
      `${listen} is no address to come to: add --url nats://HOST:${place.port}, by which the other machines reach this one.`,
    )
  const admin = createUserNkey()
  const realm = asUsage(() => ownRealm(principal))
  const keys = { admin_seed: admin.seed, admin_nkey: admin.publicKey }
  return { type: 'agentd.hub', v: 1, realm, name, listen, urls, ...keys, nodes: [], realms: [] }
}

/** Where a server listens on every address of its machine. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])
