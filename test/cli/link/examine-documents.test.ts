/**
 * What the doctor finds of the documents that a link to others goes by (FED-40, FED-56, FED-57).
 */
import { describe, expect, test } from 'vitest'
import { formatDocument } from '../../../src/authority/document.ts'
import { examineAccord, examineCharter } from '../../../src/cli/link/examine-charter.ts'
import { MAX_LANES } from '../../../src/link/audience.ts'
import type { LinkFile } from '../../../src/link/link-file.ts'
import { notesOn } from '../../../src/runtimes/doctor/finding.ts'
import { accordOf } from '../../authority/accords.ts'
import { NOW_MS, keyFor, signedCharter, type CharterWish } from '../../authority/documents.ts'

const NOTES = notesOn('links')
const ACME = keyFor('~acme')
const DAY_MS = 86_400_000

const at = (days: number): string => new Date(NOW_MS + days * DAY_MS).toISOString()

/** Of a link of `~alice` to an organisation whose charter is this one. */
function found(wish: CharterWish): readonly string[] {
  const charter = signedCharter(ACME, wish)
  const file: LinkFile = {
    type: 'agentd.link',
    v: 1,
    realm: 'o.acme',
    handle: '~alice',
    node: 'laptop',
    urls: ['nats://192.168.1.10:4222'],
    ca: 'PEM',
    domain: null,
    trust_network: false,
    credential: { nkey: 'SU' },
    node_key: '',
    estate_key: '',
    estate: '{}',
    org_key: ACME.publicFields()?.public ?? '',
    charter: formatDocument(charter),
    since_ms: 0,
    added_at_ms: 0,
  }
  return examineCharter({ name: 'acme', file }, () => charter, NOW_MS, NOTES).map(
    ({ state, sentence }) => `${state}: ${sentence}`,
  )
}

const members = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ handle: i === 0 ? '~alice' : `~m${i}`, roles: ['dev'] }))

const accordOn = (notAfter: string) => accordOf({ acme: ACME, globex: keyFor('~globex') }, { notAfter })

const examined = (accord: ReturnType<typeof accordOn> | undefined, realm = 'a.0123456789abcdef') =>
  examineAccord({ name: 'globex', realm }, accord, NOW_MS, NOTES).map(
    ({ state, sentence }) => `${state}: ${sentence}`,
  )

describe('a charter', () => {
  test('that names no more roles and members than a link has lanes for is in order, and one more is told', () => {
    expect(found({ members: members(MAX_LANES - 2) })).toEqual([])
    expect(found({ members: members(MAX_LANES - 1) })).toEqual([
      expect.stringMatching(
        /^warn: The charter of ~acme names 1 roles and 255 members, and a link writes for 255 of them: what is for the last 1 alone/,
      ),
    ])
  })

  test('that ends within 14 days is named, and one that ends a day later is not', () => {
    expect(found({ notAfter: at(15) })).toEqual([])
    expect(found({ notAfter: at(14) })).toEqual([
      'warn: The charter of ~acme ends in 14d; whoever keeps it signs another one.',
    ])
  })
})

describe('an accord', () => {
  test('that is not here is told, of a link under one alone', () => {
    expect(examined(undefined, 'p.alice')).toEqual([])
    expect(examined(undefined)).toEqual([
      expect.stringMatching(/^fail: The accord of "globex" is not on this/),
    ])
  })

  test('that ends within 14 days is named, or has ended', () => {
    expect(examined(accordOn(at(15)))).toEqual([])
    expect(examined(accordOn(at(2)))).toEqual([
      'warn: The accord between ~acme and ~globex ends in 2d; both sides sign another one.',
    ])
    expect(examined(accordOn(at(-1)))).toEqual([expect.stringContaining('has ended')])
  })
})
