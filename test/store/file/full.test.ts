import { expect, test } from 'vitest'
import { Broker } from '../../../src/broker/broker.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import {
  forgetAll,
  openRing,
  requireDriver,
  retained,
  retainedFrames,
  watchDriver,
} from '../../support/rings.ts'
import { brokerOn, submit } from '../../support/stored-broker.ts'
import { validFrame } from '../../support/frames.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

const LARGE = JSON.stringify('x'.repeat(8_000))

/** A ring on a disk whose size the test sets: `PRAGMA max_page_count` on the ring's own connection. */
async function ringOnSmallDisk(dir: TempDir) {
  const { driver, connections } = watchDriver(await requireDriver())
  const ring = await openRing(dir, { driver })
  const setPages = (pages: number): void => void connections.at(-1)?.pragma(`max_page_count = ${pages}`)
  return { ring, fill: () => setPages(1), free: () => setPages(1_000_000) }
}

function codeOf(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof AgentdError) return error.code
    throw error
  }
}

/** Appends until the disk is full. @returns how many frames it took */
function appendUntilFull(ring: SqliteRing): number {
  for (let taken = 0; ; taken += 1) {
    if (codeOf(() => ring.append([retained({ text: LARGE })])) === 'store-full') return taken
  }
}

test('a full disk refuses the whole turn with store-full, and what is there can still be read (R-21)', async () => {
  await using dir = await createTempDir()
  const { ring, fill } = await ringOnSmallDisk(dir)
  ring.append(retainedFrames(10, { text: LARGE }))

  fill()
  const taken = appendUntilFull(ring)
  const turn = retainedFrames(5, { text: LARGE })

  expect(codeOf(() => ring.append(turn))).toBe('store-full')
  expect(turn.map(({ seq }) => seq)).toEqual([0, 0, 0, 0, 0])
  expect([ring.count, ring.lastSeq]).toEqual([10 + taken, 10 + taken])
  expect(ring.read(0, 100)).toHaveLength(10 + taken)
  expect(turn.some(({ key }) => ring.find(key))).toBe(false)
  expect(ring.health().details).toEqual([expect.stringMatching(/refuses frames: .*full/)])

  ring.close()
})

test('when there is room again the next turn is taken, with the next number, and health says no more of it (R-21)', async () => {
  await using dir = await createTempDir()
  const { ring, fill, free } = await ringOnSmallDisk(dir)
  fill()
  const taken = appendUntilFull(ring)

  free()
  const turn = retainedFrames(3, { text: LARGE })
  ring.append(turn)

  expect(turn.map(({ seq }) => seq)).toEqual([taken + 1, taken + 2, taken + 3])
  expect(ring.health().details).toEqual([])
  ring.close()
  const again = await openRing(dir)
  expect([again.count, again.epoch]).toEqual([taken + 3, ring.epoch])
  again.close()
})

test('forgetting makes room on a full disk without a restart (R-21)', async () => {
  await using dir = await createTempDir()
  const { ring, fill } = await ringOnSmallDisk(dir)
  ring.append(retainedFrames(20, { text: LARGE }))
  fill()
  appendUntilFull(ring)

  expect(forgetAll(ring, { beforeMs: Number.MAX_SAFE_INTEGER })).toBeGreaterThanOrEqual(20)

  ring.append(retainedFrames(5, { text: LARGE }))
  expect(ring.count).toBe(5)
  ring.close()
})

test('a refused frame is neither emitted nor acknowledged, and may be sent again under its own id (R-21)', async () => {
  await using dir = await createTempDir()
  const { ring, fill, free } = await ringOnSmallDisk(dir)
  const broker: Broker = brokerOn(ring, new SqliteLedger(ring, silentLog))
  const seen: string[] = []
  broker.observe(({ key }) => seen.push(key))
  const inbox = broker.sessions.open(
    { instrument: 'cc', session_id: 'box', mailbox: true },
    undefined,
    undefined,
  )
  fill()
  appendUntilFull(ring)
  // Free pages of the last attempt may still take a small frame; a large one they do not.
  const frame = validFrame('agent_handover', {
    payload: { previous_session_id: 's1', handover_body: 'x'.repeat(8_000) },
  })

  const refused = await submit(broker, frame).catch((error: unknown) => error)

  expect(refused).toMatchObject({ code: 'store-full', retryAfterMs: 1_000 })
  expect(seen).toEqual([])
  expect(inbox.session.mailbox?.unread).toBe(0)
  free()
  const reply = await submit(broker, frame)
  expect(reply).toMatchObject({ frame_id: frame.frame_id, queued_count: 1, ack: 'process' })
  expect(reply.duplicate).toBeUndefined()
  expect(seen).toEqual([frame.frame_id])
  broker.close()
})

test('a note the disk refuses does not stop what it is about (R-21)', async () => {
  await using dir = await createTempDir()
  const { ring, fill } = await ringOnSmallDisk(dir)
  const warnings: string[] = []
  const ledger = new SqliteLedger(ring, { ...silentLog, warn: (event) => void warnings.push(event) })
  const broker = brokerOn(ring, ledger)
  fill()
  appendUntilFull(ring)
  const title = 'x'.repeat(256)

  for (let i = 0; i < 30; i += 1) {
    broker.sessions.open(
      { instrument: 'cc', session_id: `s${i}`, title, cwd: `/${'y'.repeat(4_000)}` },
      undefined,
      undefined,
    )
  }

  expect(broker.sessions.count).toBe(30)
  expect(warnings).toContain('note-lost')
  broker.close()
})

test('a defect is no refusal: it goes to the top (R-22)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  // A frame that cannot be bound.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const broken = { ...retained(), kind: {} as string }

  expect(() => ring.append([broken])).toThrow(TypeError)
  ring.append([retained()])
  expect([ring.count, ring.lastSeq]).toEqual([1, 1])
  ring.close()
})
