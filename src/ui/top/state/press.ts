/**
 * What each key does, by the table of the seat and the few that a terminal adds.
 *
 * @see SEAT-30, SEAT-31, SEAT-38
 */
import { readDecisionQuestion } from '../../seat/needs/decision.ts'
import { DISMISSED } from '../../seat/needs/answers.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { readKey, type KeyPlace, type SeatAction } from '../../seat/text/keys.ts'
import { needInHand, moveChoice } from './choice.ts'
import { beginCompose } from './composing.ts'
import { beginForget, countForget, forget, moveForget } from './forgetting.ts'
import type { KeyPress } from './key-press.ts'
import { readOwnKey, type OwnAction } from './own-keys.ts'
import { actOnPassing } from './passing-keys.ts'
import { moveThread, nextShape, openThread, showThreads } from './threads.ts'
import type { TopSeat } from './top-seat.ts'
import type { Asked, Screen } from './view.ts'
import { beginNote, pressInField } from './writing.ts'

/** Reads keys, one after the other. */
export class Keys {
  readonly #seat: TopSeat
  /** The first of two keys. */
  #pending: string | undefined

  constructor(seat: TopSeat) {
    this.#seat = seat
  }

  /** Does what the key says. */
  press(press: KeyPress): void {
    const { acts, view } = this.#seat
    const { key, isCtrl, isAlt, isPasted } = press
    if (isCtrl && !isPasted && key === 'c') return acts.quit()
    if (isCtrl && !isPasted && key === 'z') return acts.suspend()
    if (view.writing !== undefined) return pressInField(this.#seat, view.writing, press)
    // What is pasted is meant for a field, and none is open.
    if (isPasted || isCtrl || isAlt || view.isBusy) return undefined
    if (view.asked !== undefined && key === 'Enter') return confirm(this.#seat, view.asked)
    if (view.asked !== undefined && key === 'Tab') return beginNote(this.#seat, view.asked)
    if (view.asked !== undefined) this.#seat.look({ asked: undefined })
    if (view.asked !== undefined && key === 'Escape') return undefined
    return this.#pressInList(key)
  }

  #pressInList(key: string): void {
    const { row, pending } = readKey(key, this.#pending, placeOf(this.#seat))
    this.#pending = pending
    if (row !== undefined) act(this.#seat, row.action)
    else if (pending === undefined) actOwn(this.#seat, key)
  }
}

/** The second key came. */
function confirm(seat: TopSeat, { does }: Asked): void {
  seat.look({ asked: undefined })
  void (does.by === 'answer' ? seat.answer(does.answer) : forget(seat, does.which))
}

function placeOf({ model, view }: TopSeat): KeyPlace {
  const type = needInHand(model, view)?.need.type
  return type === 'decision' || type === 'approval' ? type : 'list'
}

type Act = (seat: TopSeat) => void

/** How far a page moves, in lines. */
const PAGE_LINES = 10

/** What the keys do that only a terminal has. */
const OWN_ACTS: Readonly<Record<OwnAction, Act>> = {
  dismiss: (seat) => {
    if (seat.openCard()) seat.ask({ by: 'dismissal', why: DISMISSED }, 'dismiss it')
  },
  forget: beginForget,
  shape: nextShape,
  'page-up': (seat) => move(seat, -PAGE_LINES),
  'page-down': (seat) => move(seat, PAGE_LINES),
  quit: (seat) => seat.acts.quit(),
}

function actOwn(seat: TopSeat, key: string): void {
  const action = readOwnKey(key)
  if (action !== undefined) OWN_ACTS[action](seat)
}

/** What keys do wherever the person is; those of an answer are about the need in hand. */
const ACTS: Partial<Readonly<Record<SeatAction, Act>>> = {
  now: show('now'),
  passing: show('passing'),
  threads: showThreads,
  up: (seat) => move(seat, -1),
  down: (seat) => move(seat, 1),
  open,
  back,
  send: (seat) => beginCompose(seat, 'send'),
  ask: (seat) => beginCompose(seat, 'ask'),
  'hand-over': (seat) => beginCompose(seat, 'hand-over'),
  help: (seat) => seat.open({ name: 'help' }),
  filter: (seat) => actOnPassing(seat, 'filter'),
  follow: (seat) => actOnPassing(seat, 'follow'),
  pause: (seat) => actOnPassing(seat, 'pause'),
  'only-mine': (seat) => actOnPassing(seat, 'only-mine'),
}

/** What is about the need in hand, and opens its card. */
const ANSWERS: ReadonlySet<SeatAction> = new Set([
  'answer',
  'approve',
  'reject',
  'option-1',
  'option-2',
  'option-3',
  'option-4',
  'other',
  'revise',
])

function act(seat: TopSeat, action: SeatAction): void {
  const known = ACTS[action]
  if (known !== undefined) known(seat)
  else if (ANSWERS.has(action)) actOnNeed(seat, action)
}

function show(screen: Screen): Act {
  return (seat) => seat.look({ screen, panel: undefined, scroll: 0, notice: undefined })
}

/** Whichever screen it is: a panel is scrolled, in a list the next one is chosen. */
function move(seat: TopSeat, by: number): void {
  const { model, shown, view } = seat
  const { panel, passing, scroll, screen, chosen } = view
  if (panel?.name === 'forget') return moveForget(seat, panel, by)
  if (panel !== undefined) return seat.look({ scroll: Math.max(0, scroll + by) })
  if (screen === 'now') return seat.look({ chosen: moveChoice(model, chosen, by) })
  if (screen === 'threads') return moveThread(seat, by)
  return seat.look({ passing: { ...passing, isFollowing: false, chosen: shown.move(passing, by) } })
}

function open(seat: TopSeat): void {
  const { model, view } = seat
  const { panel, screen, passing, chosen } = view
  if (panel?.name === 'forget') return void countForget(seat, panel)
  if (panel !== undefined) return
  if (screen === 'passing') {
    const row = passing.chosen === undefined ? undefined : model.rows.get(passing.chosen)
    if (row !== undefined && row.gap === undefined) seat.openItem(row.eventId)
    return
  }
  if (screen === 'threads') {
    if (view.threads.chosen !== undefined) openThread(seat, view.threads.chosen)
    return
  }
  if (chosen !== undefined && model.sessions.has(chosen))
    return seat.open({ name: 'session', address: chosen })
  seat.openCard()
}

function back(seat: TopSeat): void {
  const { panel, passing, notice } = seat.view
  if (panel?.name === 'forget') return seat.open(panel.item)
  if (panel !== undefined) return seat.look({ panel: undefined, scroll: 0 })
  if (notice !== undefined) return seat.look({ notice: undefined })
  return seat.look({ passing: { ...passing, isFollowing: true, chosen: undefined } })
}

/** Ways to answer the need in hand; its card is open by then, so that what is answered was shown. */
function actOnNeed(seat: TopSeat, action: SeatAction): void {
  const need = needInHand(seat.model, seat.view)?.need
  if (need === undefined || !seat.openCard()) return undefined
  if (action === 'approve' || action === 'reject') return weigh(seat, action)
  if (action !== 'answer') return actOnDecision(seat, action)
  if (TAKES_TEXT.has(need.type)) seat.write({ what: 'answer', label: 'Answer', isOneLine: false })
  return undefined
}

const TAKES_TEXT: ReadonlySet<SeatNeed['type']> = new Set(['question', 'diagnostic', 'task'])

function weigh(seat: TopSeat, action: 'approve' | 'reject'): void {
  seat.ask({ by: 'verdict', isApproved: action === 'approve', note: '' }, `${action} this task`)
}

function actOnDecision(seat: TopSeat, action: SeatAction): void {
  const need = needInHand(seat.model, seat.view)?.need
  if (need === undefined) return undefined
  const { options, takesOther, takesRevision } = readDecisionQuestion(need.message)
  if (action === 'other' && takesOther)
    return seat.write({ what: 'other', label: 'What it shall be instead', isOneLine: false })
  if (action === 'revise' && takesRevision)
    return seat.write({ what: 'revise', label: 'What is to be asked instead', isOneLine: false })
  const option = options.find(({ key }) => action === `option-${key}`)
  if (option === undefined) return undefined
  const { key, label } = option
  const decision = { kind: 'option', index: Number(key) - 1, label, note: undefined } as const
  return seat.ask({ by: 'decision', decision }, `choose ${key}`)
}
