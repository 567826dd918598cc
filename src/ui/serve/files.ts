/**
 * The page itself: four files, read once, and once more after an update, and served from memory by their exact names.
 *
 * No path of a request ever reaches a file system, so there is none to climb out of.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-33
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../core/log.ts'
import { messageOf } from '../../core/thrown.ts'
import type { SeatAnswer } from './entry/answer.ts'

/** Target of a request → the file's name, and what it is. */
const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const

/** Target → its answer. */
export type PageFiles = ReadonlyMap<string, SeatAnswer>

/** @param folder - where the build has put them. @throws Error of the system for one that is not there */
export function readPageFiles(folder: string): PageFiles {
  return new Map(
    FILES.map(([target, name, mediaType]) => [
      target,
      { status: 200, mediaType, bytes: readFileSync(join(folder, name)) },
    ]),
  )
}

/** The files as they are served: a page that is loaded again after agentd was updated is the new one (SEAT-26). */
export class ServedFiles {
  readonly #read: () => PageFiles
  readonly #log: Logger
  #files: PageFiles
  /** Of the daemon, as it said last; undefined until somebody has watched. */
  #version: string | undefined

  /** @param read - as {@link readPageFiles}; it is called now, and again when the daemon has become another one */
  constructor(read: () => PageFiles, log: Logger) {
    this.#read = read
    this.#log = log
    this.#files = read()
  }

  get(target: string): SeatAnswer | undefined {
    return this.#files.get(target)
  }

  /** The daemon says its version. Files that cannot be read are told in the log, and those that were there stay. */
  heard(version: string): void {
    const isUpdate = this.#version !== undefined && this.#version !== version
    this.#version = version
    if (!isUpdate) return
    try {
      this.#files = this.#read()
    } catch (error) {
      this.#log.warn('page-not-updated', { why: messageOf(error) })
    }
  }
}
