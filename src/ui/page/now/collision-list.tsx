/**
 * Files that two sessions are at: those in one worktree first, since there they overwrite each other.
 *
 * @see SEAT-24
 */
import type { JSX } from 'preact'
import type { Collision } from '../../seat/here/collisions.ts'
import { BUTTONS, collisionWords, HEADINGS, PARTIES_NAMED, partyWords, STATES } from '../../seat/words.ts'
import { FileRef } from '../parts/file-refs.tsx'
import { SenderLine } from '../parts/sender-text.tsx'
import { StateNote } from '../parts/state-note.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** The list. */
export function CollisionList(): JSX.Element {
  const seat = useSeat()
  const collisions = useModel(seat, ['rows', 'here', 'nowMs'], () => seat.model.collisions())
  return (
    <section aria-labelledby="collisions-heading">
      <h2 id="collisions-heading">{HEADINGS.collisions}</h2>
      {collisions.length === 0 ? (
        <StateNote state={STATES.noCollisions} />
      ) : (
        <ul class="collisions">
          {collisions.map((collision) => (
            <li key={`${collision.path} ${collision.parties[0]?.session.address}`}>
              <CollisionLine collision={collision} nowMs={seat.nowMs.value} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function CollisionLine({
  collision,
  nowMs,
}: {
  readonly collision: Collision
  readonly nowMs: number
}): JSX.Element {
  const seat = useSeat()
  const [newest] = collision.parties
  const ask = (): void => {
    if (newest === undefined) return
    seat.compose('ask', newest.session.address)
  }
  return (
    <>
      <p>
        <FileRef file={collision.path} address={newest?.session.address ?? ''} />{' '}
        <span class={collision.worktree === 'same' ? 'warning' : 'dim'}>
          {collision.worktree === 'same' ? '⚠ ' : ''}
          {collisionWords(collision)}
        </span>
      </p>
      <p class="facts">
        {collision.parties.slice(0, PARTIES_NAMED).map((party, index) => (
          <span key={party.session.address}>
            {index > 0 && ' · '}
            <SenderLine text={party.session.called} /> {partyWords(party, nowMs)}
          </span>
        ))}
        {collision.parties.length > PARTIES_NAMED && ` · ${collision.parties.length - PARTIES_NAMED} more`}
      </p>
      <button onClick={ask}>{BUTTONS.ask}</button>
    </>
  )
}
