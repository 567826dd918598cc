/**
 * Whether the answer to an approval will be signed, as the process behind the page says: the page holds no key.
 *
 * @see SEAT-05
 */
import { textMember } from '../../../core/text/json-object.ts'
import { signingWords } from '../../seat/words.ts'
import { useAnswer } from './use-answer.ts'

/** @returns the sentence; empty until it is known */
export function useSigning(): string {
  const came = useAnswer('/signing')
  if (came?.kind === 'done') return signingWords(textMember(came.body, 'signed_with') !== undefined)
  return came?.kind === 'refused' ? came.message : ''
}
