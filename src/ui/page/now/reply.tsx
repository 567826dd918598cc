/**
 * Something in the person's own words for whoever asks: the field that was opened for it, and the two ways on.
 *
 * @see SEAT-21, SEAT-23, SEAT-30
 */
import type { JSX } from 'preact'
import { BUTTONS } from '../../seat/words.ts'
import { TextField } from '../parts/text-field.tsx'
import { draftOf } from '../state/drafts.ts'

/** What it is for. */
export interface ReplyProps {
  readonly label: string
  /** What is answered; its draft stays when the field is left. */
  readonly needId: string
  readonly isBusy: boolean
  readonly onSay: (text: string) => void
  readonly onLeave: () => void
}

/** The field; nothing is sent that says nothing. */
export function Reply({ label, needId, isBusy, onSay, onLeave }: ReplyProps): JSX.Element {
  const draft = draftOf(needId)
  const isReady = draft.value.trim() !== '' && !isBusy
  const say = (): void => {
    if (isReady) onSay(draft.value)
  }
  return (
    <div class="form">
      <TextField label={label} draft={draft} rows={3} onSend={say} onLeave={onLeave} />
      <button class="main" disabled={!isReady} onClick={say}>
        {BUTTONS.send}
      </button>
      <button onClick={onLeave}>{BUTTONS.cancel}</button>
    </div>
  )
}
