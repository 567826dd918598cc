/**
 * What a runtime's own program leaves of its list of servers once ours is out of it: an empty one.
 *
 * @see docs/runtimes.md §1.7; OP-30
 */
import { existsSync } from 'node:fs'
import { readEditedFile, replaceEditedFile } from '../../host/files/edited-file.ts'
import { underFileLock } from '../../host/files/file-lock.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { readFileText } from './file-text.ts'
import { JsonDraft } from './files/json-draft.ts'
import type { ServerList } from './target.ts'

/** Takes the list away if it is empty. Where that cannot be done it stays: it says nothing to anybody. */
export async function removeEmptyList({ path, key }: ServerList, uid: number): Promise<void> {
  if (!existsSync(path)) return
  try {
    await underFileLock(`${path}.lock`, () => Promise.resolve(removeUnderLock({ path, key }, uid)))
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
  }
}

function removeUnderLock({ path, key }: ServerList, uid: number): void {
  const file = readEditedFile(path, uid)
  if (file.bytes === undefined) return
  const draft = new JsonDraft(readFileText(file.bytes, path), path)
  const list = draft.find([key])
  if (list?.type !== 'object' || list.children?.length !== 0) return
  draft.remove([key])
  replaceEditedFile(file, Buffer.from(draft.text))
}
