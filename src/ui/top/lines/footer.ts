/**
 * The keys of the moment, in one line; as many as fit, made from the table.
 *
 * @see SEAT-30
 */
import type { SeatNeed } from '../../seat/needs/need.ts'
import { KEYS, speakKey, type SeatAction } from '../../seat/text/keys.ts'
import { THREADS } from '../../seat/threads/thread-words.ts'
import { cannotAnswer } from '../../seat/words.ts'
import { needInHand } from '../state/choice.ts'
import { shapeAfter, type Panel, type Writing } from '../state/view.ts'
import type { Drawing } from './drawing.ts'
import { fitLine, own, widthOfLine, type Line } from './line.ts'

interface Hint {
  readonly keys: string
  readonly says: string
}

const QUIT: Hint = { keys: 'q', says: 'quit' }

/** Those of a terminal alone, in a word. */
const DISMISS: Hint = { keys: 'd', says: 'dismiss' }
const FORGET: Hint = { keys: 'x', says: 'forget' }
const FILES: Hint = { keys: 'Tab', says: 'files' }
const COUNTING: readonly Hint[] = [
  { keys: '↑↓', says: 'choose' },
  { keys: 'Enter', says: 'count' },
]

const ON_NOW: readonly SeatAction[] = ['send', 'ask', 'hand-over', 'passing', 'threads']
const ON_PASSING: readonly SeatAction[] = ['filter', 'follow', 'pause', 'only-mine', 'now', 'threads', 'send']
const ON_THREADS: readonly SeatAction[] = ['open', 'now', 'passing', 'send']

const WHILE_WRITING = [
  { keys: 'Enter', says: 'send' },
  { keys: 'Esc', says: 'leave' },
  { keys: 'Alt+Enter', says: 'line break' },
  { keys: 'Ctrl+G', says: 'editor' },
] as const satisfies readonly Hint[]

const IN_FILES: readonly Hint[] = [{ keys: 'Enter', says: 'back to the text' }]

const ON_ONE_LINE: readonly Hint[] = [
  { keys: 'Enter', says: 'go on' },
  { keys: 'Esc', says: 'leave' },
]

/** The line. @param isScrolled - whether there is more than the screen shows */
export function footerLine(drawing: Drawing, isScrolled: boolean): Line {
  const { view, columns } = drawing
  if (view.writing !== undefined) return hintLine(whileWriting(view.writing, view.panel), [], columns)
  const back = view.panel === undefined ? [] : [hintOf('back')]
  const scroll = isScrolled ? [{ keys: '↑↓', says: 'more' }] : []
  const hints = [...back, ...scroll, ...actionsOf(drawing).map(hintOf), ...ownHints(drawing)]
  return hintLine(hints, [hintOf('help'), QUIT], columns)
}

/** What the table says takes a line of its own; here a word has to do. */
const IN_A_WORD: Partial<Readonly<Record<SeatAction, string>>> = {
  'option-1': 'option',
  other: 'other',
  revise: 'revise',
  approve: 'approve',
  reject: 'reject',
  now: 'now',
  passing: 'passing',
  threads: 'threads',
}

function hintOf(action: SeatAction): Hint {
  const row = KEYS.find((one) => one.action === action)
  const key = speakKey(row?.keys[0] ?? '')
  return { keys: action === 'option-1' ? '1-4' : key, says: IN_A_WORD[action] ?? row?.says ?? '' }
}

function whileWriting({ what, isOneLine }: Writing, panel: Panel | undefined): readonly Hint[] {
  if (what === 'files') return IN_FILES
  if (isOneLine) return ON_ONE_LINE
  const [enter, escape, ...others] = WHILE_WRITING
  const takesFiles = what === 'text' && panel?.name === 'compose' && panel.verb !== 'ask'
  return takesFiles ? [enter, escape, FILES, ...others] : WHILE_WRITING
}

/** What the keys do that only a terminal has. */
function ownHints(drawing: Drawing): readonly Hint[] {
  const { panel } = drawing.view
  if (panel?.name === 'item' && panel.item !== undefined) return [FORGET]
  if (panel?.name === 'forget') return COUNTING
  if (panel?.name === 'thread') return [{ keys: 'Tab', says: THREADS[shapeAfter(panel.shape)].toLowerCase() }]
  return isAnswerable(drawing) ? [DISMISS] : []
}

/** Panels on which there is nothing to do but read, or to type. */
const BY_ITSELF: ReadonlySet<string> = new Set(['help', 'item', 'thread', 'compose', 'forget'])

function actionsOf({ model, view }: Drawing): readonly SeatAction[] {
  const { panel, screen } = view
  if (panel !== undefined && BY_ITSELF.has(panel.name)) return []
  if (panel?.name === 'session') return ['send', 'ask', 'hand-over']
  const inHand = needInHand(model, view)
  const onNeed = inHand?.isOpen === true ? answersOf(inHand.need.type) : []
  if (panel?.name === 'need') return onNeed
  if (screen === 'threads') return ON_THREADS
  return screen === 'passing' ? ON_PASSING : [...onNeed, ...ON_NOW]
}

/** Whether the card of something that waits for the person is open. */
function isAnswerable({ model, view }: Drawing): boolean {
  const inHand = view.panel?.name === 'need' ? needInHand(model, view) : undefined
  return inHand?.isOpen === true && cannotAnswer(inHand.need) === undefined
}

function answersOf(type: SeatNeed['type']): readonly SeatAction[] {
  switch (type) {
    case 'decision':
      return ['option-1', 'other', 'revise']
    case 'approval':
      return ['approve', 'reject']
    case 'question':
    case 'diagnostic':
    case 'task':
      return ['answer']
    case 'prompt':
    default:
      return []
  }
}

/** @param last - those that stand there whatever is left out */
function hintLine(hints: readonly Hint[], last: readonly Hint[], columns: number): Line {
  const end = last.flatMap(hintSpans)
  let line: Line = []
  for (const hint of hints) {
    const longer = [...line, ...hintSpans(hint)]
    if (widthOfLine(longer) + widthOfLine(end) > columns) break
    line = longer
  }
  return fitLine([...line, ...end], columns)
}

function hintSpans({ keys, says }: Hint): Line {
  return [own(` ${keys}`, 'bold'), own(` ${says} `)]
}
