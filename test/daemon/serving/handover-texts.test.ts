/** How long the text of a handover is kept, and how many (HO-07). */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Broker } from '../../../src/broker/broker.ts'
import { HandoverTexts, MAX_KEPT_TEXTS } from '../../../src/daemon/serving/handover-texts.ts'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { validFrame } from '../../support/frames.ts'
import { openRing, requireDriver } from '../../support/rings.ts'
import { silentLog } from '../../support/silent-log.ts'
import { brokerOn, submit } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const DAY_MS = 86_400_000

async function place(dir: TempDir) {
  const ring = await openRing(dir, { driver: await requireDriver() })
  const clock = new FakeClock()
  const broker = brokerOn(ring, new SqliteLedger(ring, silentLog), clock)
  const parts = {
    folder: dir.file('handovers'),
    environment: readEnvironment(),
    broker,
    clock,
    log: silentLog,
  }
  return { broker, clock, parts, texts: await HandoverTexts.open(parts) }
}

/** Keeps a text, and sends the frame that points to it. @returns the file */
async function hand(broker: Broker, texts: HandoverTexts, clock: FakeClock, ttlMs?: number): Promise<string> {
  const kept = await texts.keep('work')
  const payload = { previous_session_id: 's1', handover_body: 'w', pointer_refs: [kept.path] }
  const frame = validFrame('agent_handover', {
    payload,
    created_at: new Date(clock.nowMs()).toISOString(),
    ...(ttlMs !== undefined && { ttl_ms: ttlMs }),
  })
  kept.settle((await submit(broker, frame)).frame_id)
  return kept.path
}

test('a text goes with the time of its frame, within a minute of it (HO-07)', async () => {
  await using dir = await createTempDir()
  const { broker, clock, texts } = await place(dir)
  const [short, usual] = [await hand(broker, texts, clock, 30_000), await hand(broker, texts, clock)]

  clock.advance(60_000)
  expect([existsSync(short), existsSync(usual)]).toEqual([false, true])
  clock.advance(7 * DAY_MS)

  expect(existsSync(usual)).toBe(false)
  expect(clock.pendingTimers).toBe(0)
  texts.close()
  broker.close()
})

test('as many are kept as may be, and one more when one has gone (HO-07)', async () => {
  await using dir = await createTempDir()
  const { broker, clock, texts } = await place(dir)
  for (let i = 0; i < MAX_KEPT_TEXTS; i += 1) await hand(broker, texts, clock, i === 0 ? 1_000 : undefined)

  await expect(texts.keep('one more')).rejects.toMatchObject({ code: 'store-full' })
  clock.advance(1_000)
  const path = await hand(broker, texts, clock)

  expect(existsSync(path)).toBe(true)
  expect(readdirSync(dir.file('handovers'))).toHaveLength(MAX_KEPT_TEXTS)
  texts.close()
  broker.close()
})

test('the next daemon keeps what a frame that holds points to, and nothing else (HO-07)', async () => {
  await using dir = await createTempDir()
  const { broker, clock, parts, texts } = await place(dir)
  const [short, usual] = [await hand(broker, texts, clock, 1_000), await hand(broker, texts, clock)]
  const unsent = (await texts.keep('of a frame that never came')).path
  texts.close()
  clock.advance(1_000)

  const next = await HandoverTexts.open(parts)

  expect([short, usual, unsent].map((path) => existsSync(path))).toEqual([false, true, false])
  expect(await next.read([usual])).toBe('work')
  expect(await next.read(['/elsewhere/handovers/x.txt'])).toBeUndefined()
  await expect(next.read([short])).rejects.toMatchObject({ code: 'not-found' })
  next.close()
  broker.close()
})

test('a folder that others may look into keeps nothing (HO-07)', async () => {
  await using dir = await createTempDir()
  const { broker, clock, texts } = await place(dir)
  await hand(broker, texts, clock)
  chmodSync(dir.file('handovers'), 0o755)

  await expect(texts.keep('work')).rejects.toMatchObject({ code: 'store-full', field: 'body' })
  expect(readdirSync(dir.file('handovers'))).toHaveLength(1)
  texts.close()
  broker.close()
})
