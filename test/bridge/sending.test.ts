/**
 * Who speaks one at a time never waits; behind a batch of several, the next one gathers what is on its way (FED-18, L-01, L-03).
 */
import { expect, test } from 'vitest'
import { Outbox, type Outgoing } from '../../src/bridge/outbox.ts'
import { BUSY_RECORDS, GATHER_MS, Sending } from '../../src/bridge/sending.ts'
import { MAX_BATCH_RECORDS, readBatch } from '../../src/link/batch.ts'
import { BatchSize } from '../../src/link/batch-size.ts'
import { createNodeKey, readNodeKey } from '../../src/link/keys/node-key.ts'
import { FakeClock } from '../support/fake-clock.ts'

const item = (): Outgoing => ({
  line: '{"t":"frame"}',
  octets: 14,
  place: undefined,
  reports: undefined,
  prev: undefined,
})

/** Lets everything run that is ready. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A lane whose engine takes so long for each batch. */
function startSending(tookMs = 1) {
  const clock = new FakeClock()
  const batches: number[] = []
  const outbox = new Outbox()
  const size = new BatchSize()
  const sending = new Sending(
    {
      clock,
      size,
      lane: 'agentd.v1.p.alice.f.laptop',
      node: 'laptop',
      key: readNodeKey(createNodeKey().seed).key,
      door: { post: () => Promise.resolve({}) },
      hub: {
        isThere: () => Promise.resolve(true),
        publish: (_lane, body) => {
          batches.push(readBatch(body).lines.length)
          return new Promise((resolve) => clock.after(tookMs, () => resolve(batches.length)))
        },
      },
      authorityEpoch: () => 0,
      onSent: () => {},
      onFault: () => {},
    },
    { seq: 0, epoch: 'e', prev: null, last: null, digest: null, reports: 0, clean: true, streamCreated: '' },
  )
  sending.run(outbox).catch(() => {})
  const say = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) void outbox.put(item(), size.octets)
    await turn()
  }
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await turn()
  }
  return { batches, say, pass }
}

test('who speaks one at a time never waits', async () => {
  const { batches, say, pass } = startSending()
  for (let i = 0; i < 3; i += 1) {
    await say(1)
    await pass(1)
  }
  await say(BUSY_RECORDS - 1)
  await pass(1)
  await say(1)

  expect(batches).toEqual([1, 1, 1, BUSY_RECORDS - 1, 1])
})

test('behind a batch of several the next one leaves so many milliseconds after it, with what has come until then', async () => {
  const { batches, say, pass } = startSending()
  await say(BUSY_RECORDS)
  await say(3)
  await pass(GATHER_MS - 1)
  expect(batches).toEqual([BUSY_RECORDS])
  await say(2)
  await pass(1)

  expect(batches).toEqual([BUSY_RECORDS, 5])
})

test('as much as a batch takes does not wait', async () => {
  const { batches, say, pass } = startSending()
  await say(1)
  await say(BUSY_RECORDS)
  await pass(1)
  await pass(1)
  await say(MAX_BATCH_RECORDS)

  expect(batches).toEqual([1, BUSY_RECORDS, MAX_BATCH_RECORDS])
})

test('on a way that takes longer than that, nothing waits but for the acknowledgement', async () => {
  const { batches, say, pass } = startSending(GATHER_MS + 1)
  await say(1)
  await say(BUSY_RECORDS)
  await pass(GATHER_MS + 1)
  await say(1)
  await pass(GATHER_MS + 1)

  expect(batches).toEqual([1, BUSY_RECORDS, 1])
})
