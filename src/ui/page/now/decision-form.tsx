/**
 * A decision: what the asker found, the options with the one it recommends, and the two ways round them.
 *
 * To choose takes two steps, by key and by pointer alike.
 *
 * @see SEAT-21, SEAT-30; W-9
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Decision } from '../../../protocol/decision.ts'
import {
  aroundOptions,
  readDecisionQuestion,
  type DecisionOption,
  type DecisionQuestion,
} from '../../seat/needs/decision.ts'
import { BUTTONS } from '../../seat/words.ts'
import { Confirm } from '../parts/confirm.tsx'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import type { AnswerFormProps } from './answer-form.ts'
import { Reply } from './reply.tsx'

type Hatch = 'other' | 'revise'

/** The form. */
export function DecisionForm({ need, isDeaf, isBusy, onAnswer }: AnswerFormProps): JSX.Element {
  const question = readDecisionQuestion(need.message)
  const picked = useSignal<DecisionOption | undefined>(undefined)
  const hatch = useSignal<Hatch | undefined>(undefined)
  const onHatch = (name: Hatch): void => {
    if (isDeaf()) return
    picked.value = undefined
    hatch.value = name
  }
  const [option, openHatch] = [picked.value, hatch.value]
  return (
    <div class="form">
      <Question question={question} text={need.text} />
      <Options
        question={question}
        picked={option}
        onPick={(one) => {
          if (isDeaf()) return
          hatch.value = undefined
          picked.value = one
        }}
        onHatch={onHatch}
      />
      {option !== undefined && (
        <Confirm
          what={`choose ${option.key}`}
          isBusy={isBusy}
          onYes={() => onAnswer({ by: 'decision', decision: optionOf(option) })}
          onNo={() => (picked.value = undefined)}
        />
      )}
      {openHatch !== undefined && (
        <Reply
          label={openHatch === 'other' ? 'What it shall be instead' : 'What is to be asked instead'}
          needId={need.needId}
          isBusy={isBusy}
          onSay={(text) => onAnswer({ by: 'decision', decision: aroundOptions(openHatch, text) })}
          onLeave={() => (hatch.value = undefined)}
        />
      )}
    </div>
  )
}

/** As it goes back: its place counts from 0. */
function optionOf({ key, label }: DecisionOption): Decision {
  return { kind: 'option', index: Number(key) - 1, label, note: undefined }
}

function Question({
  question,
  text,
}: {
  readonly question: DecisionQuestion
  readonly text: string
}): JSX.Element {
  const { synopsis, findings, recommendations, offer, stem } = question
  if (stem === '') return <SenderBlock text={text} />
  return (
    <>
      <SenderBlock text={synopsis} />
      <SenderItems items={[...findings, ...recommendations]} />
      {offer !== '' && <SenderBlock text={offer} />}
      <SenderBlock text={stem} />
    </>
  )
}

function SenderItems({ items }: { readonly items: readonly string[] }): JSX.Element | undefined {
  if (items.length === 0) return undefined
  return (
    <ul class="sender-items">
      {items.map((item, index) => (
        <li key={index}>
          <SenderBlock text={item} />
        </li>
      ))}
    </ul>
  )
}

interface OptionsProps {
  readonly question: DecisionQuestion
  readonly picked: DecisionOption | undefined
  readonly onPick: (option: DecisionOption) => void
  readonly onHatch: (hatch: Hatch) => void
}

function Options({ question, picked, onPick, onHatch }: OptionsProps): JSX.Element {
  const { options, takesOther, takesRevision } = question
  return (
    <div class="options" role="group" aria-label="Options">
      {options.map((option) => (
        <button
          key={option.key}
          data-action={`option-${option.key}`}
          aria-pressed={picked?.key === option.key}
          onClick={() => onPick(option)}
        >
          <kbd>{option.key}</kbd> <SenderLine text={option.label} />
          {option.isRecommended && <em> recommended</em>}
          {option.reasoning !== '' && (
            <small>
              <SenderLine text={option.reasoning} />
            </small>
          )}
        </button>
      ))}
      {takesOther && (
        <button data-action="other" onClick={() => onHatch('other')}>
          <kbd>o</kbd> {BUTTONS.other}
        </button>
      )}
      {takesRevision && (
        <button data-action="revise" onClick={() => onHatch('revise')}>
          <kbd>r</kbd> {BUTTONS.revise}
        </button>
      )}
    </div>
  )
}
