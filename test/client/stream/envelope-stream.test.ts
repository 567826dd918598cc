import { UsageError } from '../../../src/core/errors.ts'
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { AgentdStream } from '../../../src/client/stream/stream.ts'
import type { InvalidFrame, StreamItem } from '../../../src/client/stream/options.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../src/core/limits.ts'
import { encodeKeepAlive } from '../../../src/protocol/sse/encoder.ts'
import { envelopeEvent, makeEnvelope, STREAM, takeStream } from '../envelope-peers.ts'
import { START_MS } from '../manual-clock.ts'
import { eventOf, makeFrame, meet, register } from '../peers.ts'

async function take(stream: AgentdStream, count: number): Promise<readonly StreamItem[]> {
  const items: StreamItem[] = []
  while (items.length < count) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error(`the stream ended after ${items.length} items`)
    items.push(value)
  }
  return items
}

/** A busy machine is given time. */
const SOON = { timeout: 15_000 }

describe('envelopes on a stream', () => {
  test('an envelope comes as it was written, between the frames (AEE-C02)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ entities: ['agent.doer', 'bus.ops'] })
    const text = JSON.stringify({ ...makeEnvelope(), x_unknown: 1.5, payload: { b: 1, a: [] } }).replace(
      '1.5',
      '1.50',
    )
    const arrival = await takeStream(peers.daemon)
    arrival.write(eventOf('e1-1', makeFrame()) + envelopeEvent('e1-2', text) + eventOf('e1-3', makeFrame()))

    const items = await take(stream, 3)

    expect(arrival.query.get('entities')).toBe('agent.doer,bus.ops')
    expect(items.map(({ type }) => type)).toEqual(['frame', 'envelope', 'frame'])
    expect(items[1]).toEqual({
      type: 'envelope',
      eventId: 'e1-2',
      envelope: JSON.parse(text),
      text,
      effectivePriority: 'normal',
      late: false,
      receivedMs: START_MS,
    })
  })

  test('a comment in the block is about its envelope and no other (AEQ-26, AEQ-27)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const arrival = await takeStream(peers.daemon)
    arrival.write(
      envelopeEvent('e1-1', makeEnvelope({ priority: 'high' })) +
        encodeKeepAlive(undefined).repeat(20) +
        envelopeEvent('e1-2', makeEnvelope({ priority: 'high' }), {
          effectivePriority: 'normal',
          isLate: true,
        }) +
        envelopeEvent('e1-3', makeEnvelope({ priority: 'high' })) +
        envelopeEvent('e1-4', makeEnvelope({ priority: 'high' }), { isLate: true }),
    )

    const items = await take(stream, 4)

    expect(
      items.map((item) => (item.type === 'envelope' ? [item.effectivePriority, item.late] : undefined)),
    ).toEqual([
      ['high', false],
      ['normal', true],
      ['high', false],
      ['high', true],
    ])
  })

  test('however the bytes are cut, each envelope keeps its own remarks', async () => {
    await using peers = await meet()
    const priorities = fc.constantFrom(undefined, 'low', 'normal')
    const remarks = fc.array(
      fc.record({ effectivePriority: priorities, isLate: fc.boolean(), beats: fc.nat(2) }),
      { minLength: 1, maxLength: 6 },
    )
    const property = fc.asyncProperty(
      remarks,
      fc.array(fc.nat(400), { maxLength: 8 }),
      async (wanted, cuts) => {
        await using stream = peers.client.stream()
        const arrival = await takeStream(peers.daemon)
        arrival.socket.setNoDelay()
        const text = wanted
          .map(({ effectivePriority, isLate, beats }, index) => {
            const said = { isLate, ...(effectivePriority !== undefined && { effectivePriority }) }
            const envelope = makeEnvelope({ priority: 'urgent' })
            return encodeKeepAlive(undefined).repeat(beats) + envelopeEvent(`e1-${index + 1}`, envelope, said)
          })
          .join('')
        let rest = text
        for (const cut of cuts) {
          arrival.write(rest.slice(0, cut))
          await new Promise(setImmediate)
          rest = rest.slice(cut)
        }
        arrival.write(rest)

        const items = await take(stream, wanted.length)

        expect(
          items.map((item) => (item.type === 'envelope' ? [item.effectivePriority, item.late] : item)),
        ).toEqual(wanted.map(({ effectivePriority = 'urgent', isLate }) => [effectivePriority, isLate]))
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })

  test('an envelope comes once over drops; its id compares exactly', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const one = makeEnvelope({ id: 'envelope-a' })
    const other = makeEnvelope({ id: 'ENVELOPE-A' })
    const first = await takeStream(peers.daemon, envelopeEvent('e1-1', one))
    await take(stream, 1)
    first.cut()
    const second = await takeStream(peers.daemon, envelopeEvent('e1-1', one) + envelopeEvent('e1-2', other))

    const [item] = await take(stream, 1)

    expect(second.header('last-event-id')).toBe('e1-1')
    expect(item).toMatchObject({ eventId: 'e1-2', envelope: { id: 'ENVELOPE-A' } })
  })

  test('the names of an id of a frame and of an envelope do not meet', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const frame = makeFrame()
    await takeStream(
      peers.daemon,
      eventOf('e1-1', frame) + envelopeEvent('e1-2', makeEnvelope({ id: frame.frame_id })),
    )

    expect((await take(stream, 2)).map(({ type }) => type)).toEqual(['frame', 'envelope'])
  })

  test('what is no envelope is told and left out (ACQ-37)', async () => {
    await using peers = await meet()
    const onInvalid = vi.fn<(invalid: InvalidFrame) => void>()
    await using stream = peers.client.stream({ onInvalid })
    const broken = JSON.stringify({ ...makeEnvelope(), type: 'wish' })
    await takeStream(
      peers.daemon,
      envelopeEvent('e1-1', broken) +
        envelopeEvent('e1-2', '{"v":"2"}') +
        envelopeEvent('e1-3', makeEnvelope()),
    )

    expect(await take(stream, 1)).toMatchObject([{ eventId: 'e1-3' }])
    expect(onInvalid.mock.calls.map(([{ eventId, error }]) => [eventId, error.code, error.field])).toEqual([
      ['e1-1', 'field-invalid', 'type'],
      ['e1-2', 'version-unsupported', 'v'],
    ])
  })

  test('the largest envelope comes through whole (AEQ-24)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const small = JSON.stringify(makeEnvelope({ payload: { text: '' } }))
    const text = small.replace('"text":""', `"text":"${'x'.repeat(MAX_ENVELOPE_OCTETS - small.length)}"`)
    await takeStream(peers.daemon, envelopeEvent('e1-1', text))

    const [item] = await take(stream, 1)

    expect(text).toHaveLength(MAX_ENVELOPE_OCTETS)
    expect(item).toMatchObject({ eventId: 'e1-1', text })
  })

  test('a slow consumer of large envelopes has few of them waiting', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const arrival = await takeStream(peers.daemon)
    const payload = { text: 'x'.repeat(1_000_000) }
    const count = 64
    for (let seq = 1; seq <= count; seq += 1)
      arrival.write(envelopeEvent(`e1-${seq}`, makeEnvelope({ payload })))
    await stream.opened

    // The daemon's side is left with most of them: 16 MiB wait here, and what the kernel holds.
    await vi.waitFor(() => expect(arrival.response.writableLength).toBeGreaterThan(0), SOON)
    for (let call = 0; call < 20; call += 1) await peers.client.health()

    expect(arrival.response.writableLength).toBeGreaterThan(20_000_000)
    expect(await take(stream, count)).toHaveLength(count)
  })
})

describe('the entities of a stream', () => {
  test('a session names them as well, and none at all names nobody', async () => {
    await using peers = await meet()
    const session = await register(peers)
    await using one = session.stream({ entities: ['human.alice'] })
    const first = await peers.daemon.next(STREAM)
    await using two = session.stream({ entities: [] })
    const second = await peers.daemon.next(STREAM)
    await using three = session.stream()
    const third = await peers.daemon.next(STREAM)

    expect([first, second, third].map(({ query }) => query.get('entities'))).toEqual([
      'human.alice',
      null,
      null,
    ])
    await Promise.all([one.return(), two.return(), three.return()])
  })

  test('a name with a comma is refused here: it would be two names there', async () => {
    await using peers = await meet()

    expect(() => peers.client.stream({ entities: ['agent.a', 'agent.b,agent.c'] })).toThrow(UsageError)
    expect(peers.daemon.untaken).toBe(0)
  })
})
