/**
 * The keys that only a terminal has; all others stand in the table of the seat.
 *
 * @see SEAT-30
 */
import type { HelpLine } from '../../seat/text/keys.ts'

/** In the order of the help, behind the table. */
export const OWN_KEYS: readonly HelpLine[] = [
  { keys: 'd', says: 'dismiss, then Enter: who asked learns that no answer comes' },
  { keys: 'q  Ctrl+C', says: 'quit' },
  { keys: 'Ctrl+Z', says: 'stop; the shell\'s "fg" goes on' },
  { keys: 'Enter', says: 'send, while you write' },
  { keys: 'Alt+Enter', says: 'a line break, while you write' },
  { keys: 'Ctrl+G', says: 'your editor ($EDITOR), while you write' },
]
