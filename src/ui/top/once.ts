/**
 * One screen as text: for a pipe, for a terminal that obeys nothing, and for who wants a look and no seat.
 *
 * Nobody sits there: it is no session, and no recipient.
 *
 * @see docs/ui.md "In a terminal"; SEAT-06, SEAT-39
 */
import type { Palette } from '../../core/display/palette.ts'
import { listMember, objectOf, parseMembers, textMember } from '../../core/text/json-object.ts'
import type { Connection } from '../../client/http/connection.ts'
import { EventStream } from '../../client/stream/event-stream.ts'
import { MEDIA_SSE } from '../../protocol/http/media.ts'
import { SeatModel } from '../seat/seat-model.ts'
import { readWatchEvent } from '../seat/watch-event.ts'
import { headerLine } from './lines/frame.ts'
import { fitLine, formatLine } from './lines/line.ts'
import { nowLines } from './lines/now-screen.ts'
import { FIRST_VIEW } from './state/view.ts'

/** What of the past is looked at: for what the sessions are doing, and which files they are at. */
const PAST_ITEMS = 500

/** Lines of what passed. */
const PASSED_LINES = 10

/** How it is drawn. */
export interface OnceLook {
  readonly columns: number
  readonly paint: Palette
}

/**
 * The screen "now", with all that needs the person and everybody who is here.
 *
 * @throws AgentdError for a refusal, AgentdUnreachable when the daemon does not answer
 */
export async function readOnce(
  connection: Connection,
  { columns, paint }: OnceLook,
): Promise<readonly string[]> {
  const model = new SeatModel(connection.parts.clock)
  await readPast(connection, model)
  await readSnapshot(connection, model)
  const [needs, here] = [model.needs().length, model.here().lines.length]
  // A heading may stand among the needs, and what passes keeps a part of the room.
  const rows = 4 + needs + here + Math.max(PASSED_LINES, Math.ceil((needs + here + 1) / 4) + 1)
  const drawing = { model, view: FIRST_VIEW, columns, rows, nowMs: connection.parts.clock.nowMs() }
  return [headerLine(drawing), ...nowLines(drawing)].map((line) =>
    formatLine(fitLine(line, columns), paint).trimEnd(),
  )
}

async function readPast(connection: Connection, model: SeatModel): Promise<void> {
  const { body } = await connection.perform({ route: 'getEvents', query: { limit: PAST_ITEMS } })
  const items = listMember(parseMembers(body.toString('utf8')) ?? {}, 'items')
  for (const item of items.toReversed()) {
    const read = readWatchEvent('agentd_passed', item, textMember(objectOf(item), 'event_id'))
    if (read !== undefined) model.feed(read)
  }
}

/** What a watch says first is how everything is; nothing behind it is waited for. */
async function readSnapshot(connection: Connection, model: SeatModel): Promise<void> {
  const request = connection.open({ route: 'openWatch', query: { replay: 0 } }, { accept: MEDIA_SSE })
  const stream = new EventStream(
    request,
    {
      onOpen() {},
      onBlock({ event, data }) {
        const read = data === undefined ? undefined : readWatchEvent(event, parseMembers(data), undefined)
        if (read?.type !== 'snapshot') return undefined
        model.feed(read)
        return { kind: 'over' }
      },
    },
    connection.parts.clock,
    '',
  )
  const ending = await stream.ended
  if (ending.kind === 'refused') throw ending.error
  if (ending.kind === 'lost') throw connection.unreachable(ending.cause)
}
