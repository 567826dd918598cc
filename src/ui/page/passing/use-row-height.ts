/**
 * How high a row is: one line where there is room for it, two on a narrow screen. The style sheet has the same numbers.
 *
 * @see SEAT-35
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const NARROW = '(max-width: 699px)'
const ROW_PIXELS = 28
const NARROW_ROW_PIXELS = 52

/** @returns pixels */
export function useRowHeight(): number {
  const isNarrow = useSignal(matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const change = (): void => void (isNarrow.value = query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return isNarrow.value ? NARROW_ROW_PIXELS : ROW_PIXELS
}
