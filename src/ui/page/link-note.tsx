/**
 * What is said above a screen while the page is not connected, and what can be done about it.
 *
 * @see SEAT-19, SEAT-26
 */
import type { JSX } from 'preact'
import type { StateWords } from '../seat/words.ts'
import { BUTTONS, STATES } from '../seat/words.ts'
import { StateNote } from './parts/state-note.tsx'
import { useSeat } from './state/page-seat.ts'
import { useModel } from './state/use-model.ts'

/** Reason of a link that is lost or over → what is the case. */
const REASONS: Readonly<Record<string, StateWords>> = {
  'signed-out': STATES.signedOut,
  unauthenticated: STATES.signedOut,
  'link-used': STATES.linkUsed,
  'too-many-pages': STATES.tooManyPages,
  'process-gone': STATES.processGone,
}

/** The note; nothing while the page is live. */
export function LinkNote(): JSX.Element | undefined {
  const seat = useSeat()
  const link = useModel(seat, ['link'], () => seat.model.link)
  const { value: isOutdated } = seat.isOutdated
  if (link.state === 'live' && !isOutdated) return undefined
  const isConnecting = link.state === 'connecting'
  const lost = isConnecting ? STATES.connecting : (REASONS[link.reason] ?? STATES.daemonGone)
  return (
    <div class="banner" role={isConnecting ? undefined : 'alert'}>
      <StateNote state={isOutdated ? STATES.updated : lost}>
        {isOutdated ? (
          <button onClick={() => location.reload()}>{BUTTONS.reload}</button>
        ) : (
          link.reason === 'too-many-pages' && (
            <button onClick={() => void seat.useItHere()}>{BUTTONS.useItHere}</button>
          )
        )}
      </StateNote>
    </div>
  )
}
