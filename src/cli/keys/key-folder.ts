/**
 * The keys of this user, as the command line works on them.
 */
import { join } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { KeyChain } from '../../aee/keys/chain.ts'
import type { Key } from '../../aee/keys/key.ts'
import { revokeKey } from '../../aee/keys/new-key.ts'
import { addKeyFile, keysDirectory, readKeyFiles, replaceKeyFile } from '../../host/aee/key-files.ts'
import { stateDir, type Environment } from '../../host/config/paths.ts'

/** The folder of keys below the state directory. Everything in it throws HostRefusal when others could reach it. */
export class KeyFolder {
  readonly #environment: Environment
  readonly #path: string

  constructor(environment: Environment) {
    this.#environment = environment
    this.#path = keysDirectory(stateDir(environment))
  }

  /** Where the file of a key is, or would be. */
  pathOf(kid: string): string {
    return join(this.#path, fileName(kid))
  }

  /** All of them, and what is wrong with files that are no keys. */
  read(): KeyChain {
    return new KeyChain(readKeyFiles(this.#path, this.#environment.uid))
  }

  /** @throws UsageError when there is no such key */
  require(kid: string): Key {
    const key = this.read().find(kid)
    if (key !== undefined) return key
    throw new UsageError(`There is no key "${kid}"; "agentd keys list" shows those there are.`)
  }

  /**
   * @param text - a key file of that id
   * @returns its path
   * @throws UsageError when the id is taken
   */
  add(kid: string, text: string): string {
    const file = { name: fileName(kid), text }
    if (addKeyFile(this.#path, file, this.#environment) === 'added') return this.pathOf(kid)
    throw new UsageError(`There is a key "${kid}" already, and an id is used only once.`)
  }

  /** Takes the trust from a key that is there, and keeps its file. */
  revoke(kid: string): void {
    const name = fileName(kid)
    const file = readKeyFiles(this.#path, this.#environment.uid).find((candidate) => candidate.name === name)
    if (file === undefined) return
    replaceKeyFile(this.#path, { name, text: revokeKey(file.text) }, this.#environment)
  }
}

function fileName(kid: string): string {
  return `${kid}.json`
}
