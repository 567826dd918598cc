/**
 * When a wait for receipts is over, with what other nodes report (FED-52).
 */
import { isSettled, remoteLines, type RemoteLinesParts } from '../remote/remote-lines.ts'
import type { Retained } from '../ring/retained.ts'

/** Whether one recipient has seen it, or all that there is to wait for. */
export function isSettledEverywhere(
  retained: Retained,
  wait: 'seen' | 'all',
  parts: RemoteLinesParts,
): boolean {
  const { delivery, senderAddress } = retained
  const here = delivery.receipts().filter(({ address }) => address !== senderAddress)
  const lines = [...here.map(({ state }) => ({ state })), ...remoteLines(retained, parts)]
  const away = new Set(parts.others.away)
  return isSettled(wait, lines, (node) => away.has(node))
}

/** Calls back at every receipt, and when a node comes or falls silent, until the returned function is called. */
export function onAnyChange(
  { delivery }: Retained,
  { others }: RemoteLinesParts,
  wake: () => void,
): () => void {
  const ends = [delivery.onChange(wake), others.changes.add(wake)]
  return () => {
    for (const end of ends) end()
  }
}
