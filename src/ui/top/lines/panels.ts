/**
 * What stands over a screen: one session, one item, the keys, something that is sent.
 *
 * @see SEAT-20, SEAT-23, SEAT-30
 */
import { formatClock } from '../../../core/text/durations.ts'
import {
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import { reachOf } from '../../seat/here/reach.ts'
import { scopeOf, type Composed } from '../../seat/needs/compose.ts'
import type { Row } from '../../seat/passing/rows.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { helpLines } from '../../seat/text/keys.ts'
import { formatLeft } from '../../seat/text/times.ts'
import { BUTTONS, HEADINGS, reachWords, STATES } from '../../seat/words.ts'
import type { Panel, View } from '../state/view.ts'
import { ownHelpLines } from '../state/own-keys.ts'
import { factLine } from './card.ts'
import { cell, fitLine, own, sender, senderLines, wrapOwn, type Line } from './line.ts'
import { markOf, nameColumns } from './need-lines.ts'
import { headingLine } from './section.ts'

/** Items of a session that its panel shows. */
const LAST_ITEMS = 50

/** The table of keys, and behind it those that only a terminal has. */
export function helpPanel(columns: number): readonly Line[] {
  const lines = [...helpLines(), ...ownHelpLines()]
  const width = Math.max(...lines.map(({ keys }) => keys.length)) + 2
  return [
    headingLine(HEADINGS.help, columns),
    ...lines.map(({ keys, says }) => fitLine([own(' '), cell(own(keys, 'bold'), width), own(says)], columns)),
  ]
}

/** What is known of a session, what it has announced, and what it said last. */
export function sessionPanel(
  address: string,
  model: SeatModel,
  look: { columns: number; nowMs: number },
): readonly Line[] {
  const { columns, nowMs } = look
  const session = model.sessions.get(address)
  if (session === undefined) return wrapOwn('It has left.', columns)
  const { called, title, tool, worktree, cwd, branch, activity } = session
  const facts = { address, title, tool, folder: worktree ?? cwd, branch, 'says it is': activity?.state }
  const announced = model
    .announcedBy(address)
    .map(({ resource, leaseId, untilMs }) =>
      fitLine(
        [
          own('   '),
          sender(resource),
          own(` ${leaseId === undefined ? 'edit' : 'lease'}, ${formatLeft(untilMs, nowMs)} left`, 'dim'),
        ],
        columns,
      ),
    )
  return [
    fitLine([own(' '), sender(called, 'bold')], columns),
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [factLine(name, value, columns)],
    ),
    ...(announced.length === 0 ? [] : [headingLine('announced', columns), ...announced]),
    headingLine('last', columns),
    ...lastOf(model, address).map(({ atMs, kind, text }) =>
      fitLine([own(`   ${formatClock(atMs)} `, 'dim'), sender(`${kind} `, 'green'), sender(text)], columns),
    ),
  ]
}

/** The newest first, looked for from the end. */
function lastOf({ rows }: SeatModel, address: string): readonly Row[] {
  const found: Row[] = []
  for (let place = rows.end - 1; place >= rows.start && found.length < LAST_ITEMS; place -= 1) {
    const row = rows.get(place)
    if (row?.from === address || row?.to === address) found.push(row)
  }
  return found
}

/** Facts of an item, by their names on the wire. */
const ITEM_FACTS = ['sender', 'scope', 'accepted_at', 'recipient_count', 'queued_count', 'effective_priority']

/** One item in full: who, when, what became of it at each recipient, and its JSON as it was accepted. */
export function itemPanel(
  { eventId, item }: Extract<Panel, { name: 'item' }>,
  columns: number,
): readonly Line[] {
  const head = fitLine([own(' Item ', 'bold'), sender(eventId)], columns)
  if (item === undefined) return [head, ...wrapOwn(STATES.connecting.says, columns)]
  const receipts = listMember(item, 'receipts').map((receipt) => objectOf(receipt))
  const content = memberOf(item, 'frame') ?? memberOf(item, 'envelope')
  return [
    head,
    ...ITEM_FACTS.flatMap((name) => itemFact(name, item, columns)),
    ...(receipts.length === 0 ? [] : [headingLine('receipts', columns)]),
    ...receipts.map((receipt) =>
      factLine(textMember(receipt, 'state') ?? '', textMember(receipt, 'address') ?? '', columns),
    ),
    headingLine('as it was accepted', columns),
    ...senderLines(JSON.stringify(content ?? null, null, 2), columns),
  ]
}

function itemFact(name: string, item: JsonObject, columns: number): readonly Line[] {
  const value = textMember(item, name) ?? numberOf(item, name)?.toString()
  return value === undefined ? [] : [factLine(name.replaceAll('_', ' '), value, columns)]
}

/** What of an item is forgotten, the chosen one marked. */
export function forgetPanel(
  { item, choices, chosen }: Extract<Panel, { name: 'forget' }>,
  columns: number,
): readonly Line[] {
  return [
    fitLine([own(' Forget for good ', 'bold'), sender(item.eventId)], columns),
    ...choices.map(({ says }, place) =>
      fitLine([markOf(place === chosen), own(says, place === chosen ? 'bold' : undefined)], columns),
    ),
  ]
}

/** What each way to say something is called. */
export const VERB_NAMES: Readonly<Record<Composed['verb'], string>> = {
  send: BUTTONS.send,
  ask: BUTTONS.ask,
  'hand-over': BUTTONS.handOver,
}

/** To whom it goes, and whom that reaches, before it is sent. */
export function composePanel(
  { verb, scope, files }: Extract<Panel, { name: 'compose' }>,
  { model, view, columns }: { model: SeatModel; view: View; columns: number },
): readonly Line[] {
  const sessions = [...model.sessions.values()]
  const typed = view.writing?.what === 'to' ? view.writing.field.text : ''
  const to = scope ?? scopeOf(typed, model.principal, sessions)
  const reached =
    to === undefined ? sessions.filter(({ isPerson }) => !isPerson) : reachOf(to, model.principal, sessions)
  const width = nameColumns(
    reached.map(({ called }) => called),
    columns,
  )
  const about = files.length === 0 ? [] : [factLine('files', files.join(', '), columns)]
  const lead: Line =
    to === undefined
      ? [own(` A name, a prefix such as ${model.principal}/cc*, or * for everybody`, 'dim')]
      : [own(' to '), sender(to, 'cyan'), own(` ${reachWords(reached.length)}`)]
  return [
    headingLine(VERB_NAMES[verb], columns),
    fitLine(lead, columns),
    ...about,
    ...reached.map(({ called, title }) =>
      fitLine(
        [own('   '), cell(sender(called, 'cyan'), width), own('  '), sender(title ?? '', 'dim')],
        columns,
      ),
    ),
  ]
}
