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
  if (seat.isOutdated.value) {
    return (
      <div class="banner" role="alert">
        <StateNote state={STATES.updated}>
          <button type="button" onClick={() => location.reload()}>
            {BUTTONS.reload}
          </button>
        </StateNote>
      </div>
    )
  }
  if (link.state === 'live') return undefined
  const state = link.state === 'connecting' ? STATES.connecting : (REASONS[link.reason] ?? STATES.daemonGone)
  return (
    <div class="banner" role={link.state === 'connecting' ? 'status' : 'alert'}>
      <StateNote state={state}>
        {link.reason === 'too-many-pages' && (
          <button type="button" onClick={() => void seat.useItHere()}>
            {BUTTONS.useItHere}
          </button>
        )}
      </StateNote>
    </div>
  )
}
