/**
 * The links of this daemon, loaded where there is one: until then nothing of them is read but whether their folder is there
 * (FED-01).
 *
 * Who adds a link, or takes one away, asks for the list of them; the folder is looked at then, when the configuration is read
 * again, and whenever something in it comes or goes.
 *
 * @see docs/http.md §13; FED-01, FED-07
 */
import type { Broker } from '../../broker/broker.ts'
import type { Remote } from '../../broker/remote/remote.ts'
import type { Clock } from '../../core/clock.ts'
import { Observers } from '../../core/collections/observers.ts'
import type { Logger } from '../../core/log.ts'
import { messageOf, unlessRefused } from '../../core/thrown.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { verifyEnvelope } from '../../aee/keys/signature.ts'
import type { EnvelopePolicy } from '../../broker/envelopes/policy.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Accords } from '../../gateway/accord/held-accord.ts'
import type { Charters } from '../../gateway/in/held-charter.ts'
import type { EstatePlace } from '../../gateway/in/held-estate.ts'
import { rulesOfLink, type Config } from '../../host/config/config.ts'
import type { Environment } from '../../host/config/paths.ts'
import { watchNames } from '../../host/files/private-file.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import {
  ESTATE_FILE,
  hasLinks,
  linkFolder,
  linksDirectory,
  readLinkEstate,
  readLinks,
} from '../../host/links/link-folders.ts'
import { BRIDGE_ENTRY } from '../../host/package.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import type { LinksPort } from '../../server/ports/link-port.ts'

/** What is read where it is applied, because it may be reloaded. */
interface LiveRules {
  readonly aee: Pick<Config['aee'], 'boundary'>
  readonly links: Config['links']
}

/** What a link asks about organisations and keys. */
export interface LinkJudges {
  readonly charters: Charters
  readonly accords: Accords
  readonly policy: Pick<EnvelopePolicy, 'findKey' | 'allowTenFields'>
}

interface LinksPlace {
  readonly daemon: {
    readonly clock: Clock
    readonly config: Pick<Config, 'socketPath' | 'stateDir'>
    readonly environment: Environment
    readonly log: Logger
  }
  readonly settings: LiveRules
}

export class LinksLoader {
  readonly #place: LinksPlace
  readonly #changes = new Observers<[]>()
  #broker: Broker | undefined
  #judges: LinkJudges | undefined
  #gateway: Gateway | undefined
  /** The look that is under way, or the last one. */
  #looking: Promise<void> = Promise.resolve()
  #stopWatching: (() => void) | undefined
  #fault: string | undefined
  #isClosed = false

  constructor(place: LinksPlace) {
    this.#place = place
  }

  /** What the broker knows of other nodes. */
  readonly remote: Remote = ((loader: LinksLoader): Remote => ({
    get isLinked() {
      return loader.#gateway?.isLinked === true
    },
    nodes: () => loader.#gateway?.nodes() ?? [],
    knowsEntity: (name) => loader.#gateway?.knowsEntity(name) === true,
    reaches: (scope) => loader.#gateway?.reaches(scope),
    leaves: (retained) => loader.#gateway?.leaves(retained) === true,
    tooLargeFor: (retained) => loader.#gateway?.tooLargeFor(retained) ?? [],
    ownNodes: () => loader.#gateway?.ownNodes(),
    onChange: (observer) => void loader.#changes.add(observer),
  }))(this)

  /** What the server asks for. */
  readonly port: LinksPort = ((loader: LinksLoader): LinksPort => ({
    get isLinked() {
      return loader.#isThere
    },
    linkOf: (token) => loader.#gateway?.linkOf(token),
    list: () => loader.#list(),
    metrics: async () => (await loader.#gateway?.metrics()) ?? [],
  }))(this)

  /** Sentences about what is not as it should be. */
  get faults(): readonly string[] {
    return this.#fault === undefined ? [] : [this.#fault]
  }

  /** Begins, where there is a link. */
  resume(broker: Broker, judges: LinkJudges): Promise<void> {
    this.#broker = broker
    this.#judges = judges
    return this.look()
  }

  /** Looks for links that were added or taken away, and for what may leave over them. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  /** Ends every bridge. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWatching?.()
    await this.#looking
    await this.#gateway?.close()
  }

  async #list(): ReturnType<LinksPort['list']> {
    await this.look()
    return this.#gateway === undefined || this.#gateway.count === 0 ? undefined : this.#gateway.list()
  }

  get #isThere(): boolean {
    if (this.#gateway !== undefined && this.#gateway.count > 0) return true
    try {
      return hasLinks(this.#place.daemon.config.stateDir)
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      return false
    }
  }

  async #look(): Promise<void> {
    const { config, environment, log } = this.#place.daemon
    if (this.#isClosed || (!this.#isThere && this.#gateway === undefined)) return
    try {
      const links = readLinks(config.stateDir, environment.uid)
      const gateway = (this.#gateway ??= await this.#open())
      await gateway.have(links)
      gateway.reloaded()
      this.#fault = undefined
      this.#watch()
    } catch (error) {
      // Whatever it is, frames go on here, and the next look tries again.
      this.#fault = `The links are not served: ${messageOf(error)}`
      log.error('links', { message: messageOf(error) })
    }
    this.#changes.tell()
  }

  async #open(): Promise<Gateway> {
    const { daemon, settings } = this.#place
    const { clock, config, environment, log } = daemon
    const [broker, judges] = [this.#broker, this.#judges]
    if (broker === undefined || judges === undefined)
      throw new TypeError('links are looked for before there is a broker')
    const { Gateway } = await import('../../gateway/gateway.ts')
    const gateway = new Gateway({
      charters: judges.charters,
      accords: judges.accords,
      isSigned: ({ envelope }) => isSigned(envelope, judges.policy, clock.nowMs()),
      broker,
      clock,
      log,
      defer: setImmediate,
      boundary: () => settings.aee.boundary,
      rulesOf: (name) => rulesOfLink(settings, name),
      socketPath: config.socketPath,
      program: { nodePath: process.execPath, entry: BRIDGE_ENTRY, env: daemonVariables(environment) },
      placeOf: (name) => ({
        read: () => readLinkEstate(config.stateDir, name, environment.uid),
        put: (text) => linkFolder(config.stateDir, name).put({ name: ESTATE_FILE, text }, environment.uid),
      }),
      standingsOf: (name) => this.#standingsOf(name),
    })
    gateway.changes.add(() => this.#changes.tell())
    return gateway
  }

  #standingsOf(link: string): EstatePlace {
    const { config, environment } = this.#place.daemon
    const folder = (): ReturnType<typeof linkFolder> => linkFolder(config.stateDir, link)
    return {
      read: () =>
        folder()
          .read(environment.uid)
          .find(({ name }) => name === STANDINGS_FILE)?.text,
      put: (text) => folder().put({ name: STANDINGS_FILE, text }, environment.uid),
    }
  }

  #watch(): void {
    const { config, log } = this.#place.daemon
    if (this.#isClosed) return
    this.#stopWatching ??= watchNames(
      linksDirectory(config.stateDir),
      () => void this.look(),
      (message) => log.warn('links', { message }),
    )
  }
}

/** Which estates of other members were accepted, by their epochs. */
const STANDINGS_FILE = 'standings.json'

function isSigned(envelope: Envelope, policy: LinkJudges['policy'], nowMs: number): boolean {
  const keys = { find: (kid: string) => policy.findKey(kid) }
  const { allowTenFields } = policy
  return unlessRefused(() => verifyEnvelope(envelope, { keys, nowMs, allowTenFields })) === 'verified'
}
