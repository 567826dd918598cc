/**
 * Advisories of one sender about the same files: the newest stands for the others, which are never shown.
 *
 * @see docs/http.md §7, HD-07
 */
import { frameOf, type Retained } from '../ring/retained.ts'

/** Files of an advisory that may collapse: sorting the thousands that a frame has room for would cost every drain. */
export const MAX_TOPIC_FILES = 256

/** An item that a drain would hand over, and older ones that it stands for. */
export interface Candidate {
  readonly retained: Retained
  /** What collapses with it; undefined for what never does. */
  readonly topic: string | undefined
  readonly replaced: readonly number[]
}

/** Collapses each to the newest, at the newest one's place. @param waiting - oldest first */
export function coalesce(waiting: readonly Retained[]): readonly Candidate[] {
  const byTopic = new Map<string, Candidate>()
  const candidates = waiting.map((retained): Candidate => {
    const topic = topicOf(retained)
    const older = topic === undefined ? undefined : byTopic.get(topic)
    const replaced = older === undefined ? [] : [...older.replaced, older.retained.seq]
    const candidate = { retained, topic, replaced }
    if (topic !== undefined) byTopic.set(topic, candidate)
    return candidate
  })
  return candidates.filter((one) => one.topic === undefined || byTopic.get(one.topic) === one)
}

/** What an item collapses with; undefined for what never does. */
export function topicOf(retained: Retained): string | undefined {
  // Nothing else is looked into: a drain of one item may look at megabytes.
  if (retained.type !== 'frame' || retained.kind !== 'agent_advisory') return undefined
  const frame = frameOf(retained)
  if (frame.kind !== 'agent_advisory') return undefined
  const { file_refs: files = [] } = frame.payload
  if (files.length === 0 || files.length > MAX_TOPIC_FILES) return undefined
  return JSON.stringify([retained.senderAddress ?? frame.drafted_with, ...files.toSorted()])
}
