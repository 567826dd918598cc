/**
 * One card: who asks, since when, how long is left, the whole text, and every way to answer.
 *
 * @see SEAT-21, SEAT-22, SEAT-28
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useCallback, useRef } from 'preact/hooks'
import { folderOf } from '../../seat/here/session.ts'
import { DISMISSED, requestOf, type NeedAnswer } from '../../seat/needs/answers.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { outcomeWords, type CallOutcome } from '../../seat/outcome.ts'
import { fileRefsOf } from '../../seat/text/file-refs.ts'
import { askerName, BUTTONS, cannotAnswer, closedWords, NEED_NAMES, needTimes } from '../../seat/words.ts'
import { FileRefs } from '../parts/file-refs.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useMessage } from '../state/use-message.ts'
import { useModel } from '../state/use-model.ts'
import { useSeen } from '../state/use-seen.ts'
import type { AnswerFormProps } from './answer-form.ts'
import { ApprovalForm } from './approval-form.tsx'
import { DecisionForm } from './decision-form.tsx'
import { TextAnswer } from './text-answer.tsx'
import { useDeaf } from './use-deaf.ts'

/** What a card is told. */
export interface NeedCardProps {
  readonly need: SeatNeed
  /** False for one that closed while it was being answered. */
  readonly isOpen: boolean
  /** Keeps the card where it is until its outcome was read. */
  readonly onKeep: (needId: string, isKept: boolean) => void
}

/** How long a card stands after its outcome was told, in milliseconds. */
const OUTCOME_MS = 6_000

/** The card. */
export function NeedCard({ need: listed, isOpen, onKeep }: NeedCardProps): JSX.Element {
  const seat = useSeat()
  const message = useMessage(listed)
  const need = { ...listed, message }
  const card = useRef<HTMLElement>(null)
  const isDeaf = useDeaf(card)
  useSeen(card, need.eventId)
  const outcome = useSignal<CallOutcome | undefined>(undefined)
  const isBusy = useSignal(false)
  const nowMs = useModel(seat, ['nowMs'], () => seat.nowMs.value)

  const answer = useCallback(
    async (given: NeedAnswer): Promise<void> => {
      const request = requestOf(need, given, seat.asSeat())
      if (request === undefined || isBusy.value) return
      isBusy.value = true
      if (need.eventId !== undefined) seat.seen.say([need.eventId])
      onKeep(need.needId, true)
      const came = await seat.call(request)
      outcome.value = came
      isBusy.value = false
      seat.announcer.say(outcomeWords(came))
      if (came.kind === 'done') setTimeout(() => onKeep(need.needId, false), OUTCOME_MS)
    },
    [listed, message],
  )
  const isDone = outcome.value?.kind === 'done'
  const cannot = cannotAnswer(need)
  const headingId = `need-${need.needId}`
  return (
    <article
      ref={card}
      class={need.state === 'late' ? 'card late' : 'card'}
      tabIndex={-1}
      data-need={need.needId}
      data-type={need.type}
      aria-labelledby={headingId}
    >
      <CardHead need={need} headingId={headingId} nowMs={nowMs} />
      {need.type !== 'decision' && need.type !== 'approval' && <SenderBlock text={need.text} />}
      <FileRefs files={fileRefsOf(need.message)} address={need.from.address} />
      {cannot !== undefined && <p class="note">{cannot}</p>}
      {isDone || !isOpen || cannot !== undefined ? undefined : (
        <AnswerForm
          need={need}
          isDeaf={isDeaf}
          isBusy={isBusy.value}
          onAnswer={(given) => void answer(given)}
        />
      )}
      {!isOpen && !isDone && <p class="note">{closedWords(need.closedBy)}</p>}
      {outcome.value !== undefined && <Outcome outcome={outcome.value} />}
    </article>
  )
}

/** Ours, and around it what the sender calls itself: nobody can write a line that stands here. */
function CardHead({
  need,
  headingId,
  nowMs,
}: {
  readonly need: SeatNeed
  readonly headingId: string
  readonly nowMs: number
}): JSX.Element {
  const { address, title, branch, repository, isPresent } = need.from
  const folder = folderOf({ repository })
  return (
    <header>
      <h3 id={headingId}>
        {NEED_NAMES[need.type]} from <SenderLine text={askerName(need)} />
      </h3>
      <p class="facts">
        {title !== undefined && (
          <>
            <SenderLine text={title} /> ·{' '}
          </>
        )}
        {folder !== undefined && (
          <>
            in <SenderLine text={folder} />{' '}
          </>
        )}
        {branch !== undefined && (
          <>
            on <SenderLine text={branch} /> ·{' '}
          </>
        )}
        {!isPresent && address !== '' && 'has left · '}
        <time>{needTimes(need, nowMs)}</time>
      </p>
    </header>
  )
}

function AnswerForm(props: AnswerFormProps): JSX.Element {
  const { need, isDeaf, isBusy, onAnswer } = props
  return (
    <div class="answers">
      {need.type === 'decision' && <DecisionForm {...props} />}
      {need.type === 'approval' && <ApprovalForm {...props} />}
      {need.type !== 'decision' && need.type !== 'approval' && <TextAnswer {...props} />}
      <button
        class="quiet"
        disabled={isBusy}
        onClick={() => isDeaf() || onAnswer({ by: 'dismissal', why: DISMISSED })}
      >
        {BUTTONS.dismiss}
      </button>
    </div>
  )
}
