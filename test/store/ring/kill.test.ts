/**
 * A process that applies what another node sent, killed at any moment and started again: whatever it was doing, nothing is
 * applied twice, nothing is missing, and all of it is in order (FED-05, FED-27).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { laneOf, REALM } from '../../support/arrivals.ts'
import { openRing } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const CHILD = join(import.meta.dirname, '../../torture/support/arrivals-child.mjs')

/** Batches that are answered before each kill, and none at first. */
const ANSWERED = [1, 2, 3, 5, 8, 13, 1, 21]

/** Runs it until it has answered so many batches, and kills it with whatever it has begun since. @returns the last answered */
async function runUntilKilled(path: string, answered: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, path, 'boot-1'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let count = 0
  let last = -1
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line)
    count += 1
    if (count >= answered) child.kill('SIGKILL')
  }
  expect(await exit).toEqual([null, 'SIGKILL'])
  return last
}

test('kill -9 between a batch and its answer, and the same batches again: 0 twice, 0 lost, 0 out of order (FED-05)', async () => {
  await using dir = await createTempDir()
  let last = -1
  for (const answered of ANSWERED) last = Math.max(last, await runUntilKilled(dir.file('ring.db'), answered))

  const ring = await openRing(dir)
  const places: number[] = []
  for (let page = ring.read(0, 1_000); page.length > 0; page = ring.read(page.at(-1)?.seq ?? 0, 1_000))
    for (const { origin } of page) places.push(Number(origin?.eventId.split('-')[1]))
  const mark = ring.origins.marksOf(REALM).get(laneOf('devbox'))?.get('far1') ?? 0

  expect(places).toEqual(Array.from({ length: places.length }, (_, i) => i + 1))
  expect(mark).toBe(places.length)
  // What was answered is there, whatever came after it.
  expect(places.length).toBeGreaterThanOrEqual((last + 1) * 20)
  expect(ring.origins.cursorOf(REALM)?.seq).toBe(places.length / 20)
  ring.close()
})
