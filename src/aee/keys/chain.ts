/**
 * All the keys of this user, as they stand in their folder.
 *
 * @see AEE-086: rotation is a further key for the same entity, and revoking the old one
 */
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { readKey } from './key.ts'
import type { Key, KeyRing } from './key.ts'

/** One file of the folder. */
export interface KeyText {
  /** Without its folder: `<kid>.json`. */
  readonly name: string
  readonly text: string
}

/** Keys by id. A file that is no key is left out and told of: one slip must not take the others away. */
export class KeyChain implements KeyRing {
  /** By id. */
  readonly keys: readonly Key[]
  /** A sentence for each file that was left out. */
  readonly faults: readonly string[]
  readonly #byKid: ReadonlyMap<string, Key>

  constructor(files: readonly KeyText[]) {
    const faults: string[] = []
    const keys: Key[] = []
    for (const file of files) {
      const found = tryRead(file)
      if (typeof found === 'string') faults.push(found)
      else keys.push(found)
    }
    this.keys = keys.toSorted((one, other) => (one.kid < other.kid ? -1 : 1))
    this.faults = faults
    this.#byKid = new Map(keys.map((key) => [key.kid, key]))
  }

  find(kid: string): Key | undefined {
    return this.#byKid.get(kid)
  }

  /** The key to sign with for an entity: of those that can and may now, the one that was made last. */
  findSigner(entity: string, nowMs: number): Key | undefined {
    return this.keys
      .filter((key) => key.canSign && key.covers(entity) && key.stateAt(nowMs) === 'trusted')
      .toSorted((one, other) => createdMs(other) - createdMs(one))[0]
  }
}

/** @returns a sentence when the file is left out */
function tryRead({ name, text }: KeyText): Key | string {
  const key = orRefusal(() => readKey(text))
  if (key instanceof AgentdError) return `The key file ${name} is left out: ${key.message}`
  // The name is what keeps two keys from having one id.
  return name === `${key.kid}.json`
    ? key
    : `The key file ${name} is left out: it holds the key "${key.kid}" and must be named ${key.kid}.json.`
}

function createdMs(key: Key): number {
  return readTimestampMs(key.createdAt) ?? 0
}
