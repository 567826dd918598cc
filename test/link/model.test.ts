/**
 * The link as a whole, against an oracle: what `src/link` decides, with an engine that compares and sets, and everything that
 * may be cut, crash, be trimmed, be rewound or be revoked in between (FED-05, FED-20…FED-28, FED-43).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { World, type Event } from './model/world.ts'

const who = fc.nat({ max: 2 })
const count = fc.integer({ min: 1, max: 4 })

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('submit' as const), who, count }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('write' as const),
      who,
      count,
      passage: fc.constantFrom(
        'arrives' as const,
        'arrives' as const,
        'is-lost' as const,
        'loses-its-answer' as const,
      ),
    }),
  },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('read' as const), who, count }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'trim-ring' as const,
        'sync' as const,
        'sync' as const,
        'lose-power' as const,
        'disconnect' as const,
      ),
      who,
      count,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'trim-stream' as const,
        'back-up' as const,
        'rewind' as const,
        'lose-disk' as const,
      ),
      count,
    }),
  },
)

/** As above, and a machine may be taken out. */
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 40, arbitrary: event },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('revoke' as const), who, count }) },
)

/** What a hub alone does, where no machine loses anything. */
const OF_A_HUB: ReadonlySet<Event['does']> = new Set([
  'submit',
  'write',
  'read',
  'sync',
  'disconnect',
  'back-up',
  'rewind',
  'lose-disk',
])

/** @returns how many things have happened */
function run(events: readonly Event[]): number {
  const world = new World()
  for (const one of events) world.happen(one)
  world.settle()
  return events.length
}

test('nothing twice, nothing out of order, nothing lost in silence, through 10 000 events and more (FED-05, FED-28)', () => {
  let events = 0
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 20, maxLength: 120, size: 'max' }), (list) => {
      events += run(list)
    }),
    { numRuns: 300 },
  )

  expect(events).toBeGreaterThan(10_000)
})

test('a hub that is cut, lost or rewound loses nothing, and no hole is told (FED-21, FED-23, FED-26)', () => {
  let events = 0
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 120, size: 'max' }), (list) => {
      events += run(list.filter(({ does }) => OF_A_HUB.has(does)))
    }),
    { numRuns: 300 },
  )

  expect(events).toBeGreaterThan(10_000)
})
