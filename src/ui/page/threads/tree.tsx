/**
 * A workflow from top to bottom, each envelope followed by what answers it.
 *
 * @see SEAT-25
 */
import type { JSX } from 'preact'
import { formatClock } from '../../../core/text/durations.ts'
import type { ShownHop } from '../../seat/threads/thread-view.ts'
import { OpenNeed } from '../now/open-need.tsx'
import { SenderLine } from '../parts/sender-text.tsx'
import { HopWords } from './hop-words.tsx'

/** Levels that are indented, and by how much, in pixels; a phone shows them all. */
const MAX_INDENT = 8
const INDENT = 14

/** The tree, with the cards of what waits for the person where it stands. */
export function Tree({ hops }: { readonly hops: readonly ShownHop[] }): JSX.Element {
  return (
    <ol class="tree">
      {hops.map((hop) => (
        <li
          key={hop.event}
          aria-level={hop.depth + 1}
          style={{ paddingInlineStart: `${Math.min(hop.depth, MAX_INDENT) * INDENT}px` }}
        >
          <span class="dim">{`${formatClock(hop.at)} ${hop.depth > 0 ? '└ ' : ''}`}</span>
          <SenderLine text={hop.from} /> → <SenderLine text={hop.to} /> <HopWords hop={hop} />
          <OpenNeed eventId={hop.event} />
        </li>
      ))}
    </ol>
  )
}
