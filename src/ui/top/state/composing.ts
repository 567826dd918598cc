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
  const files = splitFiles(seat.draftOf(FILES).text)
  seat.open({ name: 'compose', verb, scope, files })
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
  const { verb, scope, files } = panel
  const isSent = await seat.send(composeRequest({ verb, scope, text: field.text, files }))
  if (!isSent) return
  seat.dropDraft(FILES)
  seat.look({ panel: undefined })
}

/** Tab in the field of the text: which files it is about. A question has none. */
export function writeFiles(seat: TopSeat, { what }: Writing): void {
  const { panel } = seat.view
  if (panel?.name !== 'compose' || panel.verb === 'ask' || what !== 'text') return
  seat.write({ ...FILES, label: 'Files, with commas between them', isOneLine: true })
}

/** Back to the text, with the files as they are. */
export function keepFiles(seat: TopSeat, { field }: Writing): void {
  const { panel } = seat.view
  if (panel?.name !== 'compose') return
  seat.look({ panel: { ...panel, files: splitFiles(field.text) } })
  writeText(seat, panel.verb)
}

const FILES = { what: 'files' } as const

function splitFiles(text: string): readonly string[] {
  return text.split(',').flatMap((file) => file.trim() || [])
}

function writeText(seat: TopSeat, verb: Composed['verb']): void {
  seat.write({ what: 'text', label: LABELS[verb], isOneLine: false })
}
