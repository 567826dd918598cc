/**
 * An answer in the person's own words.
 *
 * @see SEAT-21, SEAT-30
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { BUTTONS } from '../../seat/words.ts'
import { TextField } from '../parts/text-field.tsx'
import { draftOf } from '../state/drafts.ts'
import type { AnswerFormProps } from './answer-form.ts'

/** A button that opens a field; what was typed stays when the field is left. */
export function TextAnswer({ need, isDeaf, isBusy, onAnswer }: AnswerFormProps): JSX.Element {
  const isWriting = useSignal(false)
  if (!isWriting.value) {
    return (
      <button type="button" data-action="answer" onClick={() => (isWriting.value = !isDeaf())}>
        {BUTTONS.answer}
      </button>
    )
  }
  const draft = draftOf(need.needId)
  const send = (): void => {
    if (draft.value.trim() !== '' && !isBusy) onAnswer({ by: 'text', text: draft.value })
  }
  return (
    <div class="form">
      <TextField
        label="Your answer"
        draft={draft}
        rows={3}
        onSend={send}
        onLeave={() => (isWriting.value = false)}
      />
      <button type="button" class="main" disabled={isBusy || draft.value.trim() === ''} onClick={send}>
        {BUTTONS.send}
      </button>
      <button type="button" onClick={() => (isWriting.value = false)}>
        {BUTTONS.cancel}
      </button>
    </div>
  )
}
