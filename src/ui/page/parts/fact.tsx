/**
 * A line of a list of facts: what it is in our words, and what somebody else says it is.
 *
 * @see SEAT-28
 */
import type { JSX } from 'preact'
import { SenderLine } from './sender-text.tsx'

/** @param props - `kind`: the class of the value, where it has one */
export function Fact({
  name,
  value,
  kind,
}: {
  readonly name: string
  readonly value: string
  readonly kind?: string
}): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd class={kind}>
        <SenderLine text={value} />
      </dd>
    </>
  )
}
