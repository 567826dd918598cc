/**
 * How the person looks at what passes: which rows, and whether the list follows what comes. It outlives the screen.
 *
 * @see SEAT-36
 */
import { signal, type Signal } from '@preact/signals'
import { EVERY_ROW, type RowFilter } from '../../seat/passing/row-filter.ts'

/** How the list is looked at. */
export interface PassingView {
  readonly filter: Signal<RowFilter>
  readonly isFollowing: Signal<boolean>
  /** The place behind the last row that is shown; undefined while rows come in. */
  readonly pausedAt: Signal<number | undefined>
  /** The place of the chosen row. */
  readonly chosen: Signal<number | undefined>
}

/** A view that follows all that passes. */
export function newPassingView(): PassingView {
  return {
    filter: signal(EVERY_ROW),
    isFollowing: signal(true),
    pausedAt: signal<number | undefined>(undefined),
    chosen: signal<number | undefined>(undefined),
  }
}

/** Stops the list where it is, or lets it go on. @param end - the place behind the newest row */
export function togglePause({ pausedAt }: PassingView, end: number): void {
  pausedAt.value = pausedAt.value === undefined ? end : undefined
}

/** To what passes now. */
export function goToEnd({ isFollowing, pausedAt }: PassingView): void {
  pausedAt.value = undefined
  isFollowing.value = true
}
