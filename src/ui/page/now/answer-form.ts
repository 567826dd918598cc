/**
 * What every way to answer is told by its card.
 *
 * @see SEAT-21, SEAT-22
 */
import type { NeedAnswer } from '../../seat/needs/answers.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'

/** What a way to answer is told. */
export interface AnswerFormProps {
  readonly need: SeatNeed
  /** Whether buttons do nothing just now: the card has appeared or moved under the pointer. */
  readonly isDeaf: () => boolean
  readonly isBusy: boolean
  readonly onAnswer: (answer: NeedAnswer) => void
}
