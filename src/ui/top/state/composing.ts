/**
 * Something of the person's own: first to whom, then what; whom it reaches is shown before it goes.
 *
 * @see SEAT-05, SEAT-23
 */
import { composeRequest, scopeOf, type Composed } from '../../seat/needs/compose.ts'
import type { TopSeat } from './top-seat.ts'
import type { Writing } from './view.ts'

const LABELS: Readonly<Record<Composed['verb'], string>> = {
  send: 'What they are to know',
  ask: 'Your question',
  'hand-over': 'What the next one has to know',
}

/** Begins to write; to the session that is open or chosen, otherwise the person is asked to whom. */
export function beginCompose(seat: TopSeat, verb: Composed['verb']): void {
  const { model, view } = seat
  const { panel, screen, chosen } = view
  const address = panel?.name === 'session' ? panel.address : screen === 'now' ? chosen : undefined
  const scope = address !== undefined && model.sessions.has(address) ? address : undefined
  seat.open({ name: 'compose', verb, scope })
  if (scope === undefined) seat.write({ what: 'to', label: 'To', isOneLine: true })
  else writeText(seat, verb)
}

/** Enter in the field of the recipient. */
export function chooseRecipient(seat: TopSeat, { field }: Writing): void {
  const { panel } = seat.view
  if (panel?.name !== 'compose') return undefined
  const scope = scopeOf(field.text, seat.model.principal, seat.model.sessions.values())
  if (scope === undefined) return seat.tell('Nobody is called so.', true)
  seat.look({ panel: { ...panel, scope }, notice: undefined })
  return writeText(seat, panel.verb)
}

/** Enter in the field of the text. */
export async function sendComposed(seat: TopSeat, { field }: Writing): Promise<void> {
  const { panel } = seat.view
  if (panel?.name !== 'compose' || panel.scope === undefined) return
  const { verb, scope } = panel
  const isSent = await seat.send(composeRequest({ verb, scope, text: field.text, files: [] }))
  if (isSent) seat.look({ panel: undefined })
}

function writeText(seat: TopSeat, verb: Composed['verb']): void {
  seat.write({ what: 'text', label: LABELS[verb], isOneLine: false })
}
