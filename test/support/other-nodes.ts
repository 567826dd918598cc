/** The nodes that a broker is linked with, in the test's hand. */
import type { HubBound, OwnNodes, Remote, RemoteNode, RemoteSession } from '../../src/broker/remote/remote.ts'
import type { Retained } from '../../src/broker/ring/retained.ts'
import { ownerOf } from '../../src/protocol/address/foreign.ts'

/** A session of another node that listens and has a mailbox, unless it says otherwise. */
export function remoteSession(address: string, facts: Partial<RemoteSession> = {}): RemoteSession {
  const [, instrument = '', sessionId = ''] = /\/(.*)@(.*)$/.exec(address) ?? []
  return { address, instrument, sessionId, live: true, mailbox: true, ...facts }
}

/** One other node, there since a moment ago. */
export function remoteNode(
  node: string,
  sessions: readonly (string | RemoteSession)[] = [],
  facts: Partial<RemoteNode> = {},
): RemoteNode {
  return {
    node,
    realm: 'p.alice',
    handle: '~alice',
    state: 'here',
    asOfMs: Date.UTC(2026, 0, 1),
    sessions: sessions.map((one) => (typeof one === 'string' ? remoteSession(one) : one)),
    ...facts,
  }
}

/** A port that says what the test has put there, and counts how often it was asked. */
export class FilledRemote implements Remote {
  isLinked = true
  /** What does not leave; absent, everything does. */
  stays: (retained: Retained) => boolean = () => false
  /** What no hub takes; absent, they take everything. */
  tooLarge: (retained: Retained) => readonly HubBound[] = () => []
  asked = 0
  #nodes: readonly RemoteNode[]
  readonly #observers = new Set<() => void>()

  constructor(...nodes: readonly RemoteNode[]) {
    this.#nodes = nodes
  }

  nodes(): readonly RemoteNode[] {
    this.asked += 1
    return this.#nodes
  }

  knowsEntity(name: string): boolean {
    return this.#nodes.some(
      ({ state, sessions }) => state === 'here' && sessions.some(({ entities }) => entities?.includes(name)),
    )
  }

  /** Whoever has a node here. */
  reaches({ handle }: Parameters<Remote['reaches']>[0]): ReturnType<Remote['reaches']> {
    const members = this.#nodes.filter((one) => ownerOf(one.node) === handle).length
    return members > 0 ? { members: 1 } : undefined
  }

  leaves(retained: Retained): boolean {
    return !this.stays(retained)
  }

  tooLargeFor(retained: Retained): readonly HubBound[] {
    return this.tooLarge(retained)
  }

  ownNodes(): OwnNodes | undefined {
    return { realm: 'p.alice', nodes: [...new Set(this.#nodes.map(({ node }) => node))] }
  }

  onChange(observer: () => void): void {
    this.#observers.add(observer)
  }

  /** Somebody came, went, or says something else. */
  become(...nodes: readonly RemoteNode[]): void {
    this.#nodes = nodes
    for (const observer of this.#observers) observer()
  }
}
