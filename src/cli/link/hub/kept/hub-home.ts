/**
 * The hub of this user as its commands work on it: one file says what it is, and the server's configuration follows from it.
 *
 * @see FED-12, FED-14
 */
import { join } from 'node:path'
import { UsageError } from '../../../../core/errors.ts'
import type { Environment } from '../../../../host/config/paths.ts'
import type { PrivateFolder } from '../../../../host/files/private-folder.ts'
import type { HubCertificate } from '../../../../host/links/certificate.ts'
import {
  HUB_FILES,
  hubFolder,
  hubStore,
  inHubFolder,
  joinFileName,
} from '../../../../host/links/hub-folder.ts'
import { accountsBlock, natsConf, type HubAccount } from '../../../../link/hub-config.ts'
import { createUserNkey } from '../../../../link/keys/nkey.ts'
import { AuthorityFolder } from '../../../authority/authority-folder.ts'
import { decodeHub, encodeHub, type HubFile } from './hub-file.ts'
import { hubRealms } from './hub-realms.ts'

/** Everything in it throws HostRefusal when others could reach the folder. */
export class HubHome {
  readonly #environment: Environment
  readonly #folder: PrivateFolder

  constructor(environment: Environment) {
    this.#environment = environment
    this.#folder = hubFolder(environment)
  }

  /** Where everything of it is. */
  get path(): string {
    return this.#folder.path
  }

  /** What the server is started with. */
  get configPath(): string {
    return join(this.path, HUB_FILES.config)
  }

  /** Where the server writes its number while it runs. */
  get pidPath(): string {
    return join(this.path, HUB_FILES.pid)
  }

  /** Where whoever runs the server is noted, and which one that is. */
  get lockPath(): string {
    return join(this.path, HUB_FILES.lock)
  }

  /** Undefined where there is no hub. @throws AgentdError for a file that is none */
  find(): HubFile | undefined {
    const text = this.#textOf(HUB_FILES.hub)
    return text === undefined ? undefined : decodeHub(text)
  }

  /** @throws UsageError where there is no hub */
  require(): HubFile {
    const hub = this.find()
    if (hub !== undefined) return hub
    throw new UsageError(
      'There is no hub of yours here; "agentd link hub init --listen IP:PORT" makes one, on one machine of yours.',
    )
  }

  /** The authority that links pin. */
  authority(): string {
    return this.#textOf(HUB_FILES.authority) ?? ''
  }

  /** Does something while no other command changes the hub. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return inHubFolder(this.#environment, work)
  }

  /** Puts the certificate there; before {@link put}, which names it. */
  putCertificate({ authority, certificate, key }: HubCertificate): void {
    const texts = [
      [HUB_FILES.authority, authority],
      [HUB_FILES.certificate, certificate],
      [HUB_FILES.key, key],
    ] as const
    for (const [name, text] of texts) this.#put(name, text)
  }

  /**
   * What the hub is from now on, and the configuration that follows from it. The key that makes its streams is another one each
   * time: a server that knows it has taken up this configuration, and one that refuses to read it again does not (FED-43).
   */
  put(put: HubFile): void {
    const { seed, publicKey } = createUserNkey()
    const hub = { ...put, admin_seed: seed, admin_nkey: publicKey }
    const [certPath, keyPath] = [HUB_FILES.certificate, HUB_FILES.key].map((name) => join(this.path, name))
    const { listen, name } = hub
    const storeDir = hubStore(this.#environment)
    const tls = { certPath: certPath ?? '', keyPath: keyPath ?? '' }
    // First what lets others in or keeps them out: whoever is interrupted between the two repeats the command.
    this.#put(
      HUB_FILES.config,
      natsConf({ ...this.#accountOf(hub), listen, name, storeDir, tls, pidPath: this.pidPath }),
    )
    this.#put(HUB_FILES.hub, encodeHub(hub))
  }

  /** What another server has to have for it. */
  accounts(): string {
    return accountsBlock(this.#accountOf(this.require()))
  }

  /** Keeps a join file here. @returns its path */
  putJoin(node: string, text: string): string {
    const name = joinFileName(node)
    this.#put(name, text)
    return join(this.path, name)
  }

  /** The join file of a node; undefined where it was taken away. */
  joinOf(node: string): string | undefined {
    return this.#textOf(joinFileName(node))
  }

  /** Takes a join file away, if it is still here. */
  removeJoin(node: string): void {
    this.#folder.remove(joinFileName(node))
  }

  #textOf(name: string): string | undefined {
    return this.#folder.read(this.#environment.uid).find((file) => file.name === name)?.text
  }

  #put(name: string, text: string): void {
    this.#folder.put({ name, text }, this.#environment.uid)
  }

  #accountOf(hub: HubFile): HubAccount {
    const realms = hubRealms(hub, new AuthorityFolder(this.#environment))
    return { realms, adminNkey: hub.admin_nkey }
  }
}
