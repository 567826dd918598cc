/**
 * Threads: the envelopes of one workflow in causal order, a page at a time.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { listenFor, sendEnvelope, validEnvelope, type AnyEnvelope } from '../../support/envelopes.ts'
import { openLines, request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { ISO_TIME, SharedDaemon } from '../shared-daemon.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

interface Item {
  readonly event_id: string
  readonly envelope: AnyEnvelope
}

async function page(
  corr: string,
  query = '',
  socket = shared.socket,
): Promise<{ items: Item[]; next: string | null }> {
  const { status, body } = await request(socket, `/v1/threads/${encodeURIComponent(corr)}${query}`)
  expect([status, body.corr]).toEqual([200, corr])
  return body
}

const idsOf = (items: readonly Item[]): string[] => items.map(({ envelope }) => envelope.id)

test('an item says what became of its envelope and holds it whole (docs/http.md §9, AEE-012)', async () => {
  using _stream = await listenFor(shared.socket, 'bus.item')
  const envelope = validEnvelope({ to: 'bus.item' })
  const { body } = await sendEnvelope(shared.socket, envelope)

  const answer = await shared.get(`/v1/threads/${envelope.corr}`)

  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.body).toEqual({
    corr: envelope.corr,
    items: [
      {
        event_id: body.event_id,
        accepted_at: expect.stringMatching(ISO_TIME),
        effective_priority: 'normal',
        late: false,
        refuted: [],
        recipient_count: 1,
        queued_count: 0,
        envelope,
      },
    ],
    next: null,
  })
})

test('a corr nobody used is an empty thread, told from nothing', async () => {
  expect(await page(randomUUID())).toMatchObject({ items: [], next: null })
})

test('a page is JSON of as many items as there are, whatever they say, and as long as it says (R-36)', async () => {
  const corr = `corr-"é漢😀${randomUUID()}`
  const sent: string[] = []
  for (const words of ['plain', 'é漢😀', '\u2028","items":[']) {
    const envelope = validEnvelope({ corr, payload: { words } })
    await sendEnvelope(shared.socket, envelope)
    sent.push(envelope.id)

    const { headers, text, body } = await shared.get(`/v1/threads/${encodeURIComponent(corr)}`)
    expect(idsOf(body.items)).toEqual(sent)
    expect(body.items.at(-1).envelope).toEqual(envelope)
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text))
  }
})

test('only what has the very corr is in a thread, and refused envelopes are not (AEE-C12)', async () => {
  const corr = `corr-${randomUUID()}`
  for (const other of [`${corr} `, corr.toUpperCase(), `${corr}%`, `${corr}_`]) {
    await sendEnvelope(shared.socket, validEnvelope({ corr: other }))
  }
  const own = validEnvelope({ corr })
  await sendEnvelope(shared.socket, own)
  await sendEnvelope(shared.socket, validEnvelope({ corr, to: 'agent.nobody-at-all' }))

  expect(idsOf((await page(corr)).items)).toEqual([own.id])
})

test('an answer that came before its question stands behind it; otherwise the order is that of acceptance (AEE-012, AEE-C12)', async () => {
  const corr = randomUUID()
  const task = validEnvelope({ corr })
  const reply = (replyTo: string, type = 'stream') => validEnvelope({ corr, type, reply_to: replyTo })
  const early = reply(task.id, 'result')
  const earlier = reply(early.id)
  const aside = validEnvelope({ corr, type: 'event' })
  const orphan = reply('nobody-knows-this')
  for (const one of [earlier, early, aside, orphan, task]) await sendEnvelope(shared.socket, one)

  const ids = idsOf((await page(corr)).items)

  expect(ids).toHaveLength(5)
  expect(ids.indexOf(task.id)).toBeLessThan(ids.indexOf(early.id))
  expect(ids.indexOf(early.id)).toBeLessThan(ids.indexOf(earlier.id))
  expect(ids.indexOf(aside.id)).toBeLessThan(ids.indexOf(orphan.id))
})

test('circles and self-answers are listed like everything else, once (R-36)', async () => {
  const corr = randomUUID()
  const ids = Array.from({ length: 4 }, () => randomUUID())
  for (const [i, id] of ids.entries()) {
    await sendEnvelope(
      shared.socket,
      validEnvelope({ corr, id, type: 'event', reply_to: i === 3 ? id : ids[(i + 1) % 3] }),
    )
  }

  expect(idsOf((await page(corr)).items).toSorted()).toEqual(ids.toSorted())
})

test.runIf(keepsFrames())(
  'a thread of 3 000 is paged by any limit, whole and in order, also after a restart (docs/http.md §9, R-18)',
  async () => {
    await using dir = await createTempDir()
    const corr = randomUUID()
    const sent: AnyEnvelope[] = []
    for (let i = 0; i < 3_000; i += 1) {
      sent.push(
        validEnvelope({ corr, type: 'event', reply_to: sent[Math.floor(i / 2)]?.id ?? null, payload: { i } }),
      )
    }
    const readAll = async (socket: string, limit: number): Promise<string[]> => {
      const ids: string[] = []
      let next: string | null = ''
      for (let pages = 0; next !== null && pages < 100; pages += 1) {
        const got = await page(corr, `?limit=${limit}${next === '' ? '' : `&after=${next}`}`, socket)
        expect(got.items.length).toBeLessThanOrEqual(limit)
        ids.push(...idsOf(got.items))
        next = got.next
      }
      return ids
    }
    const wanted = sent.map(({ id }) => id)
    {
      await using first = await startTestDaemon({ dir })
      using lines = openLines(first.socket, { path: '/v1/envelopes' })
      for (const envelope of sent) lines.send(envelope)
      expect((await lines.answered(3_000)).filter(({ code }) => code !== undefined)).toEqual([])

      expect((await page(corr, '', first.socket)).items).toHaveLength(1_000)
      expect(await readAll(first.socket, 10_000)).toEqual(wanted)
      expect(await readAll(first.socket, 337)).toEqual(wanted)
      expect(await readAll(first.socket, 3_000)).toEqual(wanted)
      await first.stop('SIGKILL')
    }
    await using second = await startTestDaemon({ dir })

    expect(await readAll(second.socket, 1_000)).toEqual(wanted)
  },
)

test('a chain of 3 000 answers that came in backwards is turned round, and the daemon serves others meanwhile (R-36)', async () => {
  const corr = randomUUID()
  const ids = Array.from({ length: 3_000 }, () => randomUUID())
  using lines = openLines(shared.socket, { path: '/v1/envelopes' })
  for (const [i, id] of [...ids.entries()].toReversed()) {
    lines.send(validEnvelope({ corr, id, type: 'event', reply_to: ids[i - 1] ?? null }))
  }
  await lines.answered(3_000)
  const reading = page(corr, '?limit=10000')
  const health = await shared.get('/v1/health')

  expect(health.status).toBe(200)
  expect(idsOf((await reading).items)).toEqual(ids)
})

test('a page is bounded in octets as well, and the next one goes on (R-36)', async () => {
  const corr = randomUUID()
  const sent = Array.from({ length: 24 }, () =>
    validEnvelope({ corr, payload: { x: 'y'.repeat(1_000_000) } }),
  )
  for (const envelope of sent) await sendEnvelope(shared.socket, envelope)

  const first = await page(corr)
  const rest = await page(corr, `?after=${first.next}`)

  expect(first.items.length).toBeLessThan(24)
  expect([...idsOf(first.items), ...idsOf(rest.items)]).toEqual(sent.map(({ id }) => id))
  expect(rest.next).toBeNull()
})

test('a place of another thread, of another epoch or from the future pages nowhere (docs/http.md §9)', async () => {
  const [own, other] = [validEnvelope(), validEnvelope()]
  await sendEnvelope(shared.socket, own)
  const { body } = await sendEnvelope(shared.socket, other)
  const get = (after: string) => shared.get(`/v1/threads/${own.corr}?after=${after}`)
  const [epoch, seq] = body.event_id.split('-')

  expect((await get(body.event_id)).body.items).toEqual([])
  for (const after of [`${epoch}-${Number(seq) + 1}`, 'ffffffff-1', 'x', '']) {
    const { status, body: refusal } = await get(after)
    expect([after, status, refusal.code, refusal.field]).toEqual([after, 400, 'field-invalid', 'after'])
  }
})
