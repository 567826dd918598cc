/**
 * Which rows are looked at, and whether the list follows what comes.
 *
 * @see SEAT-20, SEAT-36
 */
import type { JSX } from 'preact'
import { spokenKind } from '../../../protocol/frame/summary.ts'
import { BUTTONS } from '../../seat/words.ts'
import { visibleText } from '../../seat/text/visible-text.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { togglePause, type PassingView } from './view.ts'

/** Kinds by which rows are told apart, as rows say them. */
const KINDS = [
  ...[
    'agent_advisory',
    'agent_query',
    'agent_response',
    'agent_binding_moment',
    'agent_handover',
    'agent_broadcast',
    'agent_return_event',
    'agent_lock_request',
    'agent_lock_release',
    'agent_lease_extend',
    'peer_diagnostic_request',
    'peer_diagnostic_response',
  ].map(spokenKind),
  'task',
  'result',
  'event',
  'error',
  'stream',
]

/** The bar above the list. */
export function FilterBar({ view }: { readonly view: PassingView }): JSX.Element {
  const seat = useSeat()
  const sessions = useModel(seat, ['here'], () => [...seat.model.sessions.values()])
  const { filter, isFollowing, pausedAt } = view
  const change = (more: Partial<PassingView['filter']['value']>): void => {
    filter.value = { ...filter.value, ...more }
  }
  return (
    <div class="filter" role="search">
      <label>
        <span>Filter</span>
        <input
          type="search"
          data-action="filter"
          value={filter.value.words}
          onInput={(event) => change({ words: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Kind</span>
        <select
          value={filter.value.kind ?? ''}
          onChange={(event) => change({ kind: orUndefined(event.currentTarget.value) })}
        >
          <option value="">any</option>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Session</span>
        <select
          value={filter.value.session ?? ''}
          onChange={(event) => change({ session: orUndefined(event.currentTarget.value) })}
        >
          <option value="">any</option>
          {sessions.map(({ address, called }) => (
            <option key={address} value={address}>
              {visibleText(called)}
            </option>
          ))}
        </select>
      </label>
      <label class="tick">
        <input
          type="checkbox"
          checked={filter.value.onlyMine}
          onChange={(event) => change({ onlyMine: event.currentTarget.checked })}
        />
        <span>only mine</span>
      </label>
      <button
        type="button"
        aria-pressed={isFollowing.value}
        onClick={() => (isFollowing.value = !isFollowing.value)}
      >
        {BUTTONS.follow}
      </button>
      <button
        type="button"
        aria-pressed={pausedAt.value !== undefined}
        onClick={() => togglePause(view, seat.model.rows.end)}
      >
        {pausedAt.value === undefined ? BUTTONS.pause : BUTTONS.goOn}
      </button>
    </div>
  )
}

/** What stands for any of them is no choice. */
function orUndefined(text: string): string | undefined {
  return text === '' ? undefined : text
}
