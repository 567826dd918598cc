/**
 * Forgetting for good: which, how much that is, and once more whether.
 *
 * @see W-8, SEAT-23, SEAT-30
 */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { numberOf, type JsonObject } from '../../../core/text/json-object.ts'
import { forgetFailedWords, type CallOutcome } from '../../seat/outcome.ts'
import {
  countPath,
  forgetChoices,
  forgetPath,
  forgetWords,
  NOTHING_LEFT,
  readForgettable,
  type Forgettable,
  type ForgetChoice,
} from '../../seat/passing/forgetting.ts'
import { BUTTONS, forgotWords } from '../../seat/words.ts'
import { Confirm } from '../parts/confirm.tsx'
import { useSeat } from '../state/page-seat.ts'

/** What it begins from. */
export interface ForgetProps {
  readonly eventId: string
  /** As it was fetched; empty where it is not there. */
  readonly item: JsonObject
  /** It is forgotten: every choice takes it along. */
  readonly onGone: () => void
}

/** The button, what there is to choose, and what came of it. */
export function Forget(props: ForgetProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = useSignal(false)
  const says = useSignal('')
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen.value) return
    event.stopPropagation()
    isOpen.value = false
    button.current?.focus()
  }
  return (
    <div class="form" onKeyDown={onKeyDown}>
      {says.value !== '' && <p class="outcome">{says.value}</p>}
      <button
        ref={button}
        class="quiet"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {BUTTONS.forget}
      </button>
      {isOpen.value && <Choices {...props} isOpen={isOpen} says={says} />}
    </div>
  )
}

interface ChoicesProps extends ForgetProps {
  readonly isOpen: Signal<boolean>
  readonly says: Signal<string>
}

function Choices({ eventId, item, isOpen, says, onGone }: ChoicesProps): JSX.Element {
  const seat = useSeat()
  const asked = useSignal<Forgettable | undefined>(undefined)
  const isBusy = useSignal(false)
  const call = async (path: string): Promise<CallOutcome> => {
    isBusy.value = true
    const came = await seat.call({ method: 'DELETE', path })
    isBusy.value = false
    return came
  }
  const tell = (words: string): void => {
    says.value = words
    isOpen.value = false
    seat.announcer.say(words)
  }
  const count = async (choice: ForgetChoice): Promise<void> => {
    const came = await call(countPath(choice))
    if (came.kind !== 'done') return tell(forgetFailedWords(came))
    const found = readForgettable(choice, came.body)
    if (found.count === 0) return tell(NOTHING_LEFT)
    asked.value = found
  }
  const forget = async (which: Forgettable): Promise<void> => {
    const came = await call(forgetPath(which))
    if (came.kind !== 'done') return tell(forgetFailedWords(came))
    onGone()
    tell(forgotWords(numberOf(came.body, 'forgotten') ?? 0))
  }
  const { value: which } = asked
  return (
    <>
      <div class="verbs" role="group" aria-label={BUTTONS.forget}>
        {forgetChoices(eventId, item).map((choice) => (
          <button
            key={choice.says}
            disabled={isBusy.value}
            aria-pressed={which?.choice.says === choice.says}
            onClick={() => void count(choice)}
          >
            {choice.says}
          </button>
        ))}
      </div>
      {which !== undefined && (
        <Confirm
          what={forgetWords(which)}
          isBusy={isBusy.value}
          onYes={() => void forget(which)}
          onNo={() => (asked.value = undefined)}
        />
      )}
    </>
  )
}
