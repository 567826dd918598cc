/**
 * Which machines each member of an organisation has, as the member itself says: the newest estate that its own key, which the
 * charter names, has signed. What was accepted is remembered by its epoch in the link's folder, so that nothing older is ever
 * taken, also after a restart.
 *
 * @see FED-40, FED-41, FED-43
 */
import { createHash } from 'node:crypto'
import { readEstate, type Estate } from '../../authority/estate.ts'
import type { SignedDocument } from '../../authority/document.ts'
import { AgentdError } from '../../core/errors.ts'
import { isJsonObject, tryParseJson } from '../../core/text/json-object.ts'
import type { EstatePlace } from './held-estate.ts'

/** Members and keys remembered; a charter of 64 KiB names fewer. The oldest make room. */
export const MAX_STANDINGS = 1_024

/** What stays of an estate that was accepted. */
interface Seen {
  readonly epoch: number
  readonly digest: string
}

interface StandingsParts {
  readonly place: EstatePlace
  readonly nowMs: () => number
}

/** What is asked about: a member, and the key that the charter names for it now. */
export interface MemberKey {
  readonly handle: string
  /** 32 bytes as base64url. */
  readonly key: string
}

export class Standings {
  readonly #parts: StandingsParts
  readonly #estates = new Map<string, SignedDocument<Estate>>()
  /** By member and key: with another key a member begins anew, since the organisation has said so. */
  readonly #seen: Map<string, Seen>

  constructor(parts: StandingsParts) {
    this.#parts = parts
    this.#seen = readSeen(parts.place.read())
  }

  /** Undefined until it has come. */
  of({ handle, key }: MemberKey): SignedDocument<Estate> | undefined {
    return this.#estates.get(nameOf({ handle, key }))
  }

  /**
   * Takes what a member says.
   *
   * @throws AgentdError as `readEstate`; `field-invalid` for another person's, and for an older one than was accepted before
   */
  take(member: MemberKey, text: string): SignedDocument<Estate> {
    const estate = readEstate(text, member.key, this.#parts.nowMs())
    if (estate.body.principal !== member.handle)
      throw refused(`This estate is not of ${member.handle}`, 'estate')
    const name = nameOf(member)
    const [before, now] = [this.#seen.get(name), seenOf(estate)]
    if (before !== undefined && now.epoch < before.epoch)
      throw refused(
        `This estate of ${member.handle} has authority epoch ${now.epoch}, and epoch ${before.epoch} was accepted before`,
        'authority_epoch',
      )
    if (before?.epoch === now.epoch && before.digest !== now.digest)
      throw refused(
        `Another estate of ${member.handle} with authority epoch ${now.epoch} was accepted before`,
        'authority_epoch',
      )
    // Written down before it counts.
    if (before?.epoch !== now.epoch) this.#remember(name, now)
    this.#estates.set(name, estate)
    return estate
  }

  #remember(name: string, seen: Seen): void {
    this.#seen.delete(name)
    this.#seen.set(name, seen)
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MAX_STANDINGS) break
      this.#seen.delete(oldest)
      this.#estates.delete(oldest)
    }
    this.#parts.place.put(`${JSON.stringify(Object.fromEntries(this.#seen))}\n`)
  }
}

function nameOf({ handle, key }: MemberKey): string {
  return `${handle} ${key}`
}

function seenOf({ authorityEpoch: epoch, signedText }: SignedDocument<Estate>): Seen {
  return { epoch, digest: createHash('sha256').update(signedText).digest('hex') }
}

/** What cannot be read remembers nothing. */
function readSeen(text: string | undefined): Map<string, Seen> {
  const value = text === undefined ? undefined : tryParseJson(text)
  if (!isJsonObject(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([name, one]) => {
      if (!isJsonObject(one)) return []
      const { epoch, digest } = one
      return typeof epoch === 'number' && typeof digest === 'string' ? [[name, { epoch, digest }]] : []
    }),
  )
}

function refused(why: string, field: string): AgentdError {
  return new AgentdError('field-invalid', `${why}.`, { field })
}
