/**
 * What another node accepted, as every list of items tells it.
 *
 * @see docs/http.md §§5…7; FED-01, FED-28, FED-31
 */
import { expect, test } from 'vitest'
import { DrainReply } from '../../../src/protocol/http/inbox-replies.ts'
import { EventsReply, HistoryReply } from '../../../src/protocol/http/frame-replies.ts'
import { arrivingFrame, batchOf, BOBS, foreignFrame, REALM } from '../../support/arrivals.ts'
import { validFrame } from '../../support/frames.ts'
import { post, request } from '../../support/http.ts'
import { startInProcess, type InProcess } from '../in-process.ts'

const ORIGIN = { node: 'devbox', origin: { realm: REALM, event_id: 'far1-9' } }

async function registered({ socket }: InProcess): Promise<string> {
  const { body } = await post(socket, '/v1/sessions', { instrument: 'cc', session_id: 's1', mailbox: true })
  return body.token
}

test('history, events and inbox name the node that accepted an item first, and its event there (FED-31)', async () => {
  await using daemon = await startInProcess()
  const token = await registered(daemon)
  await daemon.broker.ingest(batchOf([arrivingFrame('far1-9')]))

  const history = (await request(daemon.socket, '/v1/frames?handle=~alice')).body
  const events = (await request(daemon.socket, '/v1/events')).body
  const inbox = (await post(daemon.socket, '/v1/inbox/drain', {}, token)).body

  expect(HistoryReply.parse(history).items).toEqual([expect.objectContaining(ORIGIN)])
  expect(EventsReply.parse(events).items).toEqual([expect.objectContaining(ORIGIN)])
  expect(DrainReply.parse(inbox).items).toEqual([expect.objectContaining(ORIGIN)])
})

test('nothing of it stands beside what was accepted here (FED-01)', async () => {
  await using daemon = await startInProcess()
  const token = await registered(daemon)
  await post(daemon.socket, '/v1/frames', validFrame('agent_advisory'))

  const replies = [
    await request(daemon.socket, '/v1/frames?handle=~alice'),
    await request(daemon.socket, '/v1/events'),
    await post(daemon.socket, '/v1/inbox/drain', {}, token),
  ]

  expect(replies.map(({ text }) => JSON.parse(text).items.length)).toEqual([1, 1, 1])
  for (const { text } of replies) expect(text).not.toMatch(/"node"|"origin"|"holes"/)
})

test('an inbox names what is missing of each lane, and says so once (FED-28)', async () => {
  await using daemon = await startInProcess()
  const token = await registered(daemon)
  await daemon.broker.ingest(batchOf([arrivingFrame('far1-9')], { hole: { from: null, to: 'far1-8' } }))
  const drain = async () => DrainReply.parse((await post(daemon.socket, '/v1/inbox/drain', {}, token)).body)

  const first = await drain()
  const second = await drain()

  expect(first.gap).toMatchObject({ reason: 'remote', node: 'devbox', from: null, to: 'far1-8' })
  expect(first.holes).toEqual([first.gap])
  expect([second.gap, second.holes]).toEqual([null, undefined])
})

test('what another person sent is left waiting where it is to be counted, and handed out where it is not (FED-64)', async () => {
  await using daemon = await startInProcess()
  const token = await registered(daemon)
  await daemon.broker.ingest(batchOf([foreignFrame('far1-1'), foreignFrame('far1-2')], BOBS))
  const drain = async (body: object) =>
    DrainReply.parse((await post(daemon.socket, '/v1/inbox/drain', body, token)).body)

  const counted = await drain({ foreign: 'count' })
  const handed = await drain({})
  const after = await drain({ foreign: 'count' })

  expect(counted).toMatchObject({ items: [], remaining: 0, foreign: [{ handle: '~bob', count: 2 }] })
  expect(handed.items).toHaveLength(2)
  expect(handed.foreign).toBeUndefined()
  expect(after).not.toHaveProperty('foreign')
})
