/**
 * The person's policy for envelopes: the configuration, the keys in their folder, the schemas in theirs.
 *
 * @see AEE-083, AEE-086; docs/http.md §9
 */
import { messageOf } from '../core/thrown.ts'
import { KeyChain } from '../aee/keys/chain.ts'
import type { Key } from '../aee/keys/key.ts'
import { isIntentPattern } from '../aee/schemas/intent-pattern.ts'
import { aeeIntents } from '../aee/intents/intents.ts'
import { policyFor, type PayloadPolicy } from '../aee/schemas/payload-policy.ts'
import type { SchemaRegistry } from '../aee/schemas/registry.ts'
import type { EnvelopePolicy, SignaturePolicy } from '../broker/envelopes/policy.ts'
import { readIntentFiles, watchFolders } from '../host/aee/intent-files.ts'
import { keysDirectory, keysStamp, readKeyFiles } from '../host/aee/key-files.ts'
import type { AeeConfig } from '../host/config/config.ts'
import { safeLine } from '../core/text/safe-text.ts'
import type { DaemonParts } from './parts.ts'
import type { Settings } from './settings.ts'

/** What agentd understands beyond the draft (AEE-C10). */
const EXTENSIONS = ['aee.ext.agentd.jcs-1', 'aee.ext.agentd.effective-priority', 'aee.ext.agentd.references']

/** What the policy is made from. */
export interface LocalPolicyParts {
  readonly daemon: DaemonParts
  readonly settings: Settings
  /** Sentences about what is not as it should be, the policy's own aside. */
  readonly details: () => readonly string[]
}

export class LocalPolicy implements EnvelopePolicy {
  readonly #parts: LocalPolicyParts
  #schemas: SchemaRegistry | undefined
  /** Where they are read from. */
  #folders: readonly string[] = []
  #loading: Promise<SchemaRegistry> | undefined
  #stopWatching = (): void => {}
  #keys = new KeyChain([])
  /** What the folder looked like when the keys were read. */
  #keysStamp: string | undefined
  #keyFault: string | undefined
  /** What could not be read of the folders with schemas, and what counts in its place. */
  #folderFaults: readonly string[] = []
  /** Name → text of the files that payloads are held against: what counts while one of them is broken. */
  #lastGood: ReadonlyMap<string, string> = new Map()

  constructor(parts: LocalPolicyParts) {
    this.#parts = parts
  }

  get isStrict(): boolean {
    return this.#parts.settings.aee.isStrict
  }

  get signatures(): SignaturePolicy {
    return this.#parts.settings.aee.signatures
  }

  get allowTenFields(): boolean {
    return this.#parts.settings.aee.allowTenFields
  }

  get tellsDecisions(): boolean {
    return this.#parts.settings.aee.tellsDecisions
  }

  get schemas(): SchemaRegistry | undefined {
    return this.#schemas
  }

  /** What is wrong with keys and schemas, for health. */
  get faults(): readonly string[] {
    this.#refreshKeys()
    const keyFaults = this.#keyFault === undefined ? this.#keys.faults : [this.#keyFault]
    const patterns = Object.keys(this.#parts.settings.aee.payloads).filter((one) => !isIntentPattern(one))
    const patternFaults = patterns.map(
      (one) =>
        `"aee.payloads" names ${JSON.stringify(one)}, which no intent can be; write ops.check, ops.* or *.`,
    )
    return [...keyFaults, ...patternFaults, ...this.#folderFaults, ...(this.#schemas?.faults ?? [])]
  }

  /** A key as it stands in the folder now: one that was revoked a moment ago is. */
  findKey(kid: string): Key | undefined {
    this.#refreshKeys()
    return this.#keys.find(kid)
  }

  payloadPolicyFor(intent: string): PayloadPolicy {
    return policyFor(this.#parts.settings.aee.payloads, intent)
  }

  /** Loads the validator, which most daemons never need, and the person's schemas. */
  loadSchemas(): Promise<SchemaRegistry> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** Loads at once what a payload may have to be held against; at the start, and after a reload. */
  async prepare({ schemaFolders, payloads }: AeeConfig): Promise<void> {
    this.#folders = schemaFolders
    this.#stopWatching()
    this.#stopWatching = watchFolders(
      schemaFolders,
      () => void this.#reread(),
      (why) => this.warn(why),
    )
    if (this.#schemas !== undefined) return void (await this.#reread())
    if (schemaFolders.length > 0 || Object.keys(payloads).length > 0) await this.loadSchemas()
  }

  describe() {
    const details = this.#parts.details()
    return {
      status: details.length === 0 ? ('healthy' as const) : ('degraded' as const),
      details,
      version: this.#parts.daemon.version,
      extensions: EXTENSIONS,
      knownIntents: this.#schemas?.intents ?? aeeIntents(),
    }
  }

  close(): void {
    this.#stopWatching()
  }

  async #load(): Promise<SchemaRegistry> {
    const { SchemaRegistry: Registry } = await import('../aee/schemas/registry.ts')
    this.#schemas = this.#readWith(Registry)
    return this.#schemas
  }

  #reread(): Promise<SchemaRegistry> {
    this.#loading = this.#load()
    return this.#loading
  }

  /**
   * What the folders hold now. A file that is there and broken counts as it was before: it is being edited, and
   * `enforce` would let everything through in the meantime.
   */
  #readWith(Registry: typeof SchemaRegistry): SchemaRegistry {
    const { files, refused, faults } = readIntentFiles(this.#folders, this.#parts.daemon.environment.uid)
    const found = new Registry(files)
    const inUse = new Set(found.filesInUse.map(({ name }) => name))
    const broken = new Set([...files.map(({ name }) => name), ...refused].filter((name) => !inUse.has(name)))
    const kept = [...this.#lastGood].flatMap(([name, text]) => (broken.has(name) ? { name, text } : []))
    const keptNames = new Set(kept.map(({ name }) => name))
    const registry =
      kept.length === 0 ? found : new Registry([...files.filter(({ name }) => !keptNames.has(name)), ...kept])
    this.#lastGood = new Map(registry.filesInUse.map(({ name, text }) => [name, text]))
    // One that only refers to a broken one is as it was, and has nothing to tell.
    const changed = kept.filter(
      ({ name, text }) => !files.some((file) => file.name === name && file.text === text),
    )
    const keptFaults = changed.flatMap(({ name }) => [
      ...found.faultsOf(name),
      `The intent schema ${safeLine(name)} counts as it was before, until it is mended.`,
    ])
    this.#folderFaults = [...faults, ...keptFaults]
    for (const fault of [...this.#folderFaults, ...registry.faults]) this.warn(fault)
    return registry
  }

  #refreshKeys(): void {
    const { config, environment } = this.#parts.daemon
    const directory = keysDirectory(config.stateDir)
    const stamp = keysStamp(directory)
    if (stamp === this.#keysStamp) return
    this.#keysStamp = stamp
    try {
      this.#keys = new KeyChain(readKeyFiles(directory, environment.uid))
      this.#keyFault = undefined
    } catch (error) {
      // A folder that is not ours alone holds no key that could be believed.
      this.#keys = new KeyChain([])
      this.#keyFault = messageOf(error)
    }
    const found = this.#keyFault === undefined ? this.#keys.faults : [this.#keyFault]
    for (const fault of found) this.warn(fault)
  }

  warn(message: string): void {
    this.#parts.daemon.log.warn('envelope-policy', { message })
  }
}
