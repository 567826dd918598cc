/**
 * A directory for one test, gone with it. Short, since sockets live in it and their paths are bounded.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private directory (0700). Use it with `await using`. */
export interface TempDir extends AsyncDisposable {
  readonly path: string
  /** A path inside it; nothing is created. */
  file(...names: readonly string[]): string
}

export async function createTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'agentd-'))
  return {
    path,
    file: (...names) => join(path, ...names),
    // Again, since a detached waiter that ends with its daemon may still write its last line between listing and removal.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
