/**
 * Which grant of which accord a frame is sent under (FED-57; AC-126, AC-127).
 */
import { describe, expect, test } from 'vitest'
import { ACCORD, accordMembers, type Accord } from '../../src/authority/accord.ts'
import { Roll } from '../../src/authority/charter.ts'
import { draftDocument, type SignedDocument } from '../../src/authority/document.ts'
import type { Grant } from '../../src/authority/grant.ts'
import { findGrant, type Passage } from '../../src/authority/granting.ts'
import { grantOf } from './accords.ts'
import { NOW_MS, keyFor } from './documents.ts'

const KEY = keyFor('~acme').publicFields()?.public ?? ''
const ROLLS = new Map(
  [
    ['~acme', '~alice'],
    ['~initech', '~alice'],
    ['~umbrella', '~carol'],
    ['~globex', '~bob'],
  ].map(([org = '', handle = '']) => [org, new Roll({ org, members: [{ handle, roles: ['support'] }] })]),
)
const PASSAGE: Passage = { org: '~globex', grant: 'support', actor: '~alice', kind: 'agent_query' }

/** An accord of somebody with `~globex`; who signed it is not judged here. */
function accordWith(from: string, wish: Partial<Grant> = {}, notAfter = '2999-01-01T00:00:00Z') {
  const parties = [
    { org: from, key: KEY },
    { org: '~globex', key: KEY },
  ] as const
  const members = accordMembers({ parties, grants: [grantOf({ from, ...wish })] })
  return draftDocument(ACCORD, { ...members, authority_epoch: 1, not_after: notAfter })
}

function found(accords: readonly SignedDocument<Accord>[], passage: Partial<Passage> = {}) {
  const by = { accords, rollOf: (org: string) => ROLLS.get(org), nowMs: NOW_MS }
  const one = findGrant({ ...PASSAGE, ...passage }, by)
  return typeof one === 'string' ? one : `${one.name}: ${[...one.handles].join()}`
}

describe('several accords with the one who is to be reached', () => {
  const none = accordWith('~acme', { kinds: ['agent_advisory'] })
  const over = accordWith('~acme', {}, '2020-01-01T00:00:00Z')

  test('the first that admits the frame is taken, whatever the others before it refuse (FED-57)', () => {
    const grant = accordWith('~initech')

    for (const before of [
      [],
      [none],
      [over],
      [accordWith('~umbrella')],
      [accordWith('~acme', { grant: 'other' })],
    ])
      expect(found([...before, grant])).toBe('globex_initech ~initech support: ~bob')
    expect(found([accordWith('~acme'), grant])).toBe('acme_globex ~acme support: ~bob')
  })

  test('where none does, the reason is of the one that comes closest, in whatever order they stand (FED-57)', () => {
    const why = '"support" grants agent_advisory, and no agent_query.'
    const foreign = accordWith('~umbrella')

    expect([found([none, foreign]), found([foreign, none])]).toEqual([why, why])
    expect([found([over, foreign]), found([foreign, over])]).toEqual(
      Array(2).fill('~alice is no member of ~umbrella, to which "support" is granted.'),
    )
  })

  test('one with somebody else is no way there, nor is a grant of the other direction (AC-126, AC-127)', () => {
    const back = accordWith('~acme', { from: '~globex', to: '~acme' })

    expect(found([none], { org: '~hooli' })).toBe('There is no accord with ~hooli here.')
    expect(found([back])).toBe('The accord between ~acme and ~globex grants no "support" to reach ~globex.')
    expect(found([back], { org: '~acme', actor: '~bob' })).toBe('acme_globex ~globex support: ~alice')
  })

  test('a member who is no member any more is reached by none of them (FED-57)', () => {
    expect(found([accordWith('~acme', { reach: ['member:~bob', 'member:~gone'] })])).toMatch(/: ~bob$/)
  })
})
