/**
 * A workflow read for a page: what is shown of it, drawn here, without what its envelopes carry.
 *
 * Drawn where it is read, it is drawn as `agentd envelope thread` draws it, and a page of a few kilobytes needs neither
 * the envelopes nor the rules by which they hang together.
 *
 * @see SEAT-25; docs/ui.md "What the listener allows"
 */
import type { Logger } from '../../../core/log.ts'
import { memberOf, objectOf } from '../../../core/text/json-object.ts'
import type { Connection } from '../../../client/http/connection.ts'
import { toThread } from '../../../client/reply/envelope-results.ts'
import { ThreadReply, type ThreadItem } from '../../../protocol/http/envelope-replies.ts'
import { showThread } from '../../seat/threads/show-thread.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'
import { jsonAnswer, type SeatAnswer } from '../entry/answer.ts'
import { refusal, type SeatRefusal } from '../entry/refusal.ts'
import { refusedBy } from './upstream.ts'

/** Envelopes of a workflow that are read; of a longer one the first. */
export const MAX_READ_ENVELOPES = 2_000

/** Characters of them that are kept, payloads aside: names may fill an envelope. */
const MAX_KEPT_LENGTH = 4 * 1024 * 1024

/** Envelopes asked for at once: at their largest some sixteen mebibytes, as the daemon bounds a page. */
const PAGE_ITEMS = 250

type Answer = (SeatAnswer & { readonly kind?: undefined }) | SeatRefusal

export class ThreadReader {
  readonly #connection: Connection
  readonly #log: Logger

  /** @param connection - speaks for the person */
  constructor(connection: Connection, log: Logger) {
    this.#connection = connection
    this.#log = log
  }

  /** @param query - `corr` of the workflow; one that nobody used is an empty one */
  async find({ corr = '' }: Readonly<Record<string, string>>): Promise<Answer> {
    if (corr === '') return refusal('field-missing', '"corr" names the workflow.')
    try {
      return jsonAnswer(await readThread(this.#connection, corr))
    } catch (error) {
      return refusedBy(error, this.#log)
    }
  }
}

/** Reads and draws it, for a page and a terminal alike. @throws whatever the daemon refuses it with */
export async function readThread(connection: Connection, corr: string): Promise<ThreadView> {
  const found: ThreadItem[] = []
  let length = 0
  let after: string | undefined
  do {
    const query = { after, limit: Math.min(PAGE_ITEMS, MAX_READ_ENVELOPES - found.length) }
    const call = { route: 'getThread', path: { corr }, query } as const
    const { items, next } = await connection.call(call, ThreadReply)
    for (const item of items) {
      const kept = withoutContent(item)
      found.push(kept)
      length += JSON.stringify(kept).length
    }
    after = items.length === 0 ? undefined : (next ?? undefined)
  } while (after !== undefined && found.length < MAX_READ_ENVELOPES && length < MAX_KEPT_LENGTH)
  return showThread(corr, toThread(corr, found).items, after !== undefined)
}

/** What an error is called is all that is shown of a payload. */
function withoutContent(item: ThreadItem): ThreadItem {
  const { envelope } = item
  const code = memberOf(objectOf(envelope['payload']), 'code')
  const kept = ['v', 'id', 'ts', 'type', 'from', 'to', 'intent', 'corr', 'reply_to', 'priority']
  const members = kept.filter((name) => name in envelope).map((name) => [name, envelope[name]])
  const payload = typeof code === 'string' ? { code } : {}
  return { ...item, envelope: { ...Object.fromEntries(members), payload } }
}
