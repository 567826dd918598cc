/**
 * The other nodes as answers speak of them: how many sessions of which nodes something names, and who is away.
 *
 * A count is remembered until a roster says something else, and a roster is indexed once for as long as it says the same.
 *
 * @see FED-50, FED-54, FED-69
 */
import { Observers } from '../../core/collections/observers.ts'
import type { RemoteCount, Warning } from '../../protocol/http/frame-replies.ts'
import type { Authority } from '../authority/authority.ts'
import type { Retained, RetainedFrame } from '../ring/retained.ts'
import { concernedNodes, isForeign, isInOwnRealm, type Membership, type Sent } from './concerned.ts'
import type { OwnNodes, Remote, RemoteNode, RemoteSession } from './remote.ts'
import { RosterIndex } from './roster-index.ts'

/** Counts remembered at the most; a sender that names ever new scopes cannot grow the map. */
export const MAX_REMEMBERED_COUNTS = 1_024

/** Characters of a key that is remembered: the name of an entity nobody registered may fill an envelope. */
export const MAX_COUNT_KEY_LENGTH = 1_024

/** What counts as being named. */
type Named = Sent & Pick<Retained, 'type' | 'scopeText'>

/** Who asked what something answers under a grant: it is for that one alone (FED-58). */
interface Questions {
  addresseeOf(answer: RetainedFrame): Asker | undefined
}

interface Asker {
  readonly origin: { readonly node: string } | undefined
}

export class OtherNodes {
  /** Told whenever somebody came, went, or says something else. */
  readonly changes = new Observers<[]>()
  readonly #remote: Remote
  readonly #membership: Membership
  readonly #questions: Questions
  readonly #indexes = new WeakMap<readonly RemoteSession[], RosterIndex>()
  readonly #counts = new Map<string, RemoteCount>()

  constructor(
    remote: Remote,
    authority: Membership & Pick<Authority, 'onChange'>,
    questions: Questions = { addresseeOf: () => undefined },
  ) {
    this.#remote = remote
    this.#questions = questions
    this.#membership = authority
    remote.onChange(() => {
      this.#counts.clear()
      this.changes.tell()
    })
    authority.onChange(() => this.#counts.clear())
  }

  get isLinked(): boolean {
    return this.#remote.isLinked
  }

  nodes(): readonly RemoteNode[] {
    return this.#remote.nodes()
  }

  /** Other nodes that are here and have a session of an address (FED-54). */
  alsoOn(address: string): readonly string[] {
    if (!this.#remote.isLinked) return []
    const nodes = this.#remote.nodes().filter((node) => node.state === 'here' && isInOwnRealm(node))
    return labelsOf(nodes.filter((node) => this.#indexOf(node).hasAddress(address)))
  }

  /** Nodes that were not heard of lately; one that another realm heard of is not among them. */
  get away(): readonly string[] {
    return awayOf(this.#remote.nodes())
  }

  /** Those of them that something is for, and the person's own, which whoever is away may be on. */
  awayFrom(retained: Retained): readonly string[] {
    const nodes = this.#remote.nodes()
    return awayOf([...nodes.filter(isInOwnRealm), ...this.#concerned(nodes, retained)])
  }

  /** As {@link Remote.reaches}. */
  reaches(...asked: Parameters<Remote['reaches']>): ReturnType<Remote['reaches']> {
    return this.#remote.isLinked ? this.#remote.reaches(...asked) : undefined
  }

  /** A session of another node, as that told of it last; gone or away, too. */
  find(label: string, address: string): RemoteSession | undefined {
    for (const node of this.#remote.nodes()) {
      const found = node.node === label ? this.#indexOf(node).find(address) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Whether a roster that counts names an entity (FED-69). */
  knowsEntity(name: string): boolean {
    return this.#remote.knowsEntity(name)
  }

  /** Every entity that a roster that counts names, for a hint. */
  *entities(): Generator<string> {
    for (const node of this.#remote.nodes()) if (node.state === 'here') yield* this.#indexOf(node).entities
  }

  /** Whom something accepted here names elsewhere; undefined without a link, and for what stays here. */
  countOf(retained: Retained): RemoteCount | undefined {
    if (!this.#remote.isLinked || !this.#remote.leaves(retained)) return undefined
    // Whom a grant reaches depends on who sends what.
    if (retained.scope?.form === 'accord') return this.#count(retained)
    const key = `${retained.type} ${retained.scopeText}`
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    const count = this.#count(retained)
    if (key.length > MAX_COUNT_KEY_LENGTH) return count
    if (this.#counts.size >= MAX_REMEMBERED_COUNTS) this.#counts.clear()
    this.#counts.set(key, count)
    return count
  }

  /** The person's own machines besides this one. */
  get ownNodes(): OwnNodes | undefined {
    return this.#remote.ownNodes()
  }

  /** Whether something is on one of those too: it came from there, or may leave for there. */
  isElsewhere(retained: Retained): boolean {
    const realm = this.ownNodes?.realm
    if (realm === undefined) return false
    return retained.origin === undefined ? this.#remote.leaves(retained) : retained.origin.realm === realm
  }

  /** What its sender should know of a frame or an envelope that is too large for a hub (FED-18). */
  warningsOf(retained: Retained): Warning[] {
    if (!this.#remote.isLinked) return []
    return this.#remote.tooLargeFor(retained).map(({ link, maxPayload }) => ({
      code: 'envelope-too-large',
      message: `This stays on this machine: the hub of the link "${link}" takes ${maxPayload} octets at once; say less, or raise its max_payload.`,
    }))
  }

  #askerOf(retained: Retained): Asker | undefined {
    return retained.type === 'frame' ? this.#questions.addresseeOf(retained) : undefined
  }

  #concerned(nodes: readonly RemoteNode[], retained: Retained): readonly RemoteNode[] {
    const asker = this.#askerOf(retained)
    if (asker === undefined) return concernedNodes(nodes, retained, this.#membership)
    return nodes.filter(({ node }) => node === asker.origin?.node)
  }

  #count(named: Retained): RemoteCount {
    const isAnswer = this.#askerOf(named) !== undefined
    const counted = this.#concerned(this.#remote.nodes(), named)
      .filter(({ state }) => state !== 'left')
      .map((node) => ({ ...node, count: countIn(this.#indexOf(node), node.handle, named) }))
    const here = counted.filter(({ state }) => state === 'here')
    const away = counted.filter(({ state }) => state === 'away')
    const holders = here.filter(({ count }) => count > 0)
    // Who waits for an answer is known to its own machine alone: a command that asks is on no roster that others see.
    const untold = here.filter(({ isUntold, count }) => isUntold === true || (isAnswer && count === 0))
    // Where one is named and known to be somewhere, silence elsewhere says nothing of it.
    const isFound = (named.scope === undefined || named.scope.form === 'session') && holders.length > 0
    return {
      sessions: this.#sessionsOf(holders),
      nodes: labelsOf(holders),
      away: labelsOf(isFound ? away.filter(({ count }) => count > 0) : away),
      ...(untold.length > 0 && !isFound && { untold: labelsOf(untold) }),
      as_of: asOf(here, away),
    }
  }

  /** One's own, each; of another principal, that there is one (FED-59). */
  #sessionsOf(holders: readonly (RemoteNode & { readonly count: number })[]): number {
    const own = holders.filter((node) => !isForeign(node, this.#membership))
    const others = new Set(holders.flatMap((node) => (own.includes(node) ? [] : node.handle)))
    return own.reduce((sum, { count }) => sum + count, others.size)
  }

  #indexOf({ sessions }: RemoteNode): RosterIndex {
    const known = this.#indexes.get(sessions)
    if (known !== undefined) return known
    const index = new RosterIndex(sessions)
    this.#indexes.set(sessions, index)
    return index
  }
}

/** A member is named by an organisation or by a grant with all of its sessions. */
function countIn(index: RosterIndex, handle: string, { scope, scopeText }: Named): number {
  if (scope === undefined) return index.countEntity(scopeText)
  return index.count(scope.form === 'org' || scope.form === 'accord' ? { form: 'all', handle } : scope)
}

function awayOf(nodes: readonly RemoteNode[]): readonly string[] {
  const here = new Set(nodes.flatMap(({ node, state }) => (state === 'here' ? node : [])))
  return labelsOf(nodes.filter(({ node, state }) => state !== 'here' && !here.has(node)))
}

/** A node is in a realm or two, and said once. */
function labelsOf(nodes: readonly RemoteNode[]): string[] {
  return [...new Set(nodes.map(({ node }) => node))].toSorted()
}

/** The oldest of what was counted; where nothing could be, when somebody was last heard of. */
function asOf(here: readonly RemoteNode[], away: readonly RemoteNode[]): string | null {
  if (here.length > 0) return isoTime(Math.min(...here.map(({ asOfMs }) => asOfMs)))
  return away.length > 0 ? isoTime(Math.max(...away.map(({ asOfMs }) => asOfMs))) : null
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
