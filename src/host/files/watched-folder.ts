/**
 * Looking whether something in a folder has changed, without ever keeping the process alive.
 */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'

/** How long changes are gathered before they are told: a command writes two files and takes a lock away. */
const SETTLE_MS = 100

/** Changes that are told together. */
export interface Settling {
  readonly changed: () => void
  /** No call comes after it. */
  readonly cancel: () => void
}

/** Who is told of a folder. */
export interface FolderWatching {
  /** @param name - of what changed; null when the system does not say */
  readonly changed: (name: string | null) => void
  /** It cannot be watched, or no longer. */
  readonly failed: (error: unknown) => void
}

/** Calls back once changes have settled. */
export function settling(onChange: () => void): Settling {
  let timer: NodeJS.Timeout | undefined
  return {
    changed: () => {
      // Not restarted by later changes: a file that is written without pause would put it off for ever.
      timer ??= setTimeout(() => {
        timer = undefined
        onChange()
      }, SETTLE_MS).unref()
    },
    cancel: () => clearTimeout(timer),
  }
}

/** @returns undefined when the folder cannot be watched */
export function watchFolder(folder: string, { changed, failed }: FolderWatching): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name))
    return watcher.on('error', (error) => {
      watcher.close()
      failed(error)
    })
  } catch (error) {
    failed(error)
    return undefined
  }
}
