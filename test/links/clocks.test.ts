/**
 * A machine whose clock is a day wrong, as libfaketime shows it to a real daemon: what it says expires on the other machine when
 * it should by the clock that is right there (FED-32).
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { hasProgram, isSo } from '../support/needs.ts'
import { startMachines } from './machines.ts'

const DAY_S = 86_400

/** How long a frame lives, and how far from it may be. */
const TTL_MS = 12_000
const OFF_MS = 2_000

const LIBRARY = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((triple) => `/usr/lib/${triple}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path))

const canRun = hasProgram('nats-server') && isSo(LIBRARY !== undefined, 'they need libfaketime')

/** The wall clock alone is another: what is waited for is waited for as long as ever. */
function clockOff(seconds: number): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME: `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}

describe.runIf(canRun)('of a machine whose clock is wrong', () => {
  test.each([DAY_S, -DAY_S])(
    'by %i seconds, what it says expires elsewhere within two seconds of its time (FED-32, FT-10)',
    async (seconds) => {
      await using machines = await startMachines({}, clockOff(seconds))
      const { devbox, laptop } = machines
      const offset = await laptop.offsetOf('devbox')
      const waiting = await laptop.mailbox()

      const startMs = Date.now()
      const created_at = new Date(startMs + seconds * 1_000).toISOString()
      const frame = validFrame('agent_advisory', { created_at, ttl_ms: TTL_MS })
      const { status } = await devbox.ask('/v1/frames', { frame })
      await laptop.when('the frame to come', async () => (await waiting()) === 1)
      const endMs = await laptop.when('the frame to expire', async () => (await waiting()) === 0)

      expect(status).toBe(200)
      expect(Math.abs(offset - seconds * 1_000)).toBeLessThanOrEqual(OFF_MS)
      expect(Math.abs(endMs - startMs - TTL_MS)).toBeLessThanOrEqual(OFF_MS)
    },
    90_000,
  )
})
