/** The watch of the library: what passes and how things are, over as many daemons as there are (W-1). */
import { expect, test } from 'vitest'
import { connect, type AgentdWatch, type WatchItem } from '../../../src/client/index.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { within } from '../../support/within.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

/** The next item of a type. */
async function next<Type extends WatchItem['type']>(
  watch: AgentdWatch,
  type: Type,
): Promise<Extract<WatchItem, { type: Type }>> {
  for (;;) {
    const { value, done } = await within(watch.next(), `an item of type ${type}`)
    if (done === true) throw new Error('the watch is over')
    if (isOf(value, type)) return value
  }
}

function isOf<Type extends WatchItem['type']>(
  item: WatchItem,
  type: Type,
): item is Extract<WatchItem, { type: Type }> {
  return item.type === type
}

test('a watch yields how everything is, what passes, who comes, and what was seen of what was sent', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await using watch = client.watch()
  const snapshot = await next(watch, 'snapshot')

  const session = await client.session({ instrument: 'cc', mailbox: true, entities: ['agent.a'] })
  const came = await next(watch, 'session')
  const { frameId, eventId } = await client.advise('hello', { scope: session.address })
  const passed = await next(watch, 'frame')
  await session.inbox.drain()
  const receipt = await next(watch, 'receipt')
  await client.sendEnvelope({ from: 'agent.b', to: 'agent.a', intent: 'ops.x.y', type: 'event', payload: {} })
  const envelope = await next(watch, 'envelope')
  await client.forget({ frameId })
  const forgotten = await next(watch, 'forgotten')

  expect(snapshot).toMatchObject({ principal: '~alice', sessions: [], needs: [], health: { sessions: 0 } })
  expect(came).toMatchObject({ change: 'came', session: { address: session.address } })
  expect(passed).toMatchObject({ eventId, sender: null, scope: session.address, queuedCount: 1 })
  expect(passed.frame.frame_id).toBe(frameId)
  expect(receipt).toMatchObject({ eventId, address: session.address, state: 'seen' })
  const [epoch, place] = eventId.split('-')
  expect(forgotten).toEqual({
    type: 'forgotten',
    epoch,
    runs: [{ first: Number(place), last: Number(place) }],
  })
  expect(envelope).toMatchObject({ scope: 'agent.a', effectivePriority: 'normal', late: false })
})

test.runIf(keepsFrames())(
  'a watch comes back to the next daemon, with a new snapshot and nothing twice',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await client.advise('before')
    await using watch = client.watch({ replay: 5 })
    const first = await next(watch, 'frame')
    await daemon.stop()
    await using again = await startTestDaemon({ dir: daemon.dir })

    const snapshot = await next(watch, 'snapshot')
    const { eventId } = await client.advise('after')
    const second = await next(watch, 'frame')

    expect(again.socket).toBe(daemon.socket)
    expect(snapshot.eventId).toBe(first.eventId)
    expect(second.eventId).toBe(eventId)
  },
)
