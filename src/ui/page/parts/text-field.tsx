/**
 * A field for text, with its two keys: Ctrl+Enter or Cmd+Enter sends, Escape leaves it; what was typed stays.
 *
 * @see SEAT-23, SEAT-30
 */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** What a field is for. */
export interface TextFieldProps {
  readonly label: string
  readonly draft: Signal<string>
  readonly rows: number
  readonly onSend: () => void
  readonly onLeave: () => void
}

/** Takes the focus when it appears: somebody asked for it. */
export function TextField({ label, draft, rows, onSend, onLeave }: TextFieldProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onLeave()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        ref={field}
        rows={rows}
        value={draft}
        dir="auto"
        autoFocus
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  )
}
