/** What history leaves out: by sender, time and words, all of which have to fit (docs/http.md §5). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** A word of its own, said by a session and by the person. */
async function speak() {
  const { address, token } = await shared.register()
  const word = randomUUID()
  const own = await shared.post('/v1/verbs/agent_advise', { text: `Own ${word.toUpperCase()}` }, token)
  const persons = await shared.post('/v1/verbs/agent_broadcast', { text: `for all ${word}` })
  return { address, word, own: own.body.event_id, persons: persons.body.event_id }
}

async function idsOf(query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { body } = await shared.get(`/v1/frames?${new URLSearchParams(query).toString()}`)
  return body.items.map((item: { event_id: string }) => item.event_id)
}

test('words are looked for in every text whatever the case, and a sender is a session or a handle', async () => {
  const { address, word, own, persons } = await speak()

  expect(await idsOf({ text: word })).toEqual([own, persons])
  expect(await idsOf({ text: word, sender: address })).toEqual([own])
  expect(await idsOf({ text: word, sender: '~alice' })).toEqual([own, persons])
  expect(await idsOf({ text: word, sender: '~bob' })).toEqual([])
  expect(await idsOf({ text: word, filter: 'kind:agent_broadcast' })).toEqual([persons])
  expect(await idsOf({ text: word, filter: 'kind:agent_broadcast', sender: address })).toEqual([])
  // Names of members are no text.
  expect(await idsOf({ text: 'broadcast_text' })).toEqual([])
})

test('of two times the first is in it and the second is not, to the millisecond', async () => {
  const { address, own } = await speak()
  const { body } = await shared.get(`/v1/events/${own}`)
  const at: string = body.accepted_at
  const after = new Date(Date.parse(at) + 1).toISOString()

  expect(await idsOf({ sender: address, since: at })).toEqual([own])
  expect(await idsOf({ sender: address, since: after })).toEqual([])
  expect(await idsOf({ sender: address, before: at })).toEqual([])
  expect(await idsOf({ sender: address, before: after, since: at })).toEqual([own])
})

test('what does not fit does not count for the limit, and the page before it is still found', async () => {
  const { address, own } = await speak()
  await speak()

  const { body } = await shared.get(`/v1/frames?sender=${encodeURIComponent(address)}&limit=1`)
  expect(body).toMatchObject({ items: [{ event_id: own, sender: address }], next: null })
})

test.each([
  ['since', 'yesterday'],
  ['before', '2026-13-01T00:00:00Z'],
  ['text', ''],
  ['sender', ''],
])('%s=%j is refused by name (AC-157)', async (name, value) => {
  expect(await shared.get(`/v1/frames?${name}=${encodeURIComponent(value)}`)).toMatchObject({
    status: 400,
    body: { field: name },
  })
})
