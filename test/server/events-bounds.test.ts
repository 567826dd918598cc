/** What a page of everything that is retained may hold, and what a search leaves to others (W-2, R-36). */
import { expect, test } from 'vitest'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { startInProcess, type InProcess } from './in-process.ts'

/** Of the text of what a page holds: it ends with the item that reaches so much. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

/** What the largest item has of it. */
const MAX_ITEM_LENGTH = 65_536

const ROOMY = { submissionsPerSecond: 1_000_000, submissionBurst: 1_000_000 }

interface Page {
  readonly items: readonly { readonly event_id: string; readonly envelope: object }[]
  readonly next: string | null
}

async function fill(daemon: InProcess, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const json = validEnvelope({ payload: { text: 'x'.repeat(60_000) } })
    ids.push((await request(daemon.socket, '/v1/envelopes', { json })).body.event_id)
  }
  return ids
}

test.for(['after', 'before'] as const)(
  'paged by "%s", no page is over four mebibytes and an item, and all of them hold everything once (W-2, R-36)',
  async (cursor) => {
    await using daemon = await startInProcess({ limits: ROOMY })
    const ids = await fill(daemon, 150)
    const pages: Page[] = []
    let next: string | null = cursor === 'after' ? 'e1-0' : null

    do {
      const from: string = next === null ? '' : `&${cursor}=${next}`
      const { body } = await request(daemon.socket, `/v1/events?limit=1000${from}`)
      pages.push(body)
      next = body.next
    } while (next !== null)

    const lengths = pages.map(({ items }) =>
      items.reduce((sum, { envelope }) => sum + JSON.stringify(envelope).length, 0),
    )
    const told = pages.flatMap(({ items }) => items.map(({ event_id }) => event_id))
    expect(pages.length).toBe(3)
    expect(Math.max(...lengths)).toBeLessThan(MAX_PAGE_LENGTH + MAX_ITEM_LENGTH)
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(MAX_PAGE_LENGTH)
    expect(cursor === 'after' ? told : told.toReversed()).toEqual(ids)
  },
)

test('a page holds a thousand items at the most, whatever is asked for (W-2)', async () => {
  await using daemon = await startInProcess()

  expect(await request(daemon.socket, '/v1/events?limit=1000')).toMatchObject({ status: 200 })
  expect(await request(daemon.socket, '/v1/events?limit=1001')).toMatchObject({
    status: 400,
    body: { code: 'field-invalid', field: 'limit' },
  })
})

test('a search for words that nothing says lets others have their turn behind every step (W-2, R-36)', async () => {
  await using daemon = await startInProcess({ limits: ROOMY })
  const count = 6_400
  const lines = Array.from({ length: count }, () => JSON.stringify({ frame: validFrame('agent_advisory') }))
  const filled = { body: `${lines.join('\n')}\n`, headers: { 'content-type': 'application/x-ndjson' } }
  expect((await request(daemon.socket, '/v1/frames', filled)).status).toBe(200)
  let turns = 0
  let isOver = false
  const order: string[] = []
  const counted = (): void => {
    turns += 1
    if (!isOver) setImmediate(counted)
  }

  setImmediate(counted)
  const searching = request(daemon.socket, '/v1/events?text=nobody-says-this').then(({ body }) => {
    isOver = true
    order.push('search')
    return body
  })
  const asked = request(daemon.socket, '/v1/health').then(() => order.push('health'))

  expect(await searching).toEqual({ items: [], next: null })
  await asked
  // Sixty-four are looked at in a step, and there is one step in a turn of the loop.
  expect(turns).toBeGreaterThanOrEqual(count / 64)
  expect(order).toEqual(['health', 'search'])
})
