/**
 * The envelopes of one workflow, put in the order of cause and effect by their `reply_to`.
 *
 * Whatever comes in comes out: an answer to nobody, an envelope that answers itself, a ring of envelopes that
 * answer each other. Nothing here is recursive, so a chain may be as long as memory lasts.
 *
 * @see draft-cowles-aee-00 §5.3, AEE-C11, AEE-C12
 */
import { MinHeap } from '../../core/collections/min-heap.ts'

/** What of an envelope says where it belongs. */
export interface ThreadEdge {
  /** The order of acceptance. */
  readonly seq: number
  readonly id: string
  /** The id of the envelope this one answers. */
  readonly replyTo: string | null
}

/** An envelope and what answers it, by sequence. */
export interface TreeNode<T> {
  readonly item: T
  readonly children: readonly TreeNode<T>[]
}

/** One line of a tree as it is shown. */
export interface TreeLine<T> {
  readonly item: T
  /** 0 for what answers nothing. */
  readonly depth: number
}

/** Envelopes by sequence, and for each the place of the one it answers. */
interface Lineage<T> {
  readonly items: readonly T[]
  readonly parents: readonly number[]
}

/** The parent of what answers nothing that is there. */
const NOBODY = -1

/**
 * Every envelope after the one it answers, and otherwise by sequence.
 *
 * An answer that was accepted before its question waits for it; in a ring of answers, the earliest comes first.
 */
export function causalOrder<T extends ThreadEdge>(links: readonly T[]): readonly T[] {
  const { items, parents } = lineageOf(links)
  // The usual case: whoever answers had read the question.
  if (parents.every((parent, place) => parent < place)) return items
  const children = items.map((): number[] => [])
  const ready = new MinHeap()
  for (const [place, parent] of parents.entries()) {
    if (parent === NOBODY) ready.push(place)
    else children[parent]?.push(place)
  }
  const ordered: T[] = []
  for (let place = ready.pop(); place !== undefined; place = ready.pop()) {
    const item = items[place]
    if (item !== undefined) ordered.push(item)
    for (const child of children[place] ?? []) ready.push(child)
  }
  return ordered
}

/** The trees of a workflow: what answers nothing that is there stands at the root. */
export function toForest<T extends ThreadEdge>(links: readonly T[]): readonly TreeNode<T>[] {
  const { items, parents } = lineageOf(links)
  const nodes = items.map((item) => ({ item, children: new Array<TreeNode<T>>() }))
  const roots: TreeNode<T>[] = []
  // Hung up in sequence, so that roots and children are in it too.
  for (const [place, node] of nodes.entries()) {
    const siblings = nodes[parents[place] ?? NOBODY]?.children ?? roots
    siblings.push(node)
  }
  return roots
}

/** The lines of a forest from top to bottom, each followed by what answers it. */
export function* linesOf<T>(forest: readonly TreeNode<T>[]): Generator<TreeLine<T>> {
  const open = forest.map((node) => ({ node, depth: 0 })).toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    yield { item: node.item, depth }
    for (const child of node.children.toReversed()) open.push({ node: child, depth: depth + 1 })
  }
}

function lineageOf<T extends ThreadEdge>(links: readonly T[]): Lineage<T> {
  const items = links.toSorted((a, b) => a.seq - b.seq)
  const places = new Map<string, number>()
  // Of two envelopes with one id, the earlier is meant.
  for (const [place, { id }] of items.entries()) if (!places.has(id)) places.set(id, place)
  const parents = items.map(({ replyTo }) => (replyTo === null ? NOBODY : (places.get(replyTo) ?? NOBODY)))
  return { items, parents: cutRings(parents) }
}

/** The same parents, save that the earliest of each ring has none: every walk upwards then ends. */
function cutRings(parents: readonly number[]): readonly number[] {
  const cut = [...parents]
  /** Place → the walk that first came by; each place is walked over once. */
  const walks: (number | undefined)[] = parents.map(() => undefined)
  for (let walk = 0; walk < parents.length; walk += 1) {
    let at = walk
    while (at !== NOBODY && walks[at] === undefined) {
      walks[at] = walk
      at = parents[at] ?? NOBODY
    }
    // A walk that meets itself has gone round a ring; one that meets another has nothing new to find.
    if (at !== NOBODY && walks[at] === walk) cut[earliestOfRing(at, parents)] = NOBODY
  }
  return cut
}

function earliestOfRing(start: number, parents: readonly number[]): number {
  let earliest = start
  for (let at = parents[start] ?? start; at !== start; at = parents[at] ?? start) {
    earliest = Math.min(earliest, at)
  }
  return earliest
}
