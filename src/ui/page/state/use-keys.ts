/**
 * The keys of the page, by the table that the help is made from.
 *
 * @see SEAT-30, SEAT-31
 */
import { useEffect } from 'preact/hooks'
import { readKey, type KeyPlace, type SeatAction } from '../../seat/text/keys.ts'
import { singleKeys } from './single-keys.ts'

/** What a page does for an action; undefined where it does nothing just now. */
export type KeyActions = (action: SeatAction) => (() => void) | undefined

/** Listens for as long as the page is there. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    let pending: string | undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return
      // Browsers give a tick box the space bar alone; here Enter does everything (SEAT-31).
      if (event.key === 'Enter' && isTickBox(event.target)) return event.target.click()
      const read = readKey(event.key, pending, placeOf(event.target))
      ;({ pending } = read)
      const { row } = read
      if (row === undefined || (!singleKeys.value && event.key.length === 1)) return
      const act = actions(row.action)
      if (act === undefined) return
      // A key that opens a field does not type into it.
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [actions])
}

/** The card that is chosen, if one is. */
export function chosenCard(): HTMLElement | undefined {
  const card = document.activeElement?.closest('[data-need]')
  return card instanceof HTMLElement ? card : undefined
}

/** Presses the button of a card, as a click would. */
export function pressIn(card: HTMLElement | undefined, action: string): (() => void) | undefined {
  const button = card?.querySelector(`[data-action="${action}"]`)
  return button instanceof HTMLElement ? () => button.click() : undefined
}

function isTickBox(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof HTMLInputElement && target.type === 'checkbox'
}

function placeOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof HTMLElement)) return 'list'
  if (target.matches('textarea, select, input:not([type=checkbox])')) return 'field'
  const type = chosenCard()?.dataset['type']
  return type === 'decision' || type === 'approval' ? type : 'list'
}
