/**
 * What was accepted before a restart, read after it: when it is asked for, or in the background, whichever comes
 * first. A frame that is submitted again finds no difference.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Broker } from '../../../src/broker/broker.ts'
import type { Frame } from '../../../src/protocol/frame/frame.ts'
import type { Driver } from '../../../src/store/driver/database.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { flipBit, offsetOf } from '../../support/damage.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame } from '../../support/frames.ts'
import { openRing, requireDriver, ROOMY } from '../../support/rings.ts'
import { brokerOn, submit, submitEnvelope } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

/** More than two pages. */
const FRAMES = 600

let dir: TempDir
/** What the last daemon accepted, oldest first; a question is in the middle. */
let frames: readonly Frame[]
let epoch: string

const QUESTION = validFrame('agent_query')

async function live(more: Parameters<typeof openRing>[1] = {}, clock = new FakeClock()) {
  const ring = await openRing(dir, more)
  return { ring, broker: brokerOn(ring, new SqliteLedger(ring, silentLog), clock), clock }
}

function advisory(i: number): Frame {
  return validFrame('agent_advisory', { payload: { advisory_text: `before ${i}` } })
}

beforeEach(async () => {
  dir = await createTempDir()
  frames = [
    ...Array.from({ length: FRAMES / 2 }, (_, i) => advisory(i)),
    QUESTION,
    ...Array.from({ length: FRAMES / 2 }, (_, i) => advisory(FRAMES + i)),
  ]
  const { ring, broker } = await live()
  for (const frame of frames) submit(broker, frame).catch(() => {})
  await submit(broker, validFrame('agent_advisory'))
  epoch = ring.epoch
  broker.close()
  return () => dir[Symbol.asyncDispose]()
})

async function expectAllRepeated(broker: Broker): Promise<void> {
  for (const i of [0, FRAMES, 255, 256, 1]) {
    const reply = await submit(broker, frames[i]!)
    expect(reply).toMatchObject({ duplicate: true, event_id: `${epoch}-${i + 1}` })
    const other = { ...advisory(i), frame_id: frames[i]!.frame_id }
    await expect(submit(broker, other)).rejects.toMatchObject({ code: 'field-invalid', field: 'frame_id' })
  }
}

describe.each([
  ['at once', async () => {}],
  ['while it is being read', async (broker: Broker): Promise<void> => void broker.warmUp()],
  ['when all of it has been read', async (broker: Broker) => broker.warmUp()],
] as const)('a restart is no fresh start, asked %s', (_, prepare) => {
  test('a repeated frame is answered as before, and its id is taken (R-14, ACQ-25)', async () => {
    const { ring, broker } = await live()
    await prepare(broker)

    await expectAllRepeated(broker)

    expect(ring.count).toBe(frames.length + 1)
    broker.close()
  })

  test('a question finds whoever asked it', async () => {
    const { broker } = await live()
    await prepare(broker)

    const { query_id: queryId, response_scope: responseScope } = QUESTION.payload

    expect(broker.queries.responseScopeOf(queryId)).toBe(responseScope)
    broker.close()
  })
})

test('the past goes on being read while other things happen', async () => {
  const { broker } = await live()
  let turns = 0
  const count = (): void => {
    turns += 1
    if (turns < 1_000) setImmediate(count)
  }
  count()

  await broker.warmUp()

  expect(turns).toBeGreaterThan(2)
  await expectAllRepeated(broker)
  broker.close()
})

test('an id stays used when its frame makes room for the first new ones', async () => {
  const { ring, broker } = await live({ retention: { ...ROOMY, maxFrames: 10 } })

  await submitEnvelope(broker, validEnvelope())

  expect(ring.count).toBeLessThan(FRAMES)
  await expectAllRepeated(broker)
  broker.close()
})

test('an id stays used when its frame is forgotten before anything else', async () => {
  const { ring, broker } = await live()

  await broker.forget({ kind: 'agent_advisory' })

  expect(ring.count).toBe(1)
  await expectAllRepeated(broker)
  broker.close()
})

test('a frame from longer ago than ten minutes is a new one', async () => {
  const clock = new FakeClock()
  clock.advance(10 * 60_000)
  const { broker } = await live({}, clock)

  const reply = await submit(broker, frames[0]!)

  expect(reply).not.toHaveProperty('duplicate')
  broker.close()
})

test('damage that shows while the past is read begins a new epoch, and what is sent again is taken (R-23)', async () => {
  flipBit(dir.file('ring.db'), offsetOf(dir.file('ring.db'), QUESTION.payload.query_id) + 2)
  const { ring, broker } = await live()

  await broker.warmUp()

  expect(ring.epoch).not.toBe(epoch)
  expect(ring.fateOf(epoch)).toBe('corrupt')
  const reply = await submit(broker, frames.at(-1)!)
  expect(reply).not.toHaveProperty('duplicate')
  expect(reply.event_id).toBe(`${ring.epoch}-1`)
  broker.close()
})

test('a disk that cannot be read refuses what it would have to be compared with, until it can (R-21)', async () => {
  const driver = await requireDriver()
  let isBroken = true
  const failing: Driver = new Proxy(driver, {
    construct(target, [path, options]: [string, object]) {
      const database = new target(path, options)
      const prepare = database.prepare.bind(database)
      Object.assign(database, {
        prepare(source: string): object {
          const statement = prepare(source)
          if (!source.includes('accepted_at_ms > ? AND corr IS NULL')) return statement
          const all = statement.all.bind(statement)
          const failAll = (...bounds: unknown[]): unknown[] => {
            if (!isBroken) return all(...bounds)
            throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
          }
          return Object.assign(statement, { all: failAll })
        },
      })
      return database
    },
  })
  const { ring, broker } = await live({ driver: failing })
  await broker.warmUp()

  await expect(submit(broker, advisory(1))).rejects.toMatchObject({ code: 'store-full' })
  expect(ring.count).toBe(frames.length + 1)

  isBroken = false
  await expectAllRepeated(broker)
  broker.close()
})
