/**
 * The realm of an organisation with real keys: its charter, the estates of its members, and what their machines sign.
 */
import type { Key } from '../../src/aee/keys/key.ts'
import { requireNext } from '../../src/authority/acceptance.ts'
import { CHARTER, charterMembers, type Charter, type Member } from '../../src/authority/charter.ts'
import {
  draftDocument,
  formatDocument,
  readDocument,
  type SignedDocument,
} from '../../src/authority/document.ts'
import { ESTATE, estateMembers, onlyKey } from '../../src/authority/estate.ts'
import { signDocument } from '../../src/authority/signing.ts'
import type { Charters } from '../../src/gateway/in/held-charter.ts'
import type { Audience } from '../../src/link/audience.ts'
import { signBatch } from '../../src/link/batch.ts'
import { createNodeKey, readNodeKey } from '../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { formatPresence } from '../../src/link/presence.ts'
import { kvSubject, laneOf, nodeKey } from '../../src/link/realm.ts'
import { keyFor } from '../authority/documents.ts'
import { TestAuthority } from '../support/authority.ts'
import { RealmOfAlice, type Message } from './realm-of-alice.ts'

export const ACME = 'o.acme'

/** `~bob dev` and the names among entities that the charter gives. */
interface MemberWish {
  readonly handle: string
  readonly roles?: readonly string[]
  readonly entities?: readonly string[]
}

/** How a message differs from what its machine would send. */
export interface AcmeMessage {
  readonly lines: readonly string[]
  readonly audience?: Audience
  readonly last?: string
  readonly seq?: number
  readonly authorityEpoch?: number
  readonly engineAtMs?: number
  /** Signed by the machine of another member. */
  readonly signer?: string
  /** The lane it stands in, where that is not its own. */
  readonly subject?: string
}

/** An organisation of `~alice`, `~bob` and `~carol`, each with the machine `box`. */
export class RealmOfAcme implements Charters {
  readonly authority = new TestAuthority('~alice')
  readonly #orgKey: Key
  readonly #keys = new Map<string, Key>()
  readonly #boxes = new Map<string, { readonly seed: string; readonly publicX: string }>()
  readonly #alice = new RealmOfAlice('box')
  readonly #observers: (() => void)[] = []
  #members: readonly MemberWish[]
  #charter: SignedDocument<Charter> | undefined

  constructor(orgKey = keyFor('~acme')) {
    this.#orgKey = orgKey
    this.#members = [
      { handle: '~alice', roles: ['dev'], entities: ['agent.alice-*'] },
      { handle: '~bob', roles: ['dev'], entities: ['agent.bob-*', 'human.bob'] },
      { handle: '~carol', roles: ['ops'] },
    ]
    for (const handle of ['~bob', '~carol', '~mallory']) {
      this.#keys.set(handle, keyFor(handle))
      this.#boxes.set(handle, createNodeKey())
    }
    this.install(readDocument(CHARTER, this.charter(1)))
  }

  /** The charter of an epoch. @param without - members that were taken out */
  charter(epoch: number, { without = [] as readonly string[], key = this.#orgKey } = {}): string {
    const members = this.#members.flatMap(({ handle, roles = [], entities }): Member[] =>
      without.includes(handle)
        ? []
        : [{ handle, roles, key: this.#publicOf(handle), ...(entities !== undefined && { entities }) }],
    )
    const draft = draftDocument(CHARTER, {
      ...charterMembers({ org: '~acme', members }),
      authority_epoch: epoch,
    })
    return formatDocument(signDocument(draft, '~acme', key))
  }

  inForce(): SignedDocument<Charter> | undefined {
    return this.#charter
  }

  install(charter: SignedDocument<Charter>): void {
    const keys = onlyKey('~acme', this.#orgKey.publicFields()?.public ?? '')
    this.#charter = requireNext(charter, this.#charter, { keys, nowMs: Date.now() })
    this.authority.charter(
      '~acme',
      ...charter.body.members.map(({ handle, roles }) => `${handle} ${roles.join(',')}`),
    )
    for (const tell of this.#observers) tell()
  }

  onChange(observer: () => void): void {
    this.#observers.push(observer)
  }

  linkFile(_: string, changes: Partial<LinkFile> = {}): LinkFile {
    return this.#alice.linkFile('box', {
      realm: ACME,
      handle: '~alice',
      org_key: this.#orgKey.publicFields()?.public ?? '',
      charter: this.charter(1),
      ...changes,
    })
  }

  /** The estate of a member. @param without - its one machine was taken back @param isForged - signed with a key of somebody else that says it is theirs */
  estate(handle: string, epoch: number, { isEmpty = false, isForged = false } = {}): string {
    const key = this.#boxOf(handle).publicX
    const nodes = isEmpty ? [] : [{ node: 'box', key }]
    const members = { ...estateMembers({ principal: handle, nodes }), authority_epoch: epoch }
    return formatDocument(
      signDocument(draftDocument(ESTATE, members), handle, isForged ? keyFor(handle) : this.#keyOf(handle)),
    )
  }

  /** What a member's machine says of itself, as a bridge brings it. */
  standing(
    handle: string,
    { estate = this.estate(handle, 1), sessions = [] as readonly string[], signer = handle } = {},
  ): Readonly<Record<string, unknown>> {
    const at = { handle, node: 'box' }
    const text = formatPresence({
      sent_at: Date.now(),
      state: 'here',
      speaks: [1],
      sessions: sessions.map((address) => ({
        address,
        instrument: 'cc',
        session_id: address.slice(address.indexOf('@') + 1),
        live: true,
        mailbox: true,
      })),
      estate,
    })
    const subject = kvSubject(ACME, nodeKey(ACME, at))
    return { ...at, engine_at_ms: Date.now(), signature: this.#sign(signer, subject, text), text }
  }

  /** A message in a lane of a member's machine. */
  message(handle: string, wish: AcmeMessage): Message {
    const { lines, last = 'b1-1', seq = 1, authorityEpoch = 1, engineAtMs = Date.now() } = wish
    const head = {
      v: 1,
      node: 'box',
      epoch: 'b1',
      prev: null,
      last,
      digest: null,
      clean: true,
      reports: 0,
      sent_at: engineAtMs,
      authority_epoch: authorityEpoch,
    }
    const body = [JSON.stringify(head), ...lines].join('\n')
    const own = laneOf(ACME, { audience: wish.audience ?? { of: 'all' }, handle, node: 'box' })
    const signature = this.#sign(wish.signer ?? handle, own, body)
    return { subject: wish.subject ?? own, stream_seq: seq, engine_at_ms: engineAtMs, signature, body }
  }

  #sign(handle: string, subject: string, text: string): string {
    return signBatch(readNodeKey(this.#boxOf(handle).seed).key, 'box', subject, text)
  }

  #publicOf(handle: string): string {
    return handle === '~alice' ? this.#alice.estateKey : (this.#keyOf(handle).publicFields()?.public ?? '')
  }

  #keyOf(handle: string): Key {
    const key = this.#keys.get(handle)
    if (key === undefined) throw new Error(`${handle} has no key here`)
    return key
  }

  #boxOf(handle: string): { readonly seed: string; readonly publicX: string } {
    const box = this.#boxes.get(handle)
    if (box === undefined) throw new Error(`${handle} has no machine here`)
    return box
  }
}
