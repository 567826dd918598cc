/**
 * A decision as it is shown, and what is said instead of its options.
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
import type { Decision } from '../../../protocol/decision.ts'

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

/** What somebody typed instead of an option: the first line says what, and further lines are the note. */
export function aroundOptions(kind: 'other' | 'revise', typed: string): Decision {
  const [first = '', ...more] = typed.trim().split('\n')
  return { kind, text: first, note: more.length === 0 ? undefined : more.join('\n') }
}
