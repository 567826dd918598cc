/**
 * `seen` is said for what was really shown: in view for a second, on a page that is visible.
 *
 * @see SEAT-04
 */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { useSeat, type PageSeat } from './page-seat.ts'

/** How long it has to be in view, in milliseconds. */
const IN_VIEW_MS = 1_000

/** How much of it; a card taller than the window is never whole in view. */
const IN_VIEW_PART = 0.5

/** Says so once for an item, from the element that shows it. @param eventId - undefined for what is no item */
export function useSeen(element: RefObject<HTMLElement | null>, eventId: string | undefined): void {
  const seat = useSeat()
  useEffect(() => {
    const { current: shown } = element
    if (shown === null || eventId === undefined) return undefined
    return whenSeen(shown, () => void saySeen(seat, eventId))
  }, [eventId])
}

/** Calls back once after a second in view. @returns stops looking */
function whenSeen(shown: HTMLElement, onSeen: () => void): () => void {
  let isInView = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const judge = (): void => {
    clearTimeout(timer)
    if (!isInView || document.visibilityState !== 'visible') return
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

async function saySeen(seat: PageSeat, eventId: string): Promise<void> {
  await seat.call({ method: 'POST', path: '/v1/seen', body: { event_ids: [eventId], via: 'stream' } })
}
