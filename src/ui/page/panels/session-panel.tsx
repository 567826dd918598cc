/**
 * One session: what it says of itself, what it has announced, its last items, and what can be said to it.
 *
 * @see SEAT-20, SEAT-24
 */
import type { JSX } from 'preact'
import { formatClock } from '../../../core/text/durations.ts'
import type { SeatSession } from '../../seat/here/session.ts'
import type { Row } from '../../seat/passing/rows.ts'
import { formatLeft } from '../../seat/text/times.ts'
import { Fact } from '../parts/fact.tsx'
import { FileRef } from '../parts/file-refs.tsx'
import { SenderLine } from '../parts/sender-text.tsx'
import { useSeat, type PageSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { PanelFrame } from './panel-frame.tsx'
import { VerbButtons } from './verb-buttons.tsx'

/** Items of a session that its panel shows. */
const LAST_ITEMS = 50

/** The panel; of a session that has gone meanwhile it says so. */
export function SessionPanel({ address }: { readonly address: string }): JSX.Element {
  const seat = useSeat()
  const session = useModel(seat, ['here'], () => seat.model.sessions.get(address))
  return (
    <PanelFrame heading={<SenderLine text={session?.called ?? address} />}>
      {session === undefined ? <p class="note">It has left.</p> : <Facts session={session} />}
      <VerbButtons onChoose={(verb) => seat.compose(verb, address)} />
      <Announced address={address} />
      <LastItems address={address} />
    </PanelFrame>
  )
}

function Facts({ session }: { readonly session: SeatSession }): JSX.Element {
  const { address, title, tool, worktree, cwd, branch, repository, activity } = session
  const facts = {
    address,
    title,
    tool,
    folder: worktree ?? cwd,
    branch,
    repository,
    'says it is': activity?.state,
  }
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) => value !== undefined && <Fact key={name} name={name} value={value} />,
      )}
    </dl>
  )
}

function Announced({ address }: { readonly address: string }): JSX.Element | undefined {
  const seat = useSeat()
  const entries = useModel(seat, ['rows', 'nowMs'], () => seat.model.announcedBy(address))
  if (entries.length === 0) return undefined
  return (
    <section aria-label="Announced">
      <h3>Announced</h3>
      <ul class="receipts">
        {entries.map(({ frameId, resource, leaseId, untilMs }) => (
          <li key={`${frameId} ${resource}`}>
            <FileRef file={resource} address={address} /> {leaseId === undefined ? 'edit' : 'lease'},{' '}
            {formatLeft(untilMs, seat.nowMs.value)} left
          </li>
        ))}
      </ul>
    </section>
  )
}

function LastItems({ address }: { readonly address: string }): JSX.Element | undefined {
  const seat = useSeat()
  const rows = useModel(seat, ['rows'], () => lastOf(seat, address))
  if (rows.length === 0) return undefined
  return (
    <section aria-label="Last items">
      <h3>Last</h3>
      <ul class="receipts">
        {rows.map((row) => (
          <li key={row.place}>
            <time>{formatClock(row.atMs)}</time> <SenderLine text={row.kind} /> <SenderLine text={row.text} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The newest first, looked for from the end. */
function lastOf({ model }: PageSeat, address: string): readonly Row[] {
  const found: Row[] = []
  for (let place = model.rows.end - 1; place >= model.rows.start && found.length < LAST_ITEMS; place -= 1) {
    const row = model.rows.get(place)
    if (row?.from === address || row?.to === address) found.push(row)
  }
  return found
}
