/**
 * Files that a browser is opened on, each with a key in it: of this user alone, taken away once the key is used or has run out.
 *
 * @see SEAT-15; docs/ui.md "What the listener allows"
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { LINK_MS, MAX_LINKS } from './keys/links.ts'

/** Files at a time: of more links than these nothing is remembered. */
export const MAX_OPEN_PAGES = MAX_LINKS

/** How they are called. */
const NAME = /^open-[0-9a-f]{16}\.html$/

export class OpenPages {
  readonly #folder: string
  readonly #clock: Clock
  /** Their paths, in the order they were written. */
  readonly #files = new Set<string>()

  /** Takes away what a process that was killed has left. @param folder - private to this user */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
    // Another daemon's page may have its files here: younger ones may still be wanted.
    for (const name of readdirSync(folder).filter((one) => NAME.test(one))) {
      const path = join(folder, name)
      const leftMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
      if (clock.nowMs() - leftMs > LINK_MS) rmSync(path, { force: true })
    }
  }

  /** Where the next one will be. */
  place(): string {
    return join(this.#folder, `open-${randomBytes(8).toString('hex')}.html`)
  }

  /** Writes one, and takes it away when its key has run out. @throws Error of the system where it cannot be written */
  write(path: string, text: string): void {
    const [oldest] = this.#files
    if (this.#files.size >= MAX_OPEN_PAGES && oldest !== undefined) this.remove(oldest)
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    this.#files.add(path)
    this.#clock.after(LINK_MS, () => this.remove(path))
  }

  /** Takes one away, if it is still there. */
  remove(path: string): void {
    if (this.#files.delete(path)) rmSync(path, { force: true })
  }

  /** Takes all of them away. */
  clear(): void {
    for (const path of this.#files) this.remove(path)
  }
}
