/**
 * Installing a document of authority that came over a link, beside those that the person installs: under the same rules, and
 * never under a key that the person does not trust.
 *
 * @see FED-40, FED-44
 */
import { requireNext } from '../../authority/acceptance.ts'
import { readDocument, type SignedDocument } from '../../authority/document.ts'
import { acceptedFile, filesOf, revokedEpochOf } from '../../authority/shelf.ts'
import type { SignerKeys } from '../../authority/signing.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { ensurePrivateDirectory, type Environment } from '../../host/config/paths.ts'
import type { PrivateFolder } from '../../host/files/private-folder.ts'

interface InstalledBy {
  readonly keys: SignerKeys
  readonly nowMs: number
  readonly environment: Environment
}

/** @throws AgentdError as `requireNext`; nothing is changed then. HostRefusal for a folder that is not private */
export function installDocument<Body>(
  folder: PrivateFolder,
  document: SignedDocument<Body>,
  { keys, nowMs, environment }: InstalledBy,
): void {
  const { uid } = environment
  const { body, form } = document
  const id = form.idOf(body)
  const files = folder.read(uid)
  const accepted = files.find(({ name }) => name === acceptedFile(form.noun, id))?.text
  const former = accepted === undefined ? undefined : unlessRefused(() => readDocument(form, accepted))
  requireNext(document, former, { keys, nowMs, revokedEpoch: revokedEpochOf(form.noun, id, files) })
  // A machine whose first document comes over a link has no folder for it yet.
  ensurePrivateDirectory(folder.path, environment)
  for (const file of filesOf(document)) folder.put(file, uid)
}
