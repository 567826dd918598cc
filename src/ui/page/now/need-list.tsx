/**
 * The cards of what needs the person. While a pointer or the focus is among them they stay where they are, and new ones
 * come below; one that is being answered stays until the answer is told.
 *
 * @see SEAT-09, SEAT-22
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { settleOrder } from '../../seat/needs/settle-order.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { HEADINGS, STATES } from '../../seat/words.ts'
import { isHeld } from '../parts/is-held.ts'
import { StateNote } from '../parts/state-note.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { NeedCard } from './need-card.tsx'

const idOf = ({ needId }: SeatNeed): string => needId

/** Both lists: what is for the person, and what anyone may answer, which is folded. */
export function NeedList(): JSX.Element {
  const seat = useSeat()
  const list = useRef<HTMLElement>(null)
  const kept = useSignal<ReadonlySet<string>>(new Set())
  const shown = useRef<readonly SeatNeed[]>([])
  const ordered = useModel(seat, ['needs', 'nowMs'], () => seat.model.needs())

  const open = new Set(ordered.map(({ needId }) => needId))
  const standing = shown.current.filter(({ needId }) => kept.value.has(needId) && !open.has(needId))
  const closed = standing.map((need) => seat.model.findNeed(need.needId) ?? need)
  const needs = settleOrder({
    shown: shown.current.map(idOf),
    ordered: [...ordered, ...closed],
    nameOf: idOf,
    isHeld: isHeld(list) || closed.length > 0,
  })
  shown.current = needs

  const keep = (needId: string, isKept: boolean): void => {
    const ids = new Set(kept.value)
    if (isKept) ids.add(needId)
    else ids.delete(needId)
    kept.value = ids
  }
  const cards = (addressed: SeatNeed['addressed']): readonly JSX.Element[] =>
    needs
      .filter((need) => need.addressed === addressed)
      .map((need) => <NeedCard key={need.needId} need={need} isOpen={open.has(need.needId)} onKeep={keep} />)
  const [yours, others] = [cards('you'), cards('anyone')]
  return (
    <section ref={list} class="needs" aria-labelledby="needs-heading">
      <h2 id="needs-heading">{HEADINGS.needsYou}</h2>
      {yours.length === 0 && <StateNote state={STATES.nothingNeedsYou} />}
      {yours}
      {others.length > 0 && (
        <details>
          <summary>
            {HEADINGS.anyoneMayAnswer} ({others.length})
          </summary>
          {others}
        </details>
      )}
    </section>
  )
}
