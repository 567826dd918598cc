/**
 * The page itself: four files, read once and served from memory by their exact names.
 *
 * No path of a request ever reaches a file system, so there is none to climb out of.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-33
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
