/**
 * A workflow read back: in the order of cause and effect, page by page, whatever happens in between
 * (AEE-012, AEE-C12; docs/http.md §9).
 */
import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { MemoryRing } from '../../../src/broker/ring/memory/memory-ring.ts'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import type { Ring } from '../../../src/broker/ring/ring.ts'
import { STEP_ENVELOPES, STEP_LINKS, Threads, type ThreadPage } from '../../../src/broker/ring/thread.ts'
import { Background, OWN_WORK } from '../../../src/broker/ring/background.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { ROOMY, forgetAll, retainedEnvelope, type EnvelopeWish } from '../../support/rings.ts'
import { Workbench } from '../workbench.ts'

const CORR = 'corr-one'

function ringOf(wishes: readonly EnvelopeWish[], epoch = 'e1'): MemoryRing {
  const ring = new MemoryRing(epoch, ROOMY)
  for (const wish of wishes) ring.append([retainedEnvelope({ corr: CORR, ...wish })])
  return ring
}

/** Reads pages, with the steps of each in the test's hand. */
class Reading {
  readonly #steps: (() => void)[] = []
  readonly #background = new Background(new FakeClock(), (step) => void this.#steps.push(step))

  begin(ring: Ring, wish: { afterSeq?: number; limit?: number } = {}): Promise<ThreadPage<Retained>> {
    const { afterSeq, limit = 1_000 } = wish
    return new Threads(ring, this.#background).page(
      { corr: CORR, afterSeq, limit, asker: OWN_WORK },
      (retained) => retained,
    )
  }

  /** @returns whether there was one */
  step(): boolean {
    const step = this.#steps.shift()
    step?.()
    return step !== undefined
  }

  /** So many steps; between two the reading hears of what the first came to. */
  async steps(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.step()
      await settled()
    }
  }

  /** Steps until a reading is done, and how many that took. */
  async finish<T>(reading: Promise<T>): Promise<{ page: T; steps: number }> {
    const state = { isDone: false }
    const page = reading.finally(() => {
      state.isDone = true
    })
    let steps = 0
    for (; !state.isDone; await settled()) if (this.step()) steps += 1
    return { page: await page, steps }
  }

  async page(ring: Ring, wish?: { afterSeq?: number; limit?: number }): Promise<ThreadPage<Retained>> {
    return (await this.finish(this.begin(ring, wish))).page
  }

  /** Every page, one after the other. */
  async all(ring: Ring, limit: number, between: (page: number) => void = () => {}): Promise<Retained[]> {
    const items: Retained[] = []
    let page = await this.page(ring, { limit })
    for (let i = 0; ; i += 1) {
      items.push(...page.items)
      if (page.nextSeq === undefined) return items
      if (page.items.length !== limit) throw new Error('a page that is not full says that there is more')
      between(i)
      page = await this.page(ring, { limit, afterSeq: page.nextSeq })
    }
  }
}

/** Everything that promises had still to tell has been told. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function idsOf(items: readonly Retained[]): readonly string[] {
  return items.map(({ envelope }) => envelope?.id ?? '')
}

/** So many envelopes in one line, each answering the one before. */
function chain(count: number): EnvelopeWish[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `link-${i}`,
    replyTo: i === 0 ? null : `link-${i - 1}`,
  }))
}

test('the envelopes of a workflow come in the order they were accepted, and no others (AEE-C12)', async () => {
  const ring = ringOf([
    ...chain(3),
    { id: 'other-01', corr: 'corr-two' },
    { id: 'link-3', replyTo: 'other-01' },
  ])

  const { items, nextSeq } = await new Reading().page(ring)

  expect(idsOf(items)).toEqual(['link-0', 'link-1', 'link-2', 'link-3'])
  expect(nextSeq).toBeUndefined()
})

test('a workflow nobody knows is an empty page', async () => {
  expect(await new Reading().page(ringOf([{ corr: 'corr-two' }]))).toEqual({ items: [], nextSeq: undefined })
})

test('an answer that was accepted before its question comes after it', async () => {
  const ring = ringOf([
    { id: 'result-01', type: 'result', replyTo: 'task-0001' },
    { id: 'event-001', type: 'event' },
    { id: 'refute-01', replyTo: 'result-01' },
    { id: 'task-0001' },
    { id: 'result-02', type: 'result', replyTo: 'task-0001' },
  ])

  expect(idsOf((await new Reading().page(ring)).items)).toEqual([
    'event-001',
    'task-0001',
    'result-01',
    'refute-01',
    'result-02',
  ])
})

test('envelopes that answer themselves or each other are all there, once', async () => {
  const ring = ringOf([
    { id: 'self-0001', replyTo: 'self-0001' },
    { id: 'ring-0001', replyTo: 'ring-0002' },
    { id: 'ring-0002', replyTo: 'ring-0001' },
    { id: 'orphan-01', replyTo: 'never-was' },
  ])

  expect(idsOf((await new Reading().page(ring)).items).toSorted()).toEqual([
    'orphan-01',
    'ring-0001',
    'ring-0002',
    'self-0001',
  ])
})

test('in pages of any size a workflow is the same as in one, whatever answers what', async () => {
  const link = fc.record({ replyTo: fc.option(fc.nat(30)), isOther: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(link, { maxLength: 30 }),
      fc.integer({ min: 1, max: 12 }),
      async (links, limit) => {
        const ring = ringOf(
          links.map(({ replyTo, isOther }, i) => ({
            id: `link-${i}`,
            replyTo: replyTo === null ? null : `link-${replyTo}`,
            ...(isOther && { corr: 'corr-two' }),
          })),
        )
        const reading = new Reading()
        const whole = idsOf((await reading.page(ring)).items)

        expect(idsOf(await reading.all(ring, limit))).toEqual(whole)
        expect(whole.toSorted()).toEqual(
          links.flatMap(({ isOther }, i) => (isOther ? [] : [`link-${i}`])).toSorted(),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('a page that ends with the workflow has no next, and a place that is not of it has nothing behind it', async () => {
  const ring = ringOf([...chain(4), { corr: 'corr-two' }])
  const reading = new Reading()

  expect((await reading.page(ring, { limit: 4 })).nextSeq).toBeUndefined()
  expect((await reading.page(ring, { limit: 3 })).nextSeq).toBe(3)
  expect(await reading.page(ring, { limit: 3, afterSeq: 4 })).toEqual({ items: [], nextSeq: undefined })
  expect((await reading.page(ring, { limit: 3, afterSeq: 999 })).items).toEqual([])
})

test('a page of a workflow is full by its size too (R-36)', async () => {
  const large = JSON.stringify('x'.repeat(1024 * 1024 - 2))
  const ring = ringOf(Array.from({ length: 20 }, (_, i) => ({ id: `large-${i}`, text: large })))
  const reading = new Reading()
  const page = await reading.page(ring)

  expect(page.items).toHaveLength(16)
  expect(idsOf((await reading.page(ring, { afterSeq: page.nextSeq ?? 0 })).items)).toEqual([
    'large-16',
    'large-17',
    'large-18',
    'large-19',
  ])
})

test('no step of a long workflow reads more than others may wait for, of links or of envelopes (R-36)', async () => {
  const count = 10 * STEP_LINKS + 1
  const ring = ringOf(chain(count))
  const [links, envelopes] = [vi.spyOn(ring, 'thread'), vi.spyOn(ring, 'get')]
  const reading = new Reading()
  const read = reading.begin(ring)
  const most = { links: 0, envelopes: 0 }
  const state = { isDone: false }
  void read.finally(() => (state.isDone = true))
  for (; !state.isDone; await settled()) {
    links.mockClear()
    envelopes.mockClear()
    reading.step()
    const found = links.mock.results.reduce((sum, { value }) => sum + value.length, 0)
    most.links = Math.max(most.links, found)
    most.envelopes = Math.max(most.envelopes, envelopes.mock.calls.length)
  }

  expect((await read).items).toHaveLength(count)
  expect(most).toEqual({ links: STEP_LINKS, envelopes: STEP_ENVELOPES })
})

test('what is forgotten while a page is read is left out, and the page goes on behind it', async () => {
  const ring = ringOf(chain(300))
  const reading = new Reading()
  const read = reading.begin(ring, { limit: 250 })
  // The order of three hundred, and one step that reads.
  await reading.steps(Math.ceil(300 / STEP_LINKS) + 1)
  for (const i of [10, 100, 101, 299]) forgetAll(ring, { key: `aee:link-${i}` })

  const { items, nextSeq } = (await reading.finish(read)).page
  expect(items).toHaveLength(250)
  expect(idsOf(items)).not.toContain('link-100')
  expect(idsOf((await reading.page(ring, { afterSeq: nextSeq ?? 0 })).items)).toEqual(
    Array.from({ length: 47 }, (_, i) => `link-${252 + i}`),
  )
})

test('a place that was forgotten or trimmed between two pages hides nothing of what is still there', async () => {
  const ring = ringOf(chain(6))

  const items = await new Reading().all(ring, 2, (page) => {
    if (page === 0) forgetAll(ring, { key: 'aee:link-1' })
  })

  expect(idsOf(items)).toEqual(['link-0', 'link-1', 'link-2', 'link-3', 'link-4', 'link-5'])
})

test('a ring that begins anew while a page is read gives nothing of what others wrote into the same places', async () => {
  const before = ringOf(chain(200))
  const after = ringOf(
    Array.from({ length: 200 }, (_, i) => ({ id: `other-${i}`, corr: 'corr-two' })),
    'e2',
  )
  let current = before
  // As the ring on disk does it: the same object, another epoch.
  const ring: Ring = new Proxy(before, {
    get: (_target, name) => {
      const member: unknown = Reflect.get(current, name, current)
      return typeof member === 'function' ? member.bind(current) : member
    },
  })
  const reading = new Reading()
  const read = reading.begin(ring)
  await reading.steps(2)
  current = after

  const { items } = (await reading.finish(read)).page
  expect(idsOf(items).filter((id) => id.startsWith('other'))).toEqual([])
})

test('through the broker: task, streams, result and refutation of one workflow (AEE-C12)', async () => {
  const bench = new Workbench()
  const session = bench.session('cc', 'a', { entities: ['agent.a'] })
  bench.open(session)
  const task = { id: 'task-0001', corr: CORR, from: 'agent.a', to: 'bus.ops' }
  bench.tell(task, session)
  const answer = { ...task, from: 'agent.b', to: 'agent.a', reply_to: 'task-0001' }
  bench.tell({ ...answer, id: 'stream-01', type: 'stream' })
  bench.tell({ ...answer, id: 'result-01', type: 'result' })
  bench.tell({ ...answer, id: 'stream-02', type: 'stream' })
  const refutation = { id: 'result-01', reason: 'no' }
  const refute = { ...task, id: 'refute-01', to: 'service.agentd', intent: 'aee.context.refute' }
  bench.tell({ ...refute, payload: refutation, reply_to: 'result-01' }, session)
  await bench.serve()

  const request = { corr: CORR, afterSeq: undefined, limit: 10, asker: OWN_WORK }
  const read = bench.broker.threads.page(request, (retained) => retained)
  bench.turn()
  await settled()
  bench.turn()
  const { items } = await read

  expect(items.map(({ envelope }) => [envelope.type, envelope.isLate])).toEqual([
    ['task', false],
    ['stream', false],
    ['result', false],
    ['stream', true],
    ['task', false],
    ['result', false],
  ])
  expect(bench.ring.refutationsOf('result-01').map(({ envelope }) => envelope?.id)).toEqual(['refute-01'])
})
