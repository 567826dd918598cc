/**
 * What the daemon refuses and JSON Schema has no word for, told in the description of each schema that it is about.
 *
 * A test holds the daemon to these where it refuses what a schema admits (test/contract/beyond-schema.ts).
 *
 * @see docs/http.md §10; PD-15
 */
import { MAX_FRAME_OCTETS, MAX_JSON_DEPTH } from '../../core/limits.ts'

/** Rule → what breaks it, as a part of a sentence. */
const UNSAID = {
  json: `JSON that is not UTF-8, begins with a byte order mark, names a member twice, has too many parts or more than ${MAX_JSON_DEPTH} levels`,
  size: `a frame of more than ${MAX_FRAME_OCTETS} octets`,
  octets: 'a text of fewer octets than x-min-octets or more than x-max-octets, which count its UTF-8',
  unicode: 'a text that is not well-formed Unicode',
  clock: 'a created_at too far from now',
  instrument: 'a drafted_with that is the acted_by',
  intent: 'an intent whose acted_by or drafted_with is not that of its frame',
  sender: 'a sender_handle or acted_by that is not who sends',
  scope: 'a scope that the recipient_handle is not in, or that its sender may not send to',
  again: 'a frame_id that another frame had',
}

/** What is refused beyond a schema, by a rule of its own. */
export type UnsaidRule = keyof typeof UNSAID

/** A sentence of what is refused beyond a schema. */
export function describeUnsaid(rules: readonly UnsaidRule[]): string {
  return `Refused as well, which no schema can say: ${rules.map((rule) => UNSAID[rule]).join('; ')}.`
}
