/**
 * The keys of the moment, in one line; as many as fit, made from the table.
 *
 * @see SEAT-30
 */
import type { SeatNeed } from '../../seat/needs/need.ts'
import { KEYS, speakKey, type SeatAction } from '../../seat/text/keys.ts'
import { cannotAnswer } from '../../seat/words.ts'
import { needInHand } from '../state/choice.ts'
import type { Drawing } from './drawing.ts'
import { fitLine, own, widthOfLine, type Line } from './line.ts'

interface Hint {
  readonly keys: string
  readonly says: string
}

const QUIT: Hint = { keys: 'q', says: 'quit' }

const DISMISS: Hint = { keys: 'd', says: 'dismiss' }

const ON_NOW: readonly SeatAction[] = ['send', 'ask', 'hand-over', 'passing', 'threads']
const ON_PASSING: readonly SeatAction[] = ['filter', 'follow', 'pause', 'only-mine', 'now', 'threads', 'send']
const ON_THREADS: readonly SeatAction[] = ['open', 'now', 'passing', 'send']

const WHILE_WRITING: readonly Hint[] = [
  { keys: 'Enter', says: 'send' },
  { keys: 'Esc', says: 'leave' },
  { keys: 'Alt+Enter', says: 'line break' },
  { keys: 'Ctrl+G', says: 'editor' },
]

const ON_ONE_LINE: readonly Hint[] = [
  { keys: 'Enter', says: 'go on' },
  { keys: 'Esc', says: 'leave' },
]

/** The line. @param isScrolled - whether there is more than the screen shows */
export function footerLine(drawing: Drawing, isScrolled: boolean): Line {
  const { view, columns } = drawing
  if (view.writing !== undefined)
    return hintLine(view.writing.isOneLine ? ON_ONE_LINE : WHILE_WRITING, [], columns)
  const back = view.panel === undefined ? [] : [hintOf('back')]
  const scroll = isScrolled ? [{ keys: '↑↓', says: 'more' }] : []
  const dismiss = isAnswerable(drawing) ? [DISMISS] : []
  const hints = [...back, ...scroll, ...actionsOf(drawing).map(hintOf), ...dismiss]
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

/** Panels on which there is nothing to do but read, or to type. */
const BY_ITSELF: ReadonlySet<string> = new Set(['help', 'item', 'thread', 'compose'])

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
