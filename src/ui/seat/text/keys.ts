/**
 * The keys of the seat: one table for the page, the terminal and the help that both show.
 *
 * @see SEAT-30, SEAT-31
 */

/** Where the person is when a key is pressed. `field`: text is being typed, and only a few keys are ours. */
export type KeyPlace = 'list' | 'decision' | 'approval' | 'field'

/** What a key does. */
export type SeatAction =
  | 'now'
  | 'passing'
  | 'threads'
  | 'up'
  | 'down'
  | 'open'
  | 'back'
  | 'answer'
  | 'option-1'
  | 'option-2'
  | 'option-3'
  | 'option-4'
  | 'other'
  | 'revise'
  | 'approve'
  | 'reject'
  | 'send'
  | 'ask'
  | 'hand-over'
  | 'filter'
  | 'follow'
  | 'pause'
  | 'only-mine'
  | 'help'

/** One row of the table. */
export interface KeyRow {
  readonly action: SeatAction
  /** Each is one key, or two with a blank between them; as `KeyboardEvent.key` names them. */
  readonly keys: readonly string[]
  /** Where it works besides; a list is everywhere that is neither of the others. */
  readonly places: readonly KeyPlace[]
  /** How the help says it; rows that say the same stand on one line there. */
  readonly says: string
}

const EVERYWHERE: readonly KeyPlace[] = ['list', 'decision', 'approval']

/** The table, in the order of the help. */
export const KEYS: readonly KeyRow[] = [
  row('now', ['g n'], 'what needs you'),
  row('passing', ['g p'], 'what passes'),
  row('threads', ['g t'], 'threads of envelopes'),
  row('up', ['ArrowUp', 'k'], 'choose'),
  row('down', ['ArrowDown', 'j'], 'choose'),
  row('open', ['Enter'], 'open'),
  { ...row('back', ['Escape'], 'back'), places: [...EVERYWHERE, 'field'] },
  row('answer', ['a'], 'answer'),
  ...(['option-1', 'option-2', 'option-3', 'option-4'] as const).map((action, index) => ({
    ...row(action, [String(index + 1)], 'choose an option, then Enter'),
    places: ['decision'] as const,
  })),
  { ...row('other', ['o'], 'something else'), places: ['decision'] },
  { ...row('revise', ['r'], 'the question is not the right one'), places: ['decision'] },
  { ...row('approve', ['y'], 'approve, then Enter'), places: ['approval'] },
  { ...row('reject', ['n'], 'reject, then Enter'), places: ['approval'] },
  row('send', ['s'], 'send'),
  row('ask', ['Q'], 'ask'),
  row('hand-over', ['h'], 'hand over'),
  row('filter', ['/'], 'filter'),
  row('follow', ['f'], 'follow'),
  row('pause', ['p'], 'pause'),
  row('only-mine', ['e'], 'only mine'),
  row('help', ['?'], 'help'),
]

/** What one key press comes to. */
export interface KeyRead {
  readonly row: KeyRow | undefined
  /** The first of two keys, which waits for the second; undefined when nothing waits. */
  readonly pending: string | undefined
}

const NOTHING: KeyRead = { row: undefined, pending: undefined }

/**
 * Reads a key press by the table. A key that does not fit behind the one that waits is read for itself.
 *
 * @param pressed - as `KeyboardEvent.key` has it; with Ctrl, Alt or Meta held it is none of ours and not to be asked about
 * @param pending - what {@link KeyRead.pending} was after the key before
 */
export function readKey(pressed: string, pending: string | undefined, place: KeyPlace): KeyRead {
  const rows = KEYS.filter(({ places }) => places.includes(place))
  const both = pending === undefined ? undefined : findRow(rows, `${pending} ${pressed}`)
  if (both !== undefined) return { row: both, pending: undefined }
  const single = findRow(rows, pressed)
  if (single !== undefined) return { row: single, pending: undefined }
  const begins = rows.some(({ keys }) => keys.some((key) => key.startsWith(`${pressed} `)))
  return begins ? { row: undefined, pending: pressed } : NOTHING
}

/** A line of the help. */
export interface HelpLine {
  /** `↑ ↓ j k`, `g n` */
  readonly keys: string
  readonly says: string
}

/** What keys are called where they are told; every other one is called by itself. */
const SPOKEN: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' }

/** The whole table for people. */
export function helpLines(): readonly HelpLine[] {
  const bySaying = new Map<string, string[]>()
  for (const { says, keys } of KEYS)
    bySaying.set(says, [...(bySaying.get(says) ?? []), ...keys.map(speakKey)])
  return [...bySaying].map(([says, keys]) => ({ keys: keys.join('  '), says }))
}

/** A key as people read it: `Esc`, `g n`. */
export function speakKey(key: string): string {
  return SPOKEN[key] ?? key
}

function row(action: SeatAction, keys: readonly string[], says: string): KeyRow {
  return { action, keys, places: EVERYWHERE, says }
}

function findRow(rows: readonly KeyRow[], key: string): KeyRow | undefined {
  return rows.find(({ keys }) => keys.includes(key))
}
