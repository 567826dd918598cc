/** Forgetting, counted before and after it is done (W-8, AC-192; docs/http.md §5). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { validFrame } from '../support/frames.ts'
import { openLines, request, type Reply } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

const remove = (query: string, token?: string): Promise<Reply> =>
  request(shared.socket, `/v1/frames?${query}`, { method: 'DELETE', ...(token !== undefined && { token }) })

async function say(kind: Parameters<typeof validFrame>[0]): Promise<string> {
  const { body } = await shared.post('/v1/frames', { frame: validFrame(kind) })
  return body.event_id
}

/** A workflow of two envelopes. */
async function converse(): Promise<string> {
  const corr = `corr-${randomUUID()}`
  for (const id of [1, 2])
    await sendEnvelope(shared.socket, validEnvelope({ corr, id: `${corr}-${id}`, to: 'bus.any' }))
  return corr
}

test.for(['kind', 'corr', 'event_id', 'up_to'] as const)(
  'a dry run by %s counts what the same request forgets, and forgets nothing (SEAT-23)',
  async (by) => {
    const kind = 'intent_withdraw'
    const corr = await converse()
    const [first] = [await say(kind), await say(kind), await say('agent_query')]
    const query = {
      kind: `kind=${kind}`,
      corr: `corr=${corr}`,
      event_id: `event_id=${first}`,
      up_to: `up_to=${first}`,
    }[by]

    const counted = await remove(`${query}&dry_run=true`)
    const again = await remove(`${query}&dry_run=true`)
    // What comes between the question and the yes stays.
    const late = await say(kind)
    const bounded = by === 'up_to' ? query : `${query}&up_to=${counted.body.up_to}`
    const forgotten = await remove(bounded)

    expect(counted).toMatchObject({ status: 200, body: { forgotten: 0 } })
    expect(counted.body.would_forget).toBeGreaterThanOrEqual(by === 'event_id' ? 1 : 2)
    expect(again.body).toEqual(counted.body)
    expect(forgotten.body).toEqual({ forgotten: counted.body.would_forget })
    expect((await shared.get(`/v1/events/${late}`)).status).toBe(200)
    await remove(`kind=${kind}`)
  },
)

test('a dry run counts over more pages than one, and a bound of place cuts it (W-8)', async () => {
  const kind = 'agent_lock_release'
  using lines = openLines(shared.socket)
  for (let i = 0; i < 1_100; i += 1) lines.send({ frame: validFrame(kind) })
  const [, , { event_id: third }] = await lines.answered(1_100)

  expect((await remove(`kind=${kind}&dry_run=true`)).body.would_forget).toBe(1_100)
  expect((await remove(`kind=${kind}&up_to=${third}`)).body).toEqual({ forgotten: 3 })
  expect((await remove(`kind=${kind}&dry_run=true`)).body.would_forget).toBe(1_097)
})

test('only the principal may count, as only it may forget (AC-192)', async () => {
  const session = await shared.register()

  expect(await remove('kind=agent_query&dry_run=true', session.token)).toMatchObject({ status: 403 })
})
