/**
 * Buttons of a card that has just appeared or moved do nothing for a moment: whoever clicked meant what stood there before.
 *
 * @see SEAT-22
 */
import type { RefObject } from 'preact'
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

/** How long, in milliseconds. */
export const DEAF_MS = 500

/** @returns whether the card's buttons are to do nothing just now */
export function useDeaf(card: RefObject<HTMLElement | null>): () => boolean {
  const place = useRef(Number.NaN)
  const untilMs = useRef(0)
  // Where it stands in the page, not on the screen: to scroll is to know where things are.
  useLayoutEffect(() => {
    const top = card.current?.offsetTop ?? 0
    if (top !== place.current) untilMs.current = performance.now() + DEAF_MS
    place.current = top
  })
  return useCallback(() => performance.now() < untilMs.current, [])
}
