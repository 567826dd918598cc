/**
 * A link in a file that only this user can read, where other users could read it in the arguments of the program that opens
 * it (`ps`), and nothing but the link keeps them out.
 *
 * @see SEAT-15
 */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { LINK_MS } from './keys/links.ts'

export class OpenPages {
  readonly #folder: string
  readonly #clock: Clock
  readonly #files = new Set<string>()

  /** @param folder - private to this user */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
  }

  /** Writes one, and takes it away when its link has run out. @returns its path */
  write(url: string): string {
    const path = join(this.#folder, `open-${randomBytes(8).toString('hex')}.html`)
    const head = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>agentd</title>`
    const text = `${head}<meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">agentd</a>\n`
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    this.#files.add(path)
    this.#clock.after(LINK_MS, () => this.#remove(path))
    return path
  }

  /** Takes all of them away. */
  clear(): void {
    for (const path of this.#files) this.#remove(path)
  }

  #remove(path: string): void {
    this.#files.delete(path)
    rmSync(path, { force: true })
  }
}
