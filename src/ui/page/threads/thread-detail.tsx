/**
 * One workflow: a tree by what answers what, a sequence by who is in it, and the diagram that is taken elsewhere.
 *
 * What of it waits for the person stands there with its card, which is answered as on the first screen.
 *
 * @see SEAT-25
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { isThreadView, threadPath, type ThreadView } from '../../seat/threads/thread-view.ts'
import { THREAD_STATES, THREADS } from '../../seat/threads/thread-words.ts'
import { Answered } from '../parts/answered.tsx'
import { ClosableHead } from '../parts/closable-head.tsx'
import { SenderLine } from '../parts/sender-text.tsx'
import { StateNote } from '../parts/state-note.tsx'
import { useSeat } from '../state/page-seat.ts'
import { Sequence } from './sequence.tsx'
import { Tree } from './tree.tsx'
import { useFetched } from './use-fetched.ts'

const SHAPES = ['tree', 'sequence', 'mermaid'] as const

/** The detail, read again when the workflow has grown. */
export function ThreadDetail({ corr }: { readonly corr: string }): JSX.Element {
  const { openThread } = useSeat()
  const shape = useSignal<(typeof SHAPES)[number]>('tree')
  const came = useFetched(threadPath(corr))
  return (
    <section class="detail" aria-labelledby="thread-heading">
      <ClosableHead id="thread-heading" onClose={() => (openThread.value = undefined)}>
        <SenderLine text={corr} />
      </ClosableHead>
      <div class="verbs" role="group" aria-label={THREADS.shapes}>
        {SHAPES.map((name) => (
          <button key={name} aria-pressed={shape.value === name} onClick={() => (shape.value = name)}>
            {THREADS[name]}
          </button>
        ))}
      </div>
      <Answered came={came}>
        {(body) => isThreadView(body) && <Shape view={body} shape={shape.value} />}
      </Answered>
    </section>
  )
}

function Shape({
  view,
  shape,
}: {
  readonly view: ThreadView
  readonly shape: (typeof SHAPES)[number]
}): JSX.Element {
  return (
    <>
      <p class="facts">{view.says}</p>
      {shape === 'tree' && <Tree hops={view.hops} />}
      {shape === 'sequence' && <Sequence view={view} />}
      {shape === 'mermaid' && (
        <textarea
          class="json"
          readOnly
          rows={16}
          aria-label={THREADS.mermaid}
          value={view.mermaid}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
      {view.more && <StateNote state={THREAD_STATES.isCut} />}
    </>
  )
}
