/**
 * The keys that only a terminal has, as the table of the seat has the others.
 *
 * @see SEAT-30; docs/ui.md "In a terminal"
 */
import type { HelpLine } from '../../seat/text/keys.ts'

/** What one of them does in a list, or with what is open. */
export type OwnAction = 'dismiss' | 'forget' | 'shape' | 'page-up' | 'page-down' | 'quit'

/** One of them. */
export interface OwnKey {
  readonly action: OwnAction
  /** As `KeyboardEvent.key` names it. */
  readonly key: string
  /** How the help says it. */
  readonly says: string
}

/** In the order of the help, behind the table of the seat. */
export const OWN_KEYS: readonly OwnKey[] = [
  { action: 'dismiss', key: 'd', says: 'dismiss, then Enter: who asked learns that no answer comes' },
  { action: 'forget', key: 'x', says: 'forget what is open, then Enter: how much is counted before' },
  { action: 'shape', key: 'Tab', says: 'a thread as a tree, a sequence, a Mermaid diagram' },
  { action: 'page-up', key: 'PageUp', says: 'ten lines up' },
  { action: 'page-down', key: 'PageDown', says: 'ten lines down' },
  { action: 'quit', key: 'q', says: 'quit' },
]

/** Those that work elsewhere: with Ctrl wherever the person is, or while something is written. */
export const KEYS_ELSEWHERE: readonly HelpLine[] = [
  { keys: 'Ctrl+C', says: 'quit' },
  { keys: 'Ctrl+Z', says: 'stop; the shell\'s "fg" goes on' },
  { keys: 'Tab', says: 'a note, where a yes or a no waits for Enter' },
  { keys: 'Tab', says: 'its files, while you write what you send' },
  { keys: 'Enter', says: 'send, while you write' },
  { keys: 'Alt+Enter', says: 'a line break, while you write' },
  { keys: 'Ctrl+G', says: 'your editor ($EDITOR), while you write' },
]

/** What a key does that stands in no other table. */
export function readOwnKey(pressed: string): OwnAction | undefined {
  return OWN_KEYS.find(({ key }) => key === pressed)?.action
}

/** All of them for people. */
export function ownHelpLines(): readonly HelpLine[] {
  return [...OWN_KEYS.map(({ key, says }) => ({ keys: key, says })), ...KEYS_ELSEWHERE]
}
