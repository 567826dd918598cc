/**
 * The files in which the hooks of earlier versions remembered, `hooks` beside the socket: read once and removed, so that a
 * session in progress keeps its identity and its mail (OP-05).
 */
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { readPrivateFile } from '../../host/files/own-file.ts'
import { MAX_STATES } from './hook-memory.ts'
import { oldFolder } from './old-folder.ts'

/** What such a file, its lock, its claims and drafts were called. */
const FILE_NAME = /^[a-z-]{1,32}-[0-9a-f]{32}\.json(?:\.[A-Za-z0-9.]{1,32})?$/

/** @returns their texts; a file that others could read or write is not believed */
export function readOldFiles(socketPath: string, uid: number): readonly string[] {
  const folder = oldFolder(socketPath)
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .slice(0, MAX_STATES)
    .map((name) => readPrivateFile(join(folder, name), uid))
    .flatMap((file) => (file.kind === 'text' ? [file.text] : []))
}

/** Removes them, their locks, claims and drafts; whatever else is in the folder is not ours, and stays. */
export function removeOldFiles(socketPath: string): void {
  const folder = oldFolder(socketPath)
  const names = namesIn(folder)
  for (const name of names) quietly(() => unlinkSync(join(folder, name)))
  if (names.length > 0) quietly(() => rmdirSync(folder))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => FILE_NAME.test(name))
  } catch {
    return []
  }
}

/** What cannot be removed is read again at the next start, and says nothing new then. */
function quietly(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}
