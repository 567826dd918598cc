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
import { Fact } from '../parts/fact.tsx'
import { SenderBlock } from '../parts/sender-text.tsx'
import { useSigning } from '../state/use-signing.ts'
import type { AnswerFormProps } from './answer-form.ts'

/** What the person means to say, and of which task. */
interface Verdict {
  readonly isApproved: boolean
  readonly hash: string
}

/** The form. */
export function ApprovalForm({ need, isDeaf, isBusy, onAnswer }: AnswerFormProps): JSX.Element {
  const task = readApprovalTask(need.message)
  const signing = useSigning()
  const verdict = useSignal<Verdict | undefined>(undefined)
  const weigh = (isApproved: boolean): void => {
    if (!isDeaf()) verdict.value = { isApproved, hash: task.hash }
  }
  // Of a task that stands here by now in place of the one that was weighed, nothing has been said.
  const isApproved = verdict.value?.hash === task.hash ? verdict.value.isApproved : undefined
  return (
    <div class="form">
      <SenderBlock text={task.summary === '' ? need.text : task.summary} />
      <dl class="facts pairs">
        <Fact name="intent" value={task.intent} />
        <Fact name="from" value={task.from} />
        <Fact name="hash" value={task.hash} kind="hash wide" />
      </dl>
      <p class="note">
        {APPROVAL_WARNING} {signing}
      </p>
      <button
        data-action="approve"
        disabled={task.hash === ''}
        aria-pressed={isApproved === true}
        onClick={() => weigh(true)}
      >
        <kbd>y</kbd> {BUTTONS.approve}
      </button>
      <button data-action="reject" aria-pressed={isApproved === false} onClick={() => weigh(false)}>
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
