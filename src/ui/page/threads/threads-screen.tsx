/**
 * The workflows of envelopes: which there are, and one of them beside the list.
 *
 * @see W-5, SEAT-25
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { settleOrder } from '../../seat/needs/settle-order.ts'
import {
  hasOlderThreads,
  LISTED_AT_ONCE,
  MAX_LISTED,
  readThreadList,
  threadLineWords,
  threadListPath,
  type ThreadLine,
} from '../../seat/threads/thread-list.ts'
import { THREAD_STATES, THREADS } from '../../seat/threads/thread-words.ts'
import { HEADINGS } from '../../seat/words.ts'
import { Answered } from '../parts/answered.tsx'
import { isHeld } from '../parts/is-held.ts'
import { SenderLine } from '../parts/sender-text.tsx'
import { StateNote } from '../parts/state-note.tsx'
import { Tick } from '../parts/tick.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { ThreadDetail } from './thread-detail.tsx'
import { useFetched } from './use-fetched.ts'

/** The screen. */
export function ThreadsScreen(): JSX.Element {
  const { openThread } = useSeat()
  const { value: corr } = openThread
  return (
    <div class={corr === undefined ? 'passing' : 'passing threads with-detail'}>
      <section class="list" aria-labelledby="threads-heading">
        <h2 id="threads-heading" class="hidden">
          {HEADINGS.threads}
        </h2>
        <ThreadList />
      </section>
      {corr !== undefined && <ThreadDetail key={corr} corr={corr} />}
    </div>
  )
}

function ThreadList(): JSX.Element {
  const onlyOpen = useSignal(false)
  const limit = useSignal(LISTED_AT_ONCE)
  const came = useFetched(threadListPath(limit.value, onlyOpen.value))
  return (
    <>
      <div class="filter">
        <Tick says={THREADS.onlyOpen} isOn={onlyOpen.value} onTurn={(isOn) => (onlyOpen.value = isOn)} />
      </div>
      <Answered came={came}>
        {(body) => {
          const lines = readThreadList(body)
          if (lines.length === 0)
            return <StateNote state={onlyOpen.value ? THREAD_STATES.noneOpen : THREAD_STATES.none} />
          return (
            <>
              <Lines lines={lines} />
              {limit.value < MAX_LISTED && hasOlderThreads(body) && (
                <button onClick={() => (limit.value += LISTED_AT_ONCE)}>{THREADS.older}</button>
              )}
            </>
          )
        }}
      </Answered>
    </>
  )
}

const corrOf = ({ corr }: ThreadLine): string => corr

/** That with the newest envelope first, but for when somebody is at one of them. */
function Lines({ lines }: { readonly lines: readonly ThreadLine[] }): JSX.Element {
  const seat = useSeat()
  const list = useRef<HTMLUListElement>(null)
  const shown = useRef<readonly string[]>([])
  // Drawn again every second, so that it is put in order when nobody is at it any more.
  const settled = useModel(seat, ['nowMs'], () =>
    settleOrder({ shown: shown.current, ordered: lines, nameOf: corrOf, isHeld: isHeld(list) }),
  )
  shown.current = settled.map(corrOf)
  return (
    <ul ref={list} class="lines">
      {settled.map((line) => (
        <li key={line.corr}>
          <ThreadButton line={line} />
        </li>
      ))}
    </ul>
  )
}

function ThreadButton({ line }: { readonly line: ThreadLine }): JSX.Element {
  const { openThread, nowMs } = useSeat()
  const { corr, intent, openTasks } = line
  return (
    <button
      class="here-line"
      data-chosen={corr}
      data-mark={openTasks > 0 ? '●' : '○'}
      aria-current={openThread.value === corr}
      onClick={() => (openThread.value = corr)}
    >
      <span class="mark" aria-hidden="true">
        {openTasks > 0 ? '●' : '○'}
      </span>
      <SenderLine text={corr} />
      <span class="doing">
        <SenderLine text={intent} /> · {threadLineWords(line, nowMs.value)}
      </span>
    </button>
  )
}
