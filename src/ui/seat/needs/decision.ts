/**
 * A decision as it is shown, and what was chosen as the text that goes back.
 *
 * @see W-9, SEAT-21; memo §5.10
 */
import {
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
  textsOf,
  type JsonObject,
} from '../../../core/text/json-object.ts'

/** One of the answers that the asker thought of. */
export interface DecisionOption {
  /** `1` to `4`: the key that chooses it. */
  readonly key: string
  readonly label: string
  readonly reasoning: string
  readonly isRecommended: boolean
}

/** What is to be decided. */
export interface DecisionQuestion {
  readonly synopsis: string
  readonly findings: readonly string[]
  readonly recommendations: readonly string[]
  readonly offer: string
  readonly stem: string
  readonly options: readonly DecisionOption[]
  /** Whether something else may be said than an option. */
  readonly takesOther: boolean
  /** Whether the question itself may be sent back. */
  readonly takesRevision: boolean
}

/** What the person chose: an option by its label, or through one of the two hatches. */
export type Choice =
  | { readonly by: 'option'; readonly label: string }
  | { readonly by: 'other' | 'revise'; readonly text: string }

/** @param frame - of the kind `agent_binding_moment`; hatches that it does not name are open */
export function readDecisionQuestion(frame: JsonObject): DecisionQuestion {
  const payload = objectOf(memberOf(frame, 'payload'))
  const question = objectOf(memberOf(payload, 'question'))
  const hatches = objectOf(memberOf(question, 'hatches'))
  const recommended = numberOf(question, 'recommended_idx')
  return {
    synopsis: textMember(payload, 'synopsis') ?? '',
    findings: textsOf(payload, 'findings'),
    recommendations: textsOf(payload, 'recommendations'),
    offer: textMember(payload, 'offer') ?? '',
    stem: textMember(question, 'stem') ?? '',
    options: listMember(question, 'options').map((option, index) => ({
      key: String(index + 1),
      label: textMember(objectOf(option), 'label') ?? '',
      reasoning: textMember(objectOf(option), 'reasoning') ?? '',
      isRecommended: index === recommended,
    })),
    takesOther: memberOf(hatches, 'free_text') !== false,
    takesRevision: memberOf(hatches, 'dialogue') !== false,
  }
}

/**
 * The text of the response: its first line says what was chosen, the others are a note.
 *
 * @param note - the person's own words besides; '' for none
 */
export function formatChoice(choice: Choice, note = ''): string {
  const said = choice.by === 'option' ? choice.label : choice.text
  const [first = '', ...more] = said.split('\n')
  return [`${choice.by}: ${first}`, ...more, ...(note === '' ? [] : [note])].join('\n')
}
