/**
 * What the keys do on this page.
 *
 * @see SEAT-30, SEAT-31
 */
import type { SeatAction } from '../seat/text/keys.ts'
import { togglePause, type PassingView } from './passing/view.ts'
import type { PageSeat, Screen } from './state/page-seat.ts'
import { chosenCard, pressIn, type KeyActions } from './state/use-keys.ts'

type Acts = Partial<Record<SeatAction, () => void>>

/** What each action does; nothing for those that mean nothing where the person is. */
export function actionsOn(seat: PageSeat, view: PassingView): KeyActions {
  const everywhere = actsEverywhere(seat)
  const onPassing = actsOnPassing(seat, view)
  return (action) => {
    // A dialog has the keyboard for itself; Escape closes it without our doing.
    if (seat.panel.value !== undefined) return undefined
    const here = seat.screen.value === 'passing' ? onPassing : undefined
    return everywhere[action] ?? here?.[action] ?? actOnCards(action)
  }
}

function actsEverywhere(seat: PageSeat): Acts {
  const show = (screen: Screen) => (): void => void (seat.screen.value = screen)
  return {
    now: show('now'),
    passing: show('passing'),
    threads: show('threads'),
    send: () => seat.compose('send'),
    ask: () => seat.compose('ask'),
    'hand-over': () => seat.compose('hand-over'),
    help: () => void (seat.panel.value = { name: 'help' }),
    back: () => void (seat.openItem.value = seat.openThread.value = undefined),
  }
}

function actsOnPassing(seat: PageSeat, view: PassingView): Acts {
  const { filter, isFollowing } = view
  return {
    filter: () => focusOn('filter'),
    follow: () => void (isFollowing.value = !isFollowing.value),
    pause: () => togglePause(view, seat.model.rows.end),
    'only-mine': () => void (filter.value = { ...filter.value, onlyMine: !filter.value.onlyMine }),
    answer: answerInDetail,
    up: () => focusOn('timeline'),
    down: () => focusOn('timeline'),
  }
}

/** What the arrows go to: a card, and a line of the list of threads. */
const CHOOSABLE = '[data-need], [data-chosen]'

/** What needs the person: chosen with the arrows, answered with the keys of its card. */
function actOnCards(action: SeatAction): (() => void) | undefined {
  if (action !== 'up' && action !== 'down') return pressIn(chosenCard(), action)
  const cards = [...document.querySelectorAll<HTMLElement>(CHOOSABLE)].filter(
    (card) => card.offsetParent !== null,
  )
  const at = cards.findIndex((card) => card === document.activeElement?.closest(CHOOSABLE))
  const next = cards[action === 'down' ? at + 1 : Math.max(0, at - 1)]
  return next && (() => next.focus())
}

/** By its button; a card with other keys of its own is chosen, so that they work. */
function answerInDetail(): void {
  const card = document.querySelector('.detail [data-need]')
  if (!(card instanceof HTMLElement)) return
  const press = pressIn(card, 'answer') ?? (() => card.focus())
  press()
}

function focusOn(action: string): void {
  const found = document.querySelector(`[data-action="${action}"]`)
  if (found instanceof HTMLElement) found.focus()
}
