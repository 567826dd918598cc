/**
 * What somebody else wrote: text nodes, each character without a look of its own as its number in a box, and never more.
 *
 * @see SEAT-27, SEAT-28
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { visibleLine, visibleLines, type VisiblePart } from '../../seat/text/visible-text.ts'
import { BUTTONS, foldedWords } from '../../seat/words.ts'

/** One line, within a line of ours. */
export function SenderLine({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi class="sender" dir="auto">
      <Parts parts={visibleLine(text)} />
    </bdi>
  )
}

/** A whole text behind a rule that no sender can draw; long lines fold. */
export function SenderBlock({ text }: { readonly text: string }): JSX.Element {
  const isWhole = useSignal(false)
  const lines = visibleLines(text, isWhole.value)
  const folded = lines.reduce((sum, line) => sum + line.folded, 0)
  return (
    <div class="sender-block">
      {lines.map((line, index) => (
        <div class="sender" dir="auto" key={index}>
          <Parts parts={line.parts} />
          {line.parts.length === 0 && <br />}
        </div>
      ))}
      {folded > 0 && (
        <button onClick={() => (isWhole.value = true)}>
          {BUTTONS.showAll} ({foldedWords(folded)})
        </button>
      )}
    </div>
  )
}

function Parts({ parts }: { readonly parts: readonly VisiblePart[] }): JSX.Element {
  return (
    <>
      {parts.map((part, index) =>
        part.isNumber ? (
          <span class="number" key={index}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  )
}
