/**
 * Which rows are looked at, and whether the list follows what comes.
 *
 * @see SEAT-20, SEAT-36
 */
import type { JSX } from 'preact'
import { spokenKind } from '../../../protocol/frame/spoken-kind.ts'
import { BUTTONS } from '../../seat/words.ts'
import { ENVELOPE_TYPES } from '../../seat/passing/passed.ts'
import { FRAME_KINDS } from '../../seat/passing/row-text.ts'
import { visibleText } from '../../seat/text/visible-text.ts'
import { Tick } from '../parts/tick.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { togglePause, type PassingView } from './view.ts'

/** Kinds by which rows are told apart, as rows say them. */
const KINDS = [...FRAME_KINDS.map(spokenKind), ...ENVELOPE_TYPES]

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
      <Choice
        says="Kind"
        chosen={filter.value.kind}
        options={KINDS.map((kind) => [kind, kind])}
        onChoose={(kind) => change({ kind })}
      />
      <Choice
        says="Session"
        chosen={filter.value.session}
        options={sessions.map(({ address, called }) => [address, visibleText(called)])}
        onChoose={(session) => change({ session })}
      />
      <Tick says="only mine" isOn={filter.value.onlyMine} onTurn={(onlyMine) => change({ onlyMine })} />
      <button aria-pressed={isFollowing.value} onClick={() => (isFollowing.value = !isFollowing.value)}>
        {BUTTONS.follow}
      </button>
      <button
        aria-pressed={pausedAt.value !== undefined}
        onClick={() => togglePause(view, seat.model.rows.end)}
      >
        {pausedAt.value === undefined ? BUTTONS.pause : BUTTONS.goOn}
      </button>
    </div>
  )
}

interface ChoiceProps {
  readonly says: string
  /** Undefined for any of them. */
  readonly chosen: string | undefined
  /** Each by its value, and what it is called. */
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (value: string | undefined) => void
}

/** One of many, or any. */
function Choice({ says, chosen = '', options, onChoose }: ChoiceProps): JSX.Element {
  return (
    <label>
      <span>{says}</span>
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value || undefined)}>
        <option value="">any</option>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
