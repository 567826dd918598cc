/**
 * What is said of a hop besides who it is between: what it is, how long it took, and what sets it apart.
 *
 * @see SEAT-25, SEAT-28
 */
import type { JSX } from 'preact'
import type { ShownHop } from '../../seat/threads/thread-view.ts'
import { SenderLine } from '../parts/sender-text.tsx'

/** Our words, and within them those of whoever sent it. */
export function HopWords({ hop }: { readonly hop: ShownHop }): JSX.Element {
  const { type, intent, after, notes } = hop
  return (
    <>
      {type} <SenderLine text={intent} />
      <span class="dim">
        {after !== '' && ` +${after}`}
        {notes.map(({ ours, theirs }, index) => (
          <span class={theirs === '' ? undefined : 'failed'} key={index}>
            {' · '}
            {ours}
            {theirs !== '' && <SenderLine text={theirs} />}
          </span>
        ))}
      </span>
    </>
  )
}
