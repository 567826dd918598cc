/**
 * Who is here, a line or two each, and the person's own seats below.
 *
 * @see SEAT-10, SEAT-20
 */
import type { JSX } from 'preact'
import type { HereLine, HereList } from '../../seat/here/here-list.ts'
import { hereSince, hereWords } from '../../seat/words.ts'
import { SenderLine } from '../parts/sender-text.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** The list; each line opens its session. */
export function HereLines({ here }: { readonly here: HereList }): JSX.Element {
  const seat = useSeat()
  const nowMs = useModel(seat, ['nowMs'], () => seat.nowMs.value)
  return (
    <>
      <ul class="here">
        {here.lines.map((line) => (
          <li key={line.session.address}>
            <Line line={line} nowMs={nowMs} />
          </li>
        ))}
      </ul>
      {here.seats.length > 0 && (
        <p class="facts">
          you: {here.seats.length === 1 ? 'this page' : `this page and ${here.seats.length - 1} more`}
        </p>
      )}
    </>
  )
}

function Line({ line, nowMs }: { readonly line: HereLine; readonly nowMs: number }): JSX.Element {
  const seat = useSeat()
  const { session, mark, folder, doing } = line
  const { address, called, title, branch } = session
  const since = hereSince(line, nowMs)
  return (
    <button
      class="here-line"
      data-mark={mark}
      onClick={() => (seat.panel.value = { name: 'session', address })}
    >
      <span class="mark" aria-hidden="true">
        {mark}
      </span>
      <span class="called">
        <SenderLine text={called} />
      </span>
      {title !== undefined && (
        <span class="dim">
          <SenderLine text={title} />
        </span>
      )}
      {(branch ?? folder) !== undefined && (
        <span class="dim">
          ⎇ <SenderLine text={branch ?? folder ?? ''} />
        </span>
      )}
      <span class="doing">
        {hereWords(line)} {doing !== undefined && <SenderLine text={doing} />}
        {since !== '' && ` · ${since}`}
      </span>
    </button>
  )
}
