/**
 * The handles and documents of this user, as they stand in their folder now; kept as they were while what is there may not count.
 *
 * @see FED-40, FED-56; ACQ-11
 */
import { ACCORD, type Accord } from '../authority/accord.ts'
import { CHARTER, Roll, type Charter } from '../authority/charter.ts'
import { stateOf, type DocumentState, type SignedDocument } from '../authority/document.ts'
import { DocumentTimes } from '../authority/document-times.ts'
import { findGrant, type Granted, type Passage } from '../authority/granting.ts'
import { Handles, readHandles } from '../authority/handles.ts'
import { acceptedFile, filesOf, judgeShelf, removalOf, type DocumentFile } from '../authority/shelf.ts'
import { keysNaming } from '../authority/signing.ts'
import type { KeyRing } from '../aee/keys/key.ts'
import type { Authority } from '../broker/authority/authority.ts'
import { senderActor } from '../broker/origins/owner.ts'
import { Observers } from '../core/collections/observers.ts'
import { AgentdError } from '../core/errors.ts'
import { orRefusal } from '../core/thrown.ts'
import { HANDLES_FILE, authorityFolder } from '../host/authority/authority-files.ts'
import { installDocument } from './place/install-document.ts'
import { HostRefusal } from '../host/files/refusal.ts'
import type { PrivateFolder } from '../host/files/private-folder.ts'
import type { DaemonParts } from './parts.ts'

/** What it is made from. */
interface LocalAuthorityParts {
  readonly daemon: Pick<DaemonParts, 'clock' | 'config' | 'environment' | 'log'>
  readonly keys: KeyRing
  /** Changes with the keys. */
  readonly keysStamp: () => string
}

/** A charter, and its members looked up. */
interface Held {
  readonly document: SignedDocument<Charter>
  readonly roll: Roll
}

export class LocalAuthority implements Authority {
  readonly #parts: LocalAuthorityParts
  readonly #folder: PrivateFolder
  readonly #observers = new Observers<[]>()
  readonly #times: DocumentTimes
  #handles: Handles
  #held: ReadonlyMap<string, Held> = new Map()
  /** Those that count; whether each holds now is another question. */
  accords: readonly SignedDocument<Accord>[] = []
  /** What the folders looked like when they were read. */
  #stamp = ''
  #stopWatching: (() => void) | undefined
  /** Whether the folder was read once. */
  #hasRead = false
  /** Why what is there could not be read as a whole, and which charters may not count. */
  #unreadable: string | undefined
  #refused: string[] = []

  /** @throws HostRefusal for declared handles that cannot be read: nobody would know whose sessions are whose */
  constructor(parts: LocalAuthorityParts) {
    const { config } = parts.daemon
    this.#parts = parts
    this.#folder = authorityFolder(config.stateDir)
    this.#handles = new Handles(config.principal)
    this.#times = new DocumentTimes(parts.daemon.clock, () => this.#observers.tell())
    this.refresh()
    if (this.#unreadable !== undefined) throw new HostRefusal(this.#unreadable)
  }

  get principal(): string {
    return this.#parts.daemon.config.principal
  }

  get hasOrganisations(): boolean {
    return this.#held.size > 0
  }

  get hasAccords(): boolean {
    return this.accords.length > 0
  }

  /** Sentences about what may not count. */
  get faults(): readonly string[] {
    this.refresh()
    return this.#unreadable === undefined ? this.#refused : [this.#unreadable, ...this.#refused]
  }

  readonly tierOf: Authority['tierOf'] = (handle) => this.#handles.tierOf(handle)

  readonly actorOf: Authority['actorOf'] = (handle) => this.#handles.actorOf(handle)

  readonly membersOf: Authority['membersOf'] = (org, role) => this.#inForce(org)?.roll.of(role)

  readonly organisationsOf: Authority['organisationsOf'] = (member) =>
    [...this.#held.keys()].filter((org) => this.membersOf(org, undefined)?.has(member) === true).toSorted()

  readonly rolesIn: Authority['rolesIn'] = (org) => {
    const members = this.inForce(org)?.body.members
    return members && new Map(members.map(({ handle, roles }) => [handle, roles]))
  }

  readonly grantFor: Authority['grantFor'] = ({ org, grant }, by) => {
    const found = this.#find({ org, grant, ...by })
    return typeof found === 'string' ? found : { ...found.grant, name: found.name }
  }

  readonly reachedBy: Authority['reachedBy'] = ({ org, grant }, { kind, ...sent }) => {
    const actor = senderActor({ origin: undefined, ...sent }, this)
    const found = this.#find({ org, grant, actor, kind })
    return typeof found === 'string' ? undefined : found.handles
  }

  /** The charter of an organisation that is in force now. */
  readonly inForce = (org: string): SignedDocument<Charter> | undefined => this.#inForce(org)?.document

  /**
   * Puts a document that came over a link where the person's commands put theirs.
   * @throws AgentdError as `requireNext`, by the keys that are trusted here; HostRefusal for a folder that is not private
   */
  install<Body>(document: SignedDocument<Body>): void {
    installDocument(this.#folder, document, { ...this.#by, environment: this.#parts.daemon.environment })
    this.#readAnew()
  }

  standingOf(org: string): string {
    const held = this.#held.get(org)
    return held ? `The charter of ${org} is ${this.#stateOf(held)}.` : `There is no charter of ${org} here.`
  }

  onChange(observer: () => void): void {
    this.#observers.add(observer)
  }

  refresh(): void {
    const stamp = `${this.#folder.stamp} ${this.#parts.keysStamp()}`
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    this.#read()
  }

  close(): void {
    this.#times.close()
    this.#stopWatching?.()
  }

  #readAnew(): void {
    this.#stamp = ''
    this.refresh()
  }

  #read(): void {
    this.#unreadable = undefined
    this.#refused = []
    try {
      const files = this.#folder.read(this.#parts.daemon.environment.uid)
      this.#readHandles(files)
      this.#readCharters(files)
      this.#readAccords(files)
      this.#hasRead = true
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error
      // What others could have written says nothing; what was read before goes on counting.
      this.#unreadable = error.message
    }
    for (const message of this.faults) this.#parts.daemon.log.warn('authority', { message })
    this.#watch()
    this.#times.follow([...[...this.#held.values()].map(({ document }) => document), ...this.accords])
    this.#observers.tell()
  }

  #readHandles(files: readonly DocumentFile[]): void {
    const text = files.find(({ name }) => name === HANDLES_FILE)?.text
    const { principal } = this
    const found = text === undefined ? new Handles(principal) : orRefusal(() => readHandles(principal, text))
    if (found instanceof AgentdError) this.#unreadable = `The declared handles are refused: ${found.message}`
    else this.#handles = found
  }

  #readCharters(files: readonly DocumentFile[]): void {
    const held = new Map<string, Held>()
    for (const [id, { document, refusal, isNew, goneEpoch }] of judgeShelf(CHARTER, files, this.#by)) {
      if (goneEpoch !== undefined && this.#wasThere(this.#held.get(`~${id}`)?.document, goneEpoch))
        this.#put(removalOf(CHARTER.noun, id, goneEpoch))
      if (refusal !== undefined) this.#refused.push(`The charter of ~${id} is refused: ${refusal.message}`)
      if (document === undefined) continue
      // Made once for each charter: every frame to the organisation asks.
      const same = this.#held.get(document.body.org)
      const isSame = same?.document.signedText === document.signedText
      held.set(document.body.org, isSame ? same : { document, roll: new Roll(document.body) })
      if (isNew) this.#remember(id, document)
    }
    this.#held = held
  }

  #readAccords(files: readonly DocumentFile[]): void {
    const shelf = [...judgeShelf(ACCORD, files, this.#by)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    this.accords = shelf.flatMap(([id, { document, refusal, isNew, goneEpoch }]) => {
      const held = this.accords.find(({ form, body }) => form.idOf(body) === id)
      if (goneEpoch !== undefined && this.#wasThere(held, goneEpoch))
        this.#put(removalOf(ACCORD.noun, id, goneEpoch))
      if (refusal !== undefined) this.#refused.push(`The accord ${id} is refused: ${refusal.message}`)
      if (document !== undefined && isNew) this.#remember(id, document)
      return document ?? []
    })
  }

  #find(passage: Passage): Granted | string {
    const rollOf = (org: string): Roll | undefined => this.#inForce(org)?.roll
    const nowMs = this.#parts.daemon.clock.nowMs()
    return findGrant(passage, { accords: this.accords, rollOf, nowMs })
  }

  /** What was accepted stays accepted, also where a file was only copied here. */
  #remember<Body>(id: string, document: SignedDocument<Body>): void {
    const name = acceptedFile(document.form.noun, id)
    const file = filesOf(document).find((one) => one.name === name)
    if (file !== undefined) this.#put(file)
  }

  /** Whether what is gone was there: a command that installs one writes first that it is accepted. */
  #wasThere(held: { readonly authorityEpoch: number } | undefined, goneEpoch: number): boolean {
    return !this.#hasRead || held?.authorityEpoch === goneEpoch
  }

  #put(file: DocumentFile): void {
    this.#folder.put(file, this.#parts.daemon.environment.uid)
  }

  /** Whoever is a member no more has to be cut off, though nobody asks. */
  #watch(): void {
    if (this.#folder.stamp === 'absent') return
    this.#stopWatching ??= this.#folder.watch(
      () => this.#readAnew(),
      (message) => this.#parts.daemon.log.warn('authority', { message }),
    )
  }

  get #by() {
    const { daemon, keys } = this.#parts
    return { keys: keysNaming(keys), nowMs: daemon.clock.nowMs(), uid: daemon.environment.uid }
  }

  #inForce(org: string): Held | undefined {
    const held = this.#held.get(org)
    return held !== undefined && this.#stateOf(held) === 'in force' ? held : undefined
  }

  #stateOf({ document }: Held): DocumentState {
    return stateOf(document, this.#parts.daemon.clock.nowMs())
  }
}
