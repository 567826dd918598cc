/**
 * A workflow by who is in it: a column for each entity, an arrow for each envelope.
 *
 * @see SEAT-25
 */
import type { JSX } from 'preact'
import { formatClock } from '../../../core/text/durations.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'
import { THREADS } from '../../seat/threads/thread-words.ts'
import { SenderLine } from '../parts/sender-text.tsx'
import { HopWords } from './hop-words.tsx'

/** The table; a wide one scrolls in itself. */
export function Sequence({ view }: { readonly view: ThreadView }): JSX.Element {
  const { hops, sequence } = view
  const { lanes, arrows } = sequence
  return (
    <div class="json" tabIndex={0} role="region" aria-label={THREADS.sequence}>
      <table class="sequence">
        <thead>
          <tr>
            <th scope="col">{THREADS.at}</th>
            {lanes.map((entity) => (
              <th scope="col" key={entity}>
                <SenderLine text={entity} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {arrows.map(({ hop: place, lane, lanes: width, goes }) => {
            const hop = hops[place]
            return (
              hop && (
                <tr key={place}>
                  <th scope="row">{formatClock(hop.at)}</th>
                  {lane > 0 && <td colSpan={lane} />}
                  <td class="arrow" colSpan={width}>
                    {goes === '←' && '← '}
                    <HopWords hop={hop} />
                    {goes !== '←' && ` ${goes}`}
                  </td>
                  {lane + width < lanes.length && <td colSpan={lanes.length - lane - width} />}
                </tr>
              )
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
