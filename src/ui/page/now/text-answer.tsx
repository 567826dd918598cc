/**
 * An answer in the person's own words.
 *
 * @see SEAT-21, SEAT-30
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { BUTTONS } from '../../seat/words.ts'
import type { AnswerFormProps } from './answer-form.ts'
import { Reply } from './reply.tsx'

/** A button that opens a field; what was typed stays when the field is left. */
export function TextAnswer({ need, isDeaf, isBusy, onAnswer }: AnswerFormProps): JSX.Element {
  const isWriting = useSignal(false)
  if (!isWriting.value) {
    return (
      <button data-action="answer" onClick={() => (isWriting.value = !isDeaf())}>
        {BUTTONS.answer}
      </button>
    )
  }
  return (
    <Reply
      label="Your answer"
      needId={need.needId}
      isBusy={isBusy}
      onSay={(text) => onAnswer({ by: 'text', text })}
      onLeave={() => (isWriting.value = false)}
    />
  )
}
