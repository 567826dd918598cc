/**
 * Handles and documents of this user, as the command line works on them.
 *
 * What it writes was judged before; a daemon that runs judges it again, and sees it with the next request.
 *
 * @see FED-40, FED-44
 */
import { formatKeyFields } from '../../aee/keys/fields.ts'
import type { Key } from '../../aee/keys/key.ts'
import { createKey } from '../../aee/keys/new-key.ts'
import { requireNext } from '../../authority/acceptance.ts'
import { ACCORD, type Accord } from '../../authority/accord.ts'
import { CHARTER, type Charter } from '../../authority/charter.ts'
import { readDocument, type DocumentForm, type SignedDocument } from '../../authority/document.ts'
import { Handles, formatHandles, readHandles } from '../../authority/handles.ts'
import {
  acceptedFile,
  documentFile,
  filesOf,
  judgeShelf,
  removalOf,
  revocationOf,
  revokedEpochOf,
  type Shelf,
} from '../../authority/shelf.ts'
import { keysNaming, signDocument } from '../../authority/signing.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { HANDLES_FILE, authorityFolder, inAuthorityFolder } from '../../host/authority/authority-files.ts'
import { stateDir, type Environment } from '../../host/config/paths.ts'
import { principalFrom } from '../../host/config/principal.ts'
import type { PrivateFolder } from '../../host/files/private-folder.ts'
import { KeyFolder } from '../keys/key-folder.ts'

/** Everything in it throws HostRefusal when others could reach the folder. */
export class AuthorityFolder {
  readonly #environment: Environment
  readonly #folder: PrivateFolder
  readonly #keys: KeyFolder

  constructor(environment: Environment) {
    this.#environment = environment
    this.#folder = authorityFolder(stateDir(environment))
    this.#keys = new KeyFolder(environment)
  }

  /** The handles of this user. @throws AgentdError for a file that is none */
  handles(): Handles {
    const principal = principalFrom(this.#environment)
    const text = this.#textOf(HANDLES_FILE)
    return text === undefined ? new Handles(principal) : readHandles(principal, text)
  }

  async putHandles(handles: Handles): Promise<void> {
    const { uid } = this.#environment
    await this.#write((folder) => folder.put({ name: HANDLES_FILE, text: formatHandles(handles) }, uid))
  }

  /** Every charter there is, judged now. */
  charters(): Shelf<Charter> {
    return this.#shelf(CHARTER)
  }

  /** Every accord there is, judged now. */
  accords(): Shelf<Accord> {
    return this.#shelf(ACCORD)
  }

  /** The key of this user that signs for a handle: of those that may now, the one that was made last. */
  findSigner(handle: string, isMeant: (key: Key) => boolean = () => true): Key | undefined {
    return this.signersOf(handle).find((key) => key.canSign && isMeant(key))
  }

  /** Keys that are trusted now to sign for a handle, this user's and others', the last one first. */
  signersOf(handle: string): readonly Key[] {
    return this.#keys
      .read()
      .keys.filter(
        (key) =>
          key.alg === 'ed25519' && key.entities.includes(handle) && key.stateAt(Date.now()) === 'trusted',
      )
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  }

  /** Makes a key that signs for a handle, where there is none. */
  signerFor(handle: string): Key {
    const there = this.findSigner(handle)
    if (there !== undefined) return there
    const { kid, text } = createKey({ alg: 'ed25519', entities: [handle], nowMs: Date.now() })
    this.#keys.add(kid, text)
    return this.#keys.require(kid)
  }

  /** Trusts somebody's key to sign for a handle, unless it is trusted already. @throws UsageError when its id is taken */
  trust(handle: string, kid: string, publicX: string): void {
    if (this.signersOf(handle).some((key) => key.publicFields()?.public === publicX)) return
    const created_at = new Date().toISOString()
    const fields = { kid, entities: [handle], created_at, public: publicX }
    this.#keys.add(kid, formatKeyFields({ alg: 'ed25519', status: 'trusted', ...fields }))
  }

  /** Signs a document for a handle and installs it. @throws AgentdError as {@link install} */
  async signAndInstall<Body>(document: SignedDocument<Body>, by: string): Promise<Key> {
    const key = this.signerFor(by)
    await this.install(signDocument(document, by, key))
    return key
  }

  /**
   * Installs a document, when it may take the place of the last that was accepted.
   *
   * @throws AgentdError as `requireNext`; nothing is changed then
   */
  async install<Body>(document: SignedDocument<Body>): Promise<void> {
    const { form, body } = document
    const by = { keys: keysNaming(this.#keys.read()), nowMs: Date.now() }
    const { uid } = this.#environment
    const id = form.idOf(body)
    await this.#write((folder) => {
      const revokedEpoch = revokedEpochOf(form.noun, id, this.#files())
      requireNext(document, this.accepted(form, id), { ...by, revokedEpoch })
      for (const file of filesOf(document)) folder.put(file, uid)
      folder.remove(removalOf(form.noun, id, 0).name)
    })
  }

  /**
   * Takes a document away; what was accepted of it is remembered, and stands in for nothing until it is installed again.
   *
   * @returns whether it was there
   */
  async remove<Body>(form: DocumentForm<Body>, id: string): Promise<boolean> {
    const name = documentFile(form.noun, id)
    const isThere = this.#textOf(name) !== undefined
    const { uid } = this.#environment
    const epoch = this.accepted(form, id)?.authorityEpoch
    if (isThere)
      await this.#write((folder) => {
        if (epoch !== undefined) folder.put(removalOf(form.noun, id, epoch), uid)
        folder.remove(name)
      })
    return isThere
  }

  /**
   * Takes a document away for ever: it and every older one are refused from now on, whoever brings them.
   *
   * @returns the epoch up to which that holds; undefined where there is none and none was ever accepted
   */
  async revoke<Body>(form: DocumentForm<Body>, id: string): Promise<number | undefined> {
    const texts = [acceptedFile(form.noun, id), documentFile(form.noun, id)].map((name) => this.#textOf(name))
    const epochs = texts.flatMap((text) => readEpoch(form, text) ?? [])
    if (epochs.length === 0) return undefined
    const epoch = Math.max(...epochs)
    const { uid } = this.#environment
    await this.#write((folder) => {
      // First that it counts no more: whoever is interrupted here has revoked it.
      folder.put(revocationOf(form.noun, id, epoch), uid)
      folder.remove(documentFile(form.noun, id))
    })
    return epoch
  }

  /** The epoch the next document of an id has. */
  nextEpoch<Body>(form: DocumentForm<Body>, id: string): number {
    const accepted = this.accepted(form, id)?.authorityEpoch ?? 0
    return Math.max(accepted, revokedEpochOf(form.noun, id, this.#files())) + 1
  }

  /** The last document of an id that was accepted, though it may have been taken away since. */
  accepted<Body>(form: DocumentForm<Body>, id: string): SignedDocument<Body> | undefined {
    const text = this.#textOf(acceptedFile(form.noun, id))
    return text === undefined ? undefined : unlessRefused(() => readDocument(form, text))
  }

  #shelf<Body>(form: DocumentForm<Body>): Shelf<Body> {
    const keys = keysNaming(this.#keys.read())
    return judgeShelf(form, this.#files(), { keys, nowMs: Date.now() })
  }

  #textOf(name: string): string | undefined {
    return this.#files().find((file) => file.name === name)?.text
  }

  #files() {
    return this.#folder.read(this.#environment.uid)
  }

  #write(work: (folder: PrivateFolder) => void): Promise<void> {
    return inAuthorityFolder(this.#folder, this.#environment, () => work(this.#folder))
  }
}

/** Undefined where there is no text, or none that can be read. */
function readEpoch<Body>(form: DocumentForm<Body>, text: string | undefined): number | undefined {
  return text === undefined ? undefined : unlessRefused(() => readDocument(form, text))?.authorityEpoch
}
