/** Keys in links: once, soon, and told apart from guesses (SEAT-15). */
import { expect, test } from 'vitest'
import { LINK_MS, Links } from '../../../../src/ui/serve/keys/links.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

test('a key is good once, and says later when that was (SEAT-15)', () => {
  const clock = new FakeClock()
  const links = new Links(clock)
  const key = links.make()
  const usedMs = clock.nowMs()

  expect(key).toMatch(/^[\w-]{43}$/)
  expect(links.redeem(key)).toEqual({ kind: 'good' })
  clock.advance(5_000)
  expect(links.redeem(key)).toEqual({ kind: 'used', atMs: usedMs })
})

test('a key is good for two minutes and not a moment longer, whatever the wall clock says (SEAT-15)', () => {
  const clock = new FakeClock()
  const links = new Links(clock)
  const [inTime, late] = [links.make(), links.make()]

  clock.stepWall(86_400_000)
  clock.advance(LINK_MS)
  expect(links.redeem(inTime)).toEqual({ kind: 'good' })
  clock.advance(1)
  expect(links.redeem(late)).toEqual({ kind: 'late' })
})

test('what is no key is unknown, and so is one that 64 later ones have pushed out (SEAT-15)', () => {
  const links = new Links(new FakeClock())
  const first = links.make()
  const second = links.make()
  for (let more = 0; more < 63; more += 1) links.make()

  for (const wrong of ['', 'x', `${second}x`, second.toLowerCase()]) {
    expect(links.redeem(wrong)).toEqual({ kind: 'unknown' })
  }
  expect(links.redeem(first)).toEqual({ kind: 'unknown' })
  expect(links.redeem(second)).toEqual({ kind: 'good' })
})
