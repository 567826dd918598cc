/**
 * What this node knows of the others it is linked with: who was there when it last heard of them. It is knowledge and no
 * delivery, and nothing of it is ever added to what this daemon did itself.
 *
 * Filled by whoever keeps the links; without a link it is {@link NOBODY_ELSE}.
 *
 * @see docs/requirements.md FED-50, FED-51, FED-69
 */
import type { Scope } from '../../protocol/address/scope.ts'
import type { Retained } from '../ring/retained.ts'

/** A session of another node, as that node tells of it. */
export interface RemoteSession {
  readonly address: string
  readonly instrument: string
  readonly sessionId: string
  readonly tool?: string
  /** Whether it holds a stream. */
  readonly live: boolean
  /** Whether what is for it waits there while it holds none. */
  readonly mailbox: boolean
  readonly title?: string
  /** `git:` with host and path of its repository (FED-68). */
  readonly repositoryId?: string
  readonly branch?: string
  readonly entities?: readonly string[]
}

/** Another node, by the last of its rosters. */
export interface RemoteNode {
  /** Its label; in the realm of an organisation or an accord with whose it is, `~bob/box`. */
  readonly node: string
  readonly realm: string
  /** The Sovereign handle whose node it is. */
  readonly handle: string
  /** Under an accord, of which of its sides this machine is: `~acme`. */
  readonly ownOrg?: string
  /** `away` when it was last heard of longer ago than a roster counts for; `left` when it said that it goes. */
  readonly state: 'here' | 'away' | 'left'
  /** When it was last heard of, wall time of this machine in milliseconds. */
  readonly asOfMs: number
  /** How far its clock is from the engine's, in milliseconds; absent where nobody knows. */
  readonly offsetMs?: number
  /** The same array for as long as its roster says the same: what is worked out from it is kept by it. */
  readonly sessions: readonly RemoteSession[]
  /** Whether it does not say who is there: an empty list says nothing then. Absent: it does. */
  readonly isUntold?: boolean
}

/** Nodes of one person. */
export interface OwnNodes {
  readonly realm: string
  readonly nodes: readonly string[]
}

/** How much the hub of a link takes at once. */
export interface HubBound {
  readonly link: string
  readonly maxPayload: number
}

/** Who else there is. It may change while the broker runs. */
export interface Remote {
  /** Whether there is any link; without one no answer speaks of other nodes (FED-01). */
  readonly isLinked: boolean
  nodes(): readonly RemoteNode[]
  /** Whether a roster that counts names an entity (FED-69). */
  knowsEntity(name: string): boolean
  /**
   * Whether what another principal's handle names may be sent there: they share a realm.
   *
   * @param by - who sends, as a Sovereign handle, and what
   * @returns how many members that names; undefined for a handle that no realm names (FED-55)
   */
  reaches(
    scope: Extract<Scope, { handle: string }>,
    by: { readonly actor: string; readonly kind: string },
  ): { readonly members: number } | undefined
  /** Whether something accepted here leaves for other nodes. */
  leaves(retained: Retained): boolean
  /** The links over which it would leave, but for their hubs, which take nothing of its size (FED-18). */
  tooLargeFor(retained: Retained): readonly HubBound[]
  /** The person's other machines, by the realm that they share with this one; undefined where there is none (FED-33). */
  ownNodes(): OwnNodes | undefined
  /** Told whenever something above is another now, a node that has fallen silent among it. */
  onChange(observer: () => void): void
}

/** This node alone. */
export const NOBODY_ELSE: Remote = {
  isLinked: false,
  nodes: () => [],
  knowsEntity: () => false,
  reaches: () => undefined,
  leaves: () => false,
  tooLargeFor: () => [],
  ownNodes: () => undefined,
  onChange() {},
}
