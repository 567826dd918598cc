/**
 * Whether the answer to an approval will be signed, as the process behind the page says: the page holds no key.
 *
 * @see SEAT-05
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { textMember } from '../../../core/text/json-object.ts'
import { signingWords } from '../../seat/words.ts'
import { useSeat } from './page-seat.ts'

/** @returns the sentence; empty until it is known */
export function useSigning(): string {
  const seat = useSeat()
  const says = useSignal('')
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const came = await seat.call({ method: 'GET', path: '/signing' })
      if (came.kind === 'done') says.value = signingWords(textMember(came.body, 'signed_with') !== undefined)
      else if (came.kind === 'refused') says.value = came.message
    }
    void ask()
  }, [])
  return says.value
}
