/**
 * A task that runs only when the person says so: what it is, by its hash, and yes or no in two steps.
 *
 * @see SEAT-05, SEAT-11, SEAT-21; W-9
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { readApprovalTask } from '../../seat/needs/approval.ts'
import { APPROVAL_WARNING, BUTTONS } from '../../seat/words.ts'
import { Confirm } from '../parts/confirm.tsx'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import { useMessage } from '../state/use-message.ts'
import { useSigning } from '../state/use-signing.ts'
import type { AnswerFormProps } from './answer-form.ts'

/** The form. */
export function ApprovalForm({ need, isDeaf, isBusy, onAnswer }: AnswerFormProps): JSX.Element {
  const task = readApprovalTask(useMessage(need))
  const signing = useSigning()
  const verdict = useSignal<boolean | undefined>(undefined)
  const weigh = (isApproved: boolean): void => {
    if (!isDeaf()) verdict.value = isApproved
  }
  const { value: isApproved } = verdict
  return (
    <div class="form">
      <SenderBlock text={task.summary === '' ? need.text : task.summary} />
      <dl class="facts pairs">
        <dt>intent</dt>
        <dd>
          <SenderLine text={task.intent} />
        </dd>
        <dt>from</dt>
        <dd>
          <SenderLine text={task.from} />
        </dd>
        <dt>hash</dt>
        <dd class="hash wide">
          <SenderLine text={task.hash} />
        </dd>
      </dl>
      <p class="note">
        {APPROVAL_WARNING} {signing}
      </p>
      <button
        type="button"
        data-action="approve"
        aria-pressed={isApproved === true}
        onClick={() => weigh(true)}
      >
        <kbd>y</kbd> {BUTTONS.approve}
      </button>
      <button
        type="button"
        data-action="reject"
        aria-pressed={isApproved === false}
        onClick={() => weigh(false)}
      >
        <kbd>n</kbd> {BUTTONS.reject}
      </button>
      {isApproved !== undefined && (
        <Confirm
          what={isApproved ? 'approve this task' : 'reject this task'}
          isBusy={isBusy}
          onYes={() => onAnswer({ by: 'verdict', isApproved, note: '' })}
          onNo={() => (verdict.value = undefined)}
        />
      )}
    </div>
  )
}
