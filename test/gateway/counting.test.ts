/**
 * Who asks how a link is waits until what waits is counted, and nobody else waits for it (FED-65, R-36).
 */
import { expect, test } from 'vitest'
import { Counting, MAX_COUNTING_MS } from '../../src/gateway/out/counting.ts'
import { PAGE_ITEMS } from '../../src/gateway/out/waiting.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { LinkedNode } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

/** Turns of the loop are run by hand. */
function startCounting() {
  const clock = new FakeClock()
  const turns: (() => void)[] = []
  const counting = new Counting({ clock, defer: (step) => void turns.push(step) })
  return { clock, counting, turns }
}

/** A machine whose one question waits behind pages of what stays. */
async function startBehindPages(): Promise<LinkedNode> {
  const allow = { kinds: ['agent_query'] }
  const laptop = await LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop', { allow })
  const say = (verb: string) => laptop.anybody(`/v1/verbs/${verb}`, { json: { text: 'x' } })
  await Promise.all(Array.from({ length: 2 * PAGE_ITEMS + 1 }, () => say('agent_broadcast')))
  await say('agent_query')
  return laptop
}

test('the first who asks is told of what waits behind pages of what stays (FED-65)', async () => {
  await using laptop = await startBehindPages()

  const { body } = await laptop.anybody('/v1/links')

  expect(body.links[0]).toMatchObject({ waiting: 1, lanes: [{ waiting: 1 }] })
})

test('the first figures tell of it too (FED-65)', async () => {
  await using laptop = await startBehindPages()

  const { text } = await laptop.anybody('/v1/metrics')

  expect(text).toContain('agentd_link_waiting_records{link="home"} 1')
})

test('each lane is counted to its end before the next one, in as many turns as it takes', async () => {
  const { clock, counting, turns } = startCounting()
  const taken: string[] = []
  const lane = (name: string, pages: number) => () => {
    if (pages > 0) taken.push(name)
    pages -= 1
    clock.advance(4)
    return pages <= 0
  }

  const done = counting.run([lane('a', 3), lane('b', 2)])
  let inTurns = 0
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    turn()
    inTurns += 1
  }
  await done

  expect(taken.join('')).toBe('aaabb')
  expect(inTurns).toBeGreaterThan(2)
})

test('counting that takes longer than one answer may wait is left there', async () => {
  const { clock, counting, turns } = startCounting()
  let steps = 0
  const done = counting.run([
    () => {
      steps += 1
      clock.advance(10)
      return false
    },
  ])

  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) turn()
  await done

  expect(steps).toBe(MAX_COUNTING_MS / 10)
})

test('who asks while the daemon goes is told so', async () => {
  const { counting, turns } = startCounting()
  const done = counting.run([() => false])
  counting.stop()
  turns.shift()?.()

  await expect(done).rejects.toMatchObject({ code: 'closing' })
})
