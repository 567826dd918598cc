/**
 * `seen` is said for what was really shown: in view for a second, on a page that is visible.
 *
 * @see SEAT-04
 */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { isVisible } from './is-visible.ts'
import { useSeat } from './page-seat.ts'
import { IN_VIEW_MS } from './seen.ts'

/** How much of it; a card taller than the window is never whole in view. */
const IN_VIEW_PART = 0.5

/** Says so once for an item, from the element that shows it. @param eventId - undefined for what is no item */
export function useSeen(element: RefObject<HTMLElement | null>, eventId: string | undefined): void {
  const seat = useSeat()
  useEffect(() => {
    const { current: shown } = element
    if (shown === null || eventId === undefined) return undefined
    return whenSeen(shown, () => seat.seen.say([eventId]))
  }, [eventId])
}

/** Calls back once after a second in view. @returns stops looking */
function whenSeen(shown: HTMLElement, onSeen: () => void): () => void {
  let isInView = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const judge = (): void => {
    clearTimeout(timer)
    if (!isInView || !isVisible()) return
    timer = setTimeout(() => {
      stop()
      onSeen()
    }, IN_VIEW_MS)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      isInView = entries.some(({ isIntersecting }) => isIntersecting)
      judge()
    },
    { threshold: IN_VIEW_PART },
  )
  const stop = (): void => {
    clearTimeout(timer)
    observer.disconnect()
    document.removeEventListener('visibilitychange', judge)
  }
  observer.observe(shown)
  document.addEventListener('visibilitychange', judge)
  return stop
}
