/**
 * The order of cause and effect (AEE-C11, AEE-C12, draft-cowles-aee-00 §5.3).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { causalOrder, linesOf, toForest, type ThreadEdge } from '../../../src/aee/thread/thread.ts'
import { AOCL_TRACE } from '../samples.ts'

function link(seq: number, id: string, replyTo: string | null = null): ThreadEdge {
  return { seq, id, replyTo }
}

function idsOf(links: readonly ThreadEdge[]): string {
  return links.map(({ id }) => id).join(' ')
}

/** The forest as people would draw it: a dash for each level. */
function draw(links: readonly ThreadEdge[]): string {
  return [...linesOf(toForest(links))].map(({ item, depth }) => `${'-'.repeat(depth)}${item.id}`).join(' ')
}

test('envelopes that came in order stay in order (AEE-C12)', () => {
  const links = AOCL_TRACE.map(({ id, reply_to: replyTo }, seq) => ({ seq, id, replyTo }))

  expect(causalOrder(links)).toEqual(links)
  expect(causalOrder(links.toReversed())).toEqual(links)
  expect(draw(links)).toBe(
    'aocl-request-0001 -aocl-policy-0001 -aocl-delegate-0001 -aocl-progress-0001 -aocl-result-0001',
  )
})

test('an answer that came before its question waits for it, and nobody else does', () => {
  const links = [link(1, 'answer', 'question'), link(2, 'other'), link(3, 'question'), link(4, 'last')]

  expect(idsOf(causalOrder(links))).toBe('other question answer last')
  expect(draw(links)).toBe('other question -answer last')
})

test('a chain that came backwards is turned round', () => {
  const links = [link(1, 'd', 'c'), link(2, 'c', 'b'), link(3, 'b', 'a'), link(4, 'a')]

  expect(idsOf(causalOrder(links))).toBe('a b c d')
  expect(draw(links)).toBe('a -b --c ---d')
})

test('an answer to what is not there stands by itself', () => {
  expect(idsOf(causalOrder([link(2, 'b', 'elsewhere'), link(1, 'a')]))).toBe('a b')
  expect(draw([link(2, 'b', 'elsewhere'), link(1, 'a')])).toBe('a b')
})

test('of two envelopes with one id, the earlier is the one that is answered', () => {
  const links = [link(3, 'twice'), link(1, 'twice'), link(2, 'answer', 'twice')]

  expect(causalOrder(links).map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect(draw(links)).toBe('twice -answer twice')
})

describe('a ring of answers', () => {
  test('of one is no answer at all', () => {
    expect(idsOf(causalOrder([link(1, 'a', 'a'), link(2, 'b', 'a')]))).toBe('a b')
    expect(draw([link(1, 'a', 'a'), link(2, 'b', 'a')])).toBe('a -b')
  })

  test('begins with its earliest, and what hangs on it follows', () => {
    const links = [
      link(0, 'tail', 'c'),
      link(1, 'b', 'a'),
      link(2, 'a', 'c'),
      link(3, 'c', 'b'),
      link(4, 'z'),
    ]

    expect(idsOf(causalOrder(links))).toBe('b c tail a z')
    expect(draw(links)).toBe('b -c --tail --a z')
  })
})

test('nothing at all is in order', () => {
  expect(causalOrder([])).toEqual([])
  expect(toForest([])).toEqual([])
})

/** The envelope that another answers, as the contract has it: the earliest of that id. */
function parentOf(all: readonly ThreadEdge[], { replyTo }: ThreadEdge): ThreadEdge | undefined {
  return all.filter(({ id }) => id === replyTo).toSorted((a, b) => a.seq - b.seq)[0]
}

/** Whether following the answers from an envelope leads back to it. */
function isInRing(all: readonly ThreadEdge[], start: ThreadEdge): boolean {
  let at = parentOf(all, start)
  for (let steps = 0; at !== undefined && steps <= all.length; steps += 1) {
    if (at === start) return true
    at = parentOf(all, at)
  }
  return false
}

describe('any envelopes', () => {
  /** Any wiring of up to 40: rings, answers to nobody, ids that stand twice. */
  const links = fc.array(fc.tuple(fc.nat(30), fc.option(fc.nat(35))), { maxLength: 40 }).chain((rows) =>
    fc.shuffledSubarray(
      rows.map(([id, replyTo], seq) => link(seq, `id-${id}`, replyTo === null ? null : `id-${replyTo}`)),
      { minLength: rows.length },
    ),
  )

  test('come out as they went in, each once, whatever order they went in', () => {
    fc.assert(
      fc.property(links, (all) => {
        const ordered = causalOrder(all)
        expect(ordered.toSorted((a, b) => a.seq - b.seq)).toEqual(all.toSorted((a, b) => a.seq - b.seq))
        expect(causalOrder(all.toReversed())).toEqual(ordered)
        const lines = [...linesOf(toForest(all))].map(({ item }) => item)
        expect(new Set(lines)).toEqual(new Set(all))
        expect(lines).toHaveLength(all.length)
      }),
    )
  })

  test('come after what they answer, unless they are in a ring', () => {
    fc.assert(
      fc.property(links, (all) => {
        const places = new Map(causalOrder(all).map((item, place) => [item, place]))
        for (const item of all) {
          const parent = parentOf(all, item)
          if (parent === undefined || isInRing(all, item)) continue
          expect(places.get(parent)!).toBeLessThan(places.get(item)!)
        }
      }),
    )
  })

  test('come by sequence where the answers leave a choice', () => {
    fc.assert(
      fc.property(links, (all) => {
        const ordered = causalOrder(all)
        for (const [place, item] of ordered.entries()) {
          const done = new Set(ordered.slice(0, place))
          const ready = all.filter((other) => {
            const parent = parentOf(all, other)
            return !done.has(other) && (parent === undefined || done.has(parent))
          })
          // With nothing ready, a ring has to be broken into.
          if (ready.length === 0) expect(isInRing(all, item)).toBe(true)
          else if (!isInRing(all, item)) expect(item.seq).toBe(Math.min(...ready.map(({ seq }) => seq)))
        }
      }),
    )
  })

  test('hang under what they answer, siblings and roots by sequence', () => {
    fc.assert(
      fc.property(links, (all) => {
        const walk = (nodes: ReturnType<typeof toForest>, parent: ThreadEdge | undefined): void => {
          const seqs = nodes.map(({ item }) => item.seq)
          expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
          for (const { item, children } of nodes) {
            if (parent !== undefined || !isInRing(all, item)) expect(parentOf(all, item)).toBe(parent)
            walk(children, item)
          }
        }
        walk(toForest(all), undefined)
      }),
    )
  })
})

function id(at: number): string {
  return `envelope-${at}`
}

describe('ten thousand envelopes', () => {
  const COUNT = 10_000
  const chain = Array.from({ length: COUNT }, (_, at) =>
    link(COUNT - at, id(at), at === 0 ? null : id(at - 1)),
  )
  const star = Array.from({ length: COUNT }, (_, at) => link(COUNT - at, id(at), at === 0 ? null : id(0)))
  const ring = Array.from({ length: COUNT }, (_, at) => link(at, id(at), id((at + 1) % COUNT)))

  test('in one chain, accepted backwards, are put in order and drawn', () => {
    expect(causalOrder(chain)).toEqual(chain)
    const lines = [...linesOf(toForest(chain))]
    expect(lines).toHaveLength(COUNT)
    expect(lines.at(-1)).toEqual({ item: chain.at(-1), depth: COUNT - 1 })
  })

  test('around one question, accepted before it, are put in order and drawn', () => {
    expect(causalOrder(star)).toEqual([star[0], ...star.slice(1).toReversed()])
    expect(toForest(star)).toHaveLength(1)
    expect(toForest(star)[0]?.children).toHaveLength(COUNT - 1)
  })

  test('in one ring are broken into at the earliest', () => {
    expect(causalOrder(ring)).toEqual([ring[0], ...ring.slice(1).toReversed()])
    expect([...linesOf(toForest(ring))].at(-1)).toEqual({ item: ring[1], depth: COUNT - 1 })
  })
})
