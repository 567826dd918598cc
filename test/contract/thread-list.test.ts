/**
 * Which workflows a ring retains, on either ring: that with the newest envelope first, summed up over all there is of each
 * (W-5; docs/http.md §9).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Asker } from '../../src/broker/ring/asker.ts'
import { Background, OWN_WORK } from '../../src/broker/ring/background.ts'
import type { EnvelopeFacts } from '../../src/broker/ring/retained.ts'
import type { Ring } from '../../src/broker/ring/ring.ts'
import { ThreadList, type ListedThread, type ThreadListPage } from '../../src/broker/ring/thread-list.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { NOON_MS, RING_MAKERS, forgetAll, retained, retainedEnvelope } from '../support/rings.ts'
import { createTempDir } from '../support/temp-dir.ts'

interface PageWish {
  readonly beforeSeq?: number | undefined
  readonly limit?: number
  readonly onlyOpen?: boolean
  readonly asker?: Asker
}

/** Reads a page as the daemon does. @param onStep - called before each step */
function pageOf(ring: Ring, wish: PageWish = {}, onStep: () => void = () => {}): Promise<ThreadListPage> {
  const background = new Background(new FakeClock(), (step) => {
    setImmediate(() => {
      onStep()
      step()
    })
  })
  const all = { beforeSeq: undefined, limit: 50, onlyOpen: false, asker: OWN_WORK }
  return new ThreadList(ring, background).page({ ...all, ...wish })
}

/** Every page, one after the other. */
async function allOf(ring: Ring, wish: PageWish): Promise<ListedThread[]> {
  const items: ListedThread[] = []
  let page = await pageOf(ring, wish)
  for (;;) {
    items.push(...page.items)
    if (page.nextSeq === undefined) return items
    page = await pageOf(ring, { ...wish, beforeSeq: page.nextSeq })
  }
}

/** What a list has to say, by a look at everything at once. */
function listOf(ring: Ring): readonly ListedThread[] {
  const all = ring.read(0, 10_000).flatMap((one) => (one.type === 'envelope' ? [one] : []))
  const corrs = new Set(all.toReversed().map(({ envelope }) => envelope.corr))
  return [...corrs].map((corr) => {
    const own = all.filter(({ envelope }) => envelope.corr === corr)
    const facts = own.map(({ envelope }) => envelope)
    const isOpen = (task: EnvelopeFacts): boolean =>
      task.type === 'task' &&
      !facts.some(
        ({ type, replyTo, from, to }) =>
          (type === 'result' || type === 'error') &&
          replyTo === task.id &&
          (task.to.startsWith('bus.') || (from === task.to && to === task.from)),
      )
    return {
      corr,
      firstAtMs: own[0]?.acceptedAtMs ?? 0,
      lastAtMs: own.at(-1)?.acceptedAtMs ?? 0,
      envelopes: own.length,
      participants: [...new Set(facts.flatMap(({ from, to }) => [from, to]))],
      intent: facts[0]?.intent ?? '',
      openTasks: facts.filter(isOpen).length,
      lastType: facts.at(-1)?.type ?? 'task',
    }
  })
}

const corrsOf = ({ items }: Pick<ThreadListPage, 'items'>): readonly string[] => items.map(({ corr }) => corr)

describe.each(RING_MAKERS)('$name', ({ make }) => {
  test('the workflow that was heard of last comes first, with what holds of all of it, and frames are none (W-5)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const back = { from: 'agent.b', to: 'agent.a' }
    const items = [
      retainedEnvelope({ id: 'task-0001', intent: 'ops.backup.check' }),
      retainedEnvelope({ corr: 'corr-two', type: 'event', intent: 'ops.seen' }),
      retained(),
      retainedEnvelope({ id: 'task-0002', acceptedAtMs: NOON_MS + 500, to: 'agent.c', intent: 'x.y.z' }),
      retainedEnvelope({ type: 'result', replyTo: 'task-0001', acceptedAtMs: NOON_MS + 900, ...back }),
      retained(),
    ]
    for (const item of items) ring.append([item])

    expect(await pageOf(ring)).toEqual({
      items: [
        {
          corr: 'corr-one',
          firstAtMs: NOON_MS,
          lastAtMs: NOON_MS + 900,
          envelopes: 3,
          participants: ['agent.a', 'agent.b', 'agent.c'],
          intent: 'ops.backup.check',
          openTasks: 1,
          lastType: 'result',
        },
        expect.objectContaining({ corr: 'corr-two', openTasks: 0, lastType: 'event' }),
      ],
      nextSeq: undefined,
    })
    expect(corrsOf(await pageOf(ring, { onlyOpen: true }))).toEqual(['corr-one'])
    ring.close()
  })

  test('in pages of any size the list is the same as by a look at everything, open ones alone too (W-5, AEE-024)', async () => {
    const entity = fc.constantFrom('agent.a', 'agent.b', 'bus.ops')
    const draft = fc.record({
      corr: fc.constantFrom('corr-one', 'corr-two', 'corr-three', 'corr-four', undefined),
      type: fc.constantFrom('task', 'result', 'error', 'stream' as const),
      from: entity,
      to: entity,
      replyTo: fc.nat(24),
      isForgotten: fc.nat(9).map((n) => n === 0),
    })
    const property = fc.asyncProperty(
      fc.array(draft, { maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (drafts, limit) => {
        await using dir = await createTempDir()
        const ring = await make(dir)
        for (const [i, { corr, replyTo, isForgotten: _, ...facts }] of drafts.entries()) {
          const id = `envelope-${i}`
          const wish = { ...facts, id, replyTo: `envelope-${replyTo}`, acceptedAtMs: NOON_MS + i }
          ring.append([corr === undefined ? retained() : retainedEnvelope({ ...wish, corr })])
        }
        for (const [i, { isForgotten }] of drafts.entries()) {
          if (isForgotten) forgetAll(ring, { key: `aee:envelope-${i}` })
        }
        const whole = listOf(ring)

        expect(await allOf(ring, { limit })).toEqual(whole)
        expect(await allOf(ring, { limit, onlyOpen: true })).toEqual(
          whole.filter(({ openTasks }) => openTasks > 0),
        )
        ring.close()
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })

  test('one that grows while somebody pages comes to the front, and is on no later page (W-5)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    for (const corr of ['corr-one', 'corr-two', 'corr-three']) ring.append([retainedEnvelope({ corr })])

    const first = await pageOf(ring, { limit: 1 })
    ring.append([retainedEnvelope({ corr: 'corr-one' })])

    expect(corrsOf(first)).toEqual(['corr-three'])
    expect(corrsOf(await pageOf(ring, { beforeSeq: first.nextSeq }))).toEqual(['corr-two'])
    expect(corrsOf(await pageOf(ring))).toEqual(['corr-one', 'corr-three', 'corr-two'])
    ring.close()
  })

  test('a long ring is looked over in steps, and whoever has gone is not answered (HD-10, HD-11)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    const turn = Array.from({ length: 2_000 }, (_, i) => retainedEnvelope({ corr: `corr-${i % 4}` }))
    ring.append(turn)
    let steps = 0
    const page = await pageOf(ring, {}, () => void (steps += 1))
    const gone: Asker = { connection: {}, isGone: true, holds: () => {} }

    expect(page.items.map(({ envelopes }) => envelopes)).toEqual([500, 500, 500, 500])
    expect(steps).toBeGreaterThan(8)
    await expect(pageOf(ring, { asker: gone })).rejects.toMatchObject({ code: 'closing' })
    ring.close()
  })

  test('a page is full by the names it holds, a workflow names so many of whoever is in it, and all names that wait are told (R-36)', async () => {
    await using dir = await createTempDir()
    const ring = await make(dir)
    for (const n of [1, 2, 3]) ring.append([retainedEnvelope({ corr: `${n}${'x'.repeat(600_000)}` })])
    for (let i = 0; i < 70; i += 1) {
      ring.append([retainedEnvelope({ corr: 'corr-many', from: `agent.n${i}`, to: 'y'.repeat(4_100) })])
    }
    const held: number[] = []
    const asker: Asker = { connection: {}, isGone: false, holds: (octets) => void held.push(octets) }

    const [first, second] = [await pageOf(ring, { asker, limit: 3 }), await pageOf(ring)]
    const rest = await pageOf(ring, { beforeSeq: second.nextSeq })

    expect(corrsOf(first)[0]).toBe('corr-many')
    expect(first.items[0]?.participants).toHaveLength(64)
    expect(corrsOf(second).map((corr) => corr[0])).toEqual(['c', '3', '2'])
    expect(corrsOf(rest).map((corr) => corr[0])).toEqual(['1'])
    expect(Math.max(...held)).toBeGreaterThan(1_200_000)
    ring.close()
  })
})
