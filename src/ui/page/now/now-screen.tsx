/**
 * What is the case without a click: what needs the person, who is here, and which files two of them are at.
 *
 * @see SEAT-20
 */
import type { JSX } from 'preact'
import { HEADINGS, STATES } from '../../seat/words.ts'
import { StateNote } from '../parts/state-note.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { CollisionList } from './collision-list.tsx'
import { HereLines } from './here-lines.tsx'
import { NeedList } from './need-list.tsx'

/** The screen. */
export function NowScreen(): JSX.Element {
  const seat = useSeat()
  const here = useModel(seat, ['here'], () => seat.model.here())
  return (
    <div class="columns">
      <NeedList />
      <div class="aside">
        <section aria-labelledby="here-heading">
          <h2 id="here-heading">{HEADINGS.here}</h2>
          {here.lines.length === 0 ? <StateNote state={STATES.nobodyHere} /> : <HereLines here={here} />}
        </section>
        <CollisionList />
      </div>
    </div>
  )
}
