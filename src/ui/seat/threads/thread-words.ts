/**
 * What is said about threads, by the page and the terminal alike.
 *
 * @see SEAT-25, SEAT-26
 */

/** How threads are looked at. */
export const THREADS = {
  onlyOpen: 'open only',
  older: 'Older',
  shapes: 'How it is shown',
  tree: 'Tree',
  sequence: 'Sequence',
  mermaid: 'Mermaid',
  at: 'At',
} as const

/** What stands where there is nothing to show, or more than is shown; a command of the shell where one helps. */
export const THREAD_STATES = {
  none: { says: 'There are no threads of envelopes yet.' },
  noneOpen: { says: 'No thread has an open task.' },
  isCut: { says: 'There is more of it than is shown here.', command: 'agentd envelope thread' },
} as const
