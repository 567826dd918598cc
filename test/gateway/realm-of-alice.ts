/**
 * A realm of two machines, with real keys: what the person's inviting machine would make.
 */
import { estateMembers, ESTATE, type EstateNode } from '../../src/authority/estate.ts'
import { draftDocument, formatDocument } from '../../src/authority/document.ts'
import { signDocument } from '../../src/authority/signing.ts'
import type { Key } from '../../src/aee/keys/key.ts'
import { signBatch } from '../../src/link/batch.ts'
import { createNodeKey, readNodeKey } from '../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { ownLane } from '../../src/link/realm.ts'
import { keyFor } from '../authority/documents.ts'

export const REALM = 'p.alice'

/** An NKEY seed of the right form, which opens nothing. */
const NKEY = `SU${'A'.repeat(56)}`

export class RealmOfAlice {
  readonly #key: Key = keyFor('~alice')
  readonly #nodes = new Map<string, { readonly seed: string; readonly publicX: string }>()

  constructor(...nodes: readonly string[]) {
    for (const node of nodes) this.#nodes.set(node, createNodeKey())
  }

  /** The key that the realm pins. */
  get estateKey(): string {
    return this.#key.publicFields()?.public ?? ''
  }

  /** @param without - machines that were taken back @param key - signed with, the person's unless said */
  estate(
    epoch: number,
    { without = [] as readonly string[], key = this.#key, principal = '~alice' } = {},
  ): string {
    const nodes = [...this.#nodes]
      .filter(([node]) => !without.includes(node))
      .map(([node, { publicX }]): EstateNode => ({ node, key: publicX }))
    const draft = draftDocument(ESTATE, { ...estateMembers({ principal, nodes }), authority_epoch: epoch })
    return formatDocument(signDocument(draft, principal, key))
  }

  /** What makes a machine a node. */
  linkFile(node: string, changes: Partial<LinkFile> = {}): LinkFile {
    return {
      type: 'agentd.link',
      v: 1,
      realm: REALM,
      node,
      urls: ['nats://127.0.0.1:4222'],
      ca: null,
      domain: null,
      trust_network: false,
      credential: { nkey: NKEY },
      node_key: this.#of(node).seed,
      estate_key: this.estateKey,
      estate: this.estate(1),
      since_ms: 0,
      added_at_ms: 0,
      ...changes,
    }
  }

  /** As the machine signs. */
  sign(node: string, subject: string, body: string): string {
    return signBatch(readNodeKey(this.#of(node).seed).key, node, subject, body)
  }

  #of(node: string): { readonly seed: string; readonly publicX: string } {
    const key = this.#nodes.get(node)
    if (key === undefined) throw new Error(`there is no machine "${node}" in this realm`)
    return key
  }
}

/** One message of a lane, as a bridge brings it. */
export interface Message {
  readonly subject: string
  readonly stream_seq: number
  readonly engine_at_ms: number
  readonly signature: string
  readonly body: string
}

/** How a message differs from the first of its node. */
export interface MessageWish {
  readonly lines: readonly string[]
  readonly last: string | null
  readonly prev?: string | null
  readonly epoch?: string
  readonly seq?: number
  readonly authorityEpoch?: number
  readonly clean?: boolean
  readonly v?: number
  /** Who its head says it is of. */
  readonly saysNode?: string
  readonly engineAtMs?: number
  readonly sentAtMs?: number
  readonly subject?: string
}

/** A message that a machine has signed. */
export function messageOf(realm: RealmOfAlice, node: string, wish: MessageWish): Message {
  const { lines, last, prev = null, seq = 1, authorityEpoch = 1, clean = true, v = 1 } = wish
  const engineAtMs = wish.engineAtMs ?? Date.now()
  const head = {
    v,
    node: wish.saysNode ?? node,
    epoch: wish.epoch ?? last?.split('-')[0] ?? 'e0',
    prev,
    last,
    digest: null,
    clean,
    reports: 0,
    sent_at: wish.sentAtMs ?? engineAtMs,
    authority_epoch: authorityEpoch,
  }
  const body = [JSON.stringify(head), ...lines].join('\n')
  const subject = wish.subject ?? ownLane(REALM, node)
  const signature = realm.sign(node, ownLane(REALM, node), body)
  return { subject, stream_seq: seq, engine_at_ms: engineAtMs, signature, body }
}
