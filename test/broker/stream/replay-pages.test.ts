/** A replay behind a filter reads what it shows, however much lies between (HD-12). */
import { expect, test, vi } from 'vitest'
import { MemoryRing } from '../../../src/broker/ring/memory/memory-ring.ts'
import { encodeRetained, type Retained } from '../../../src/broker/ring/retained.ts'
import { ReplayPages } from '../../../src/broker/stream/replay-pages.ts'
import { ReplayStart } from '../../../src/broker/stream/replay-start.ts'
import { parseFilter } from '../../../src/protocol/frame/filter.ts'
import { openRing, retained, ROOMY } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const RARE = 'agent_query'
const SHOWN = {
  shows: ({ kind }: Retained) => kind === RARE,
  search: { filter: parseFilter(`kind:${RARE}`), handle: undefined, withEnvelopes: true },
  encode: encodeRetained,
}

/** Three rare frames among so many. */
function frames(count: number): readonly Retained[] {
  const rareAt = [10, 500, count - 10]
  return Array.from({ length: count }, (_, i) =>
    retained({ text: '{}', ...(rareAt.includes(i) && { kind: RARE }) }),
  )
}

test('pages hold what the filter admits and come to the end of the ring, with nothing between them read', () => {
  const ring = new MemoryRing('e1', ROOMY)
  ring.append(frames(5_000))
  const ways = [vi.spyOn(ring, 'read'), vi.spyOn(ring, 'get')]
  const pages = new ReplayPages(ring, SHOWN)

  const first = pages.after(0)
  const last = pages.after(first.lastSeq)

  expect(first.text.match(/event: agent_frame/g)).toHaveLength(3)
  expect([first.lastSeq, last.text, last.lastSeq]).toEqual([4_991, '', 5_000])
  expect(ways.map(({ mock }) => mock.calls.length)).toEqual([0, 3])
})

test('the place where the newest so many begin is found by them alone', () => {
  const ring = new MemoryRing('e1', ROOMY)
  ring.append(frames(5_000))
  const readBack = vi.spyOn(ring, 'readBack')
  const start = new ReplayStart(ring, 2, SHOWN)

  expect([start.step(), readBack.mock.calls.length]).toEqual([500, 0])
})

test('what an earlier daemon left is learned before it is shown, and the reader keeps its place meanwhile', async () => {
  await using dir = await createTempDir()
  const before = await openRing(dir)
  before.append(frames(2_000))
  before.close()
  const ring = await openRing(dir)
  const pages = new ReplayPages(ring, SHOWN)

  const texts: string[] = []
  let place = 0
  while (place < ring.lastSeq) {
    const page = pages.after(place)
    texts.push(page.text)
    place = page.lastSeq
  }

  expect(texts.length).toBeGreaterThan(3)
  expect(texts.join('').match(/event: agent_frame/g)).toHaveLength(3)
  ring.close()
})
