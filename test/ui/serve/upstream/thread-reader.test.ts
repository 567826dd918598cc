/** A workflow drawn for a page by the process behind it (SEAT-25). */
import { expect, test } from 'vitest'
import { MAX_SHOWN_HOPS } from '../../../../src/ui/seat/threads/show-thread.ts'
import { MAX_READ_ENVELOPES } from '../../../../src/ui/serve/upstream/thread-reader.ts'
import { sendEnvelope, validEnvelope } from '../../../support/envelopes.ts'
import { openLines } from '../../../support/http.ts'
import { openSeat } from '../support.ts'

test('a workflow comes as it is shown, without what its envelopes carry, and only to who is signed in (SEAT-03, SEAT-25)', async () => {
  await using seat = await openSeat()
  const task = validEnvelope({ corr: 'a/b c&d=é', payload: { secret: 'not for the list' } })
  const failed = { type: 'error', from: 'agent.doer', to: 'bus.ops', reply_to: task.id }
  await sendEnvelope(seat.daemon.socket, task)
  await sendEnvelope(
    seat.daemon.socket,
    validEnvelope({ ...failed, corr: task.corr, payload: { code: 'E_BROKEN', message: 'secret' } }),
  )
  const path = `/thread?corr=${encodeURIComponent(task.corr)}`
  const token = await seat.signIn()

  const { status, text, body } = await seat.ask(path, { token })

  expect(status).toBe(200)
  expect(text).not.toContain('secret')
  expect(body).toMatchObject({
    corr: task.corr,
    says: expect.stringMatching(/^2 envelopes, no task open, /),
    hops: [
      { depth: 0, type: 'task', from: 'agent.sender' },
      { depth: 1, type: 'error', notes: [{ ours: '', theirs: 'E_BROKEN' }] },
    ],
    more: false,
  })
  expect((await seat.ask(path)).body).toMatchObject({ code: 'signed-out' })
  expect((await seat.ask('/thread?corr=nobody-knows', { token })).body).toMatchObject({
    hops: [],
    more: false,
  })
  expect((await seat.ask('/thread', { token })).body).toMatchObject({ code: 'field-missing' })
  await seat.daemon.stop('SIGKILL')
  expect((await seat.ask(path, { token })).body).toMatchObject({ code: 'daemon-gone' })
})

test('of a workflow with no end the first envelopes are read, and the page is told that there are more (SEAT-25, R-36)', async () => {
  await using seat = await openSeat()
  const corr = 'without-end'
  const send = async (count: number): Promise<void> => {
    using lines = openLines(seat.daemon.socket, { path: '/v1/envelopes' })
    for (let i = 0; i < count; i += 1) lines.send(validEnvelope({ corr, type: 'event' }))
    await lines.answered(count)
  }
  const token = await seat.signIn()
  const read = async () => (await seat.ask(`/thread?corr=${corr}`, { token })).body
  await send(MAX_READ_ENVELOPES)
  const all = await read()
  await send(1)
  const most = await read()

  expect(all.says).toMatch(/^2000 envelopes, /)
  expect(most.says).toMatch(/^2000 envelopes, /)
  expect([all.hops.length, most.hops.length]).toEqual([MAX_SHOWN_HOPS, MAX_SHOWN_HOPS])
  expect(all.mermaid.split('\n')).toHaveLength(MAX_READ_ENVELOPES + 4)
  expect([all.more, most.more]).toEqual([true, true])
})

test('names that fill envelopes are read up to a bound, and what is shown of them is cut (R-36)', async () => {
  await using seat = await openSeat()
  const corr = 'of-long-names'
  for (let i = 0; i < 7; i += 1) {
    const wide = validEnvelope({ corr, type: 'event', intent: `ops.${'x'.repeat(800_000)}` })
    await sendEnvelope(seat.daemon.socket, wide)
  }
  const { text, body } = await seat.ask(`/thread?corr=${corr}`, { token: await seat.signIn() })

  expect(text.length).toBeLessThan(10_000)
  expect(body.hops[0].intent).toHaveLength(241)
})
