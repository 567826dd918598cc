/**
 * The workflows of envelopes, as they are looked at: read when somebody looks, and again when one of them has grown.
 *
 * @see W-5, SEAT-25, SEAT-38
 */
import { outcomeWords } from '../../seat/outcome.ts'
import { readThreadList } from '../../seat/threads/thread-list.ts'
import type { TopSeat } from './top-seat.ts'
import { shapeAfter } from './view.ts'

/** Shows the list. */
export function showThreads(seat: TopSeat): void {
  seat.look({ screen: 'threads', panel: undefined, scroll: 0, notice: undefined })
  void readList(seat)
}

/** Opens one of them. */
export function openThread(seat: TopSeat, corr: string): void {
  seat.open({ name: 'thread', corr, thread: undefined, shape: 'tree' })
  void readThread(seat, corr)
}

/** Draws the open one in the next way. */
export function nextShape(seat: TopSeat): void {
  const { panel } = seat.view
  if (panel?.name !== 'thread') return
  seat.look({ panel: { ...panel, shape: shapeAfter(panel.shape) }, scroll: 0 })
}

/** Reads again what is looked at, where an envelope has passed since; asked for about once a second. */
export function refreshThreads(seat: TopSeat): void {
  const { model, view } = seat
  if (view.threads.version === model.versions.threads) return
  if (view.panel?.name === 'thread') void readThread(seat, view.panel.corr)
  else if (view.screen === 'threads') void readList(seat)
}

/** The next one in the list, or the one before; the first where none is chosen. */
export function moveThread(seat: TopSeat, by: number): void {
  const { threads } = seat.view
  const all = (threads.lines ?? []).map(({ corr }) => corr)
  const at = threads.chosen === undefined ? -1 : all.indexOf(threads.chosen)
  const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
  seat.look({ threads: { ...threads, chosen: next } })
}

async function readList(seat: TopSeat): Promise<void> {
  markRead(seat)
  const outcome = await seat.acts.fetchThreads()
  if (outcome.kind !== 'done') return seat.tell(outcomeWords(outcome), true)
  const lines = readThreadList(outcome.body)
  const chosen = seat.view.threads.chosen ?? lines[0]?.corr
  seat.look({ threads: { ...seat.view.threads, lines, chosen } })
}

async function readThread(seat: TopSeat, corr: string): Promise<void> {
  markRead(seat)
  const thread = await seat.acts.fetchThread(corr)
  if (!('hops' in thread)) return seat.tell(outcomeWords(thread), true)
  const { panel } = seat.view
  if (panel?.name === 'thread' && panel.corr === corr) seat.look({ panel: { ...panel, thread } })
}

/** Before it is asked for: what passes meanwhile has it read once more. */
function markRead(seat: TopSeat): void {
  seat.view = { ...seat.view, threads: { ...seat.view.threads, version: seat.model.versions.threads } }
}
