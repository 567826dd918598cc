/** Two nodes with a bridge each, and a hub between them. */
import type { LinkFile } from '../../src/link/link-file.ts'
import { CutProxy } from '../support/cut-proxy.ts'
import { TestHub, type HubWish } from '../support/hub.ts'
import { LinkedNode, type Disk } from './linked-node.ts'

export interface Pair extends AsyncDisposable {
  readonly hub: TestHub
  /** The way of both to the hub. */
  readonly way: CutProxy
  readonly laptop: LinkedNode
  readonly devbox: LinkedNode
  linkOf(node: LinkedNode): LinkFile
}

/** Starts them, and waits until both links are up. */
export async function startPair(wish: HubWish = {}): Promise<Pair> {
  const hub = await TestHub.start(wish)
  const way = await CutProxy.start(hub.port)
  const [laptop, devbox] = [await startNode(hub, 'laptop'), await startNode(hub, 'devbox')]
  const linkOf = (node: LinkedNode): LinkFile => hub.linkOf(node.name, way.port)
  for (const node of [laptop, devbox]) {
    node.startBridge(linkOf(node))
    await node.condition('up')
  }
  return {
    hub,
    way,
    laptop,
    devbox,
    linkOf,
    async [Symbol.asyncDispose]() {
      for (const node of [laptop, devbox]) await node[Symbol.asyncDispose]()
      await way[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** A node that knows everybody's key, without a bridge. */
export async function startNode(
  hub: Pick<TestHub, 'nodes' | 'publicKeyOf'>,
  name: string,
  disk?: Disk,
): Promise<LinkedNode> {
  const node = await LinkedNode.start(name, disk)
  for (const other of hub.nodes) node.keys.set(other, hub.publicKeyOf(other))
  return node
}

/** `1`, `2`, … as texts. */
export function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i))
}
