/**
 * Something that is on or off.
 */
import type { JSX } from 'preact'

/** A tick box and its words. */
export function Tick({
  says,
  isOn,
  onTurn,
}: {
  readonly says: string
  readonly isOn: boolean
  readonly onTurn: (isOn: boolean) => void
}): JSX.Element {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={(event) => onTurn(event.currentTarget.checked)} />
      <span>{says}</span>
    </label>
  )
}
