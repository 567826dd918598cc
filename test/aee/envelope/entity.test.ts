/**
 * Entities and the suggestions for a mistyped one (AEE-032…AEE-034, AEQ-20, AEQ-21).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SERVICE_ENTITY, isChannel, isEntity, isHuman, nearNames } from '../../../src/aee/envelope/entity.ts'

test('a channel is bus.<name>, and nothing else is (AEQ-20)', () => {
  for (const entity of ['bus.ops', 'bus.a', 'bus..', 'bus.*']) expect(isChannel(entity), entity).toBe(true)
  for (const entity of ['bus', 'bus.', 'Bus.ops', 'agent.bus.ops', ' bus.ops', 'busy.ops', '']) {
    expect(isChannel(entity), entity).toBe(false)
  }
})

test('a person is human.<name>, and nobody else is (AEQ-21)', () => {
  for (const entity of ['human.adam', 'human.*']) expect(isHuman(entity), entity).toBe(true)
  for (const entity of ['human', 'human.', 'Human.adam', 'agent.human.adam', 'humans.adam']) {
    expect(isHuman(entity), entity).toBe(false)
  }
})

describe('a name to register under', () => {
  test.each([
    'a',
    'agent.x',
    'agent.*',
    'no type at all',
    'agent.müller',
    '😀',
    'x'.repeat(256),
    SERVICE_ENTITY,
  ])('may be any one-line text: %s (AEE-032)', (text) => {
    expect(isEntity(text)).toBe(true)
  })

  test.each(['', '\n', 'agent.a\r', 'a\0b', 'a\u001bb', 'a\u007f', 'a\u0085b', '\uD800', 'agent.\uDC00x'])(
    'is never %j',
    (text) => {
      expect(isEntity(text)).toBe(false)
    },
  )

  test('is bounded in octets, not in characters', () => {
    expect(isEntity('é'.repeat(128))).toBe(true)
    expect(isEntity(`${'é'.repeat(128)}x`)).toBe(false)
    expect(isEntity('x'.repeat(257))).toBe(false)
  })
})

function* endlessNames(): Generator<string> {
  for (;;) yield 'service.somebody'
}

describe('names near a mistyped one', () => {
  const KNOWN = [
    'agent.reviewer',
    'agent.router',
    'service.billing',
    'human.adam',
    'agent.backup_auditor',
    'bus.ops',
  ]

  test.each([
    ['agent.reviewr', 'agent.reviewer'],
    ['agent.reveiwer', 'agent.reviewer'],
    ['agent.revewerr', 'agent.reviewer'],
    ['agents.reviewer', 'agent.reviewer'],
    ['AGENT.Reviewer', 'agent.reviewer'],
    ['agent.backup', 'agent.backup_auditor'],
    ['agent.backup_auditor.eu', 'agent.backup_auditor'],
    ['service.biling', 'service.billing'],
    ['human.Adam', 'human.adam'],
    ['bus.opps', 'bus.ops'],
    ['reviewer', 'agent.reviewer'],
    ['service.reviewer', 'agent.reviewer'],
    ['agent.backup_checker', 'agent.backup_auditor'],
    ['agent.re', 'agent.reviewer'],
  ])('%s is near %s', (wanted, name) => {
    expect(nearNames(wanted, KNOWN)[0]).toBe(name)
  })

  test.each(['agent.', 'agent.planner', 'agent.zz', 'x', '', 'service.', 'bus.security', 'human.eve'])(
    '%j is near none of them',
    (wanted) => {
      expect(nearNames(wanted, KNOWN)).toEqual([])
    },
  )

  test('come closest first, and equally close ones by name', () => {
    const known = ['agent.worker_two', 'agent.workers', 'agent.Worker1', 'agent.workar', 'agent.workera']

    expect(nearNames('agent.worker1', known, 10)).toEqual([
      'agent.Worker1',
      'agent.workera',
      'agent.workers',
      'agent.workar',
      'agent.worker_two',
    ])
    expect(nearNames('agent.worker1', known, 1)).toEqual(['agent.Worker1'])
    expect(nearNames('agent.worker1', known)).toHaveLength(3)
  })

  test('never hold the name itself, nor one name twice', () => {
    expect(nearNames('agent.a1', ['agent.a1', 'agent.a2', 'agent.a2'])).toEqual(['agent.a2'])
  })

  test('are looked for among a thousand, and names over 64 characters are passed over', () => {
    const strangers = Array.from({ length: 1_000 }, (_, at) => `service.${at}.unrelated`)
    expect(nearNames('agent.reviewr', [...strangers.slice(1), 'agent.reviewer'])).toEqual(['agent.reviewer'])
    expect(nearNames('agent.reviewr', [...strangers, 'agent.reviewer'])).toEqual([])
    expect(nearNames('agent.reviewr', endlessNames())).toEqual([])
    expect(nearNames('x'.repeat(65), ['x'.repeat(64)])).toEqual([])
    expect(nearNames('x'.repeat(64), ['x'.repeat(63), 'x'.repeat(65)])).toEqual(['x'.repeat(63)])
  })

  test('hold every known name that is one letter away, of any name of three letters or more', () => {
    const name = fc
      .string({ unit: 'grapheme-ascii', minLength: 3, maxLength: 60 })
      .map((text) => text.toLowerCase())
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('insert', 'delete', 'replace'), (known, seed, edit) => {
        const at = seed % known.length
        const put = edit === 'delete' ? '' : '§'
        const wanted = known.slice(0, at) + put + known.slice(edit === 'insert' ? at : at + 1)
        expect(nearNames(wanted, ['agent.other', known])).toContain(known)
      }),
    )
  })
})
