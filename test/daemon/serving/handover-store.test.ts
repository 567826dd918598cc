/** Kept texts of handovers and the store that has their frames: trimmed, lost, put back, moved (HO-07). */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RetentionBounds } from '../../../src/broker/ring/ring.ts'
import { HandoverTexts } from '../../../src/daemon/serving/handover-texts.ts'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { validFrame } from '../../support/frames.ts'
import { ROOMY, openRing } from '../../support/rings.ts'
import { silentLog } from '../../support/silent-log.ts'
import { brokerOn, submit } from '../../support/stored-broker.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const MINUTE_MS = 60_000

/** A daemon's store and texts in a state directory, on one clock. */
async function start(dir: TempDir, state: string, retention: RetentionBounds = ROOMY) {
  const ring = await openRing(dir, { path: join(state, 'ring.db'), retention })
  const clock = new FakeClock()
  const broker = brokerOn(ring, new SqliteLedger(ring, silentLog), clock)
  const folder = join(state, 'handovers')
  const environment = readEnvironment()
  const texts = await HandoverTexts.open({ folder, environment, broker, clock, log: silentLog })
  const send = (payload: object) =>
    submit(
      broker,
      validFrame('agent_handover', {
        payload: { previous_session_id: 's1', handover_body: 'w', ...payload },
        created_at: new Date(clock.nowMs()).toISOString(),
      }),
    )
  return {
    clock,
    texts,
    send,
    /** Keeps a text, and sends the frame that points to it. @returns the file */
    async hand(text = 'work'): Promise<string> {
      const kept = await texts.keep(text)
      kept.settle((await send({ pointer_refs: [kept.path] })).frame_id)
      return kept.path
    },
    stop(): void {
      texts.close()
      broker.close()
      ring.close()
    },
  }
}

test('a text goes within a minute of its frame being trimmed, and that of one in the ring stays', async () => {
  await using dir = await createTempDir()
  const daemon = await start(dir, dir.path, { ...ROOMY, maxFrames: 4 })
  const old = await daemon.hand()
  for (let i = 0; i < 3; i += 1) await daemon.send({})
  const young = await daemon.hand()
  for (let i = 0; i < 2; i += 1) await daemon.send({})

  daemon.clock.advance(MINUTE_MS)

  expect([old, young].map((path) => existsSync(path))).toEqual([false, true])
  for (let i = 0; i < 8; i += 1) await daemon.send({})
  daemon.clock.advance(MINUTE_MS)
  expect(readdirSync(dir.file('handovers'))).toEqual([])
  expect(daemon.clock.pendingTimers).toBe(0)
  daemon.stop()
})

test('of a store that was lost, the next daemon removes every text, at once', async () => {
  await using dir = await createTempDir()
  const first = await start(dir, dir.path)
  for (let i = 0; i < 3; i += 1) await first.hand()
  first.stop()
  for (const name of readdirSync(dir.path).filter((one) => one.startsWith('ring.db'))) rmSync(dir.file(name))

  const next = await start(dir, dir.path)

  expect(readdirSync(dir.file('handovers'))).toEqual([])
  next.stop()
})

test('of a store that was put back from a copy, only what its frames point to stays', async () => {
  await using dir = await createTempDir()
  const first = await start(dir, dir.path)
  const before = await first.hand()
  first.stop()
  copyFileSync(dir.file('ring.db'), dir.file('copy.db'))
  const second = await start(dir, dir.path)
  const after = await second.hand()
  second.stop()
  for (const name of readdirSync(dir.path).filter((one) => one.startsWith('ring.db'))) rmSync(dir.file(name))
  renameSync(dir.file('copy.db'), dir.file('ring.db'))

  const third = await start(dir, dir.path)

  expect([before, after].map((path) => existsSync(path))).toEqual([true, false])
  expect(await third.texts.read([before])).toBe('work')
  third.stop()
})

test('a state directory that was moved takes its texts along, and a frame leads to them still', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('here'), { mode: 0o700 })
  const first = await start(dir, dir.file('here'))
  const pointer = await first.hand()
  first.stop()
  renameSync(dir.file('here'), dir.file('there'))

  const next = await start(dir, dir.file('there'))

  expect(readdirSync(dir.file('there', 'handovers'))).toHaveLength(1)
  expect(await next.texts.read([pointer])).toBe('work')
  next.stop()
})
