/**
 * Which document counts (FED-40): the one that is there, or the last that was accepted.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeDocument, type DocumentTexts } from '../../src/authority/acceptance.ts'
import { CHARTER } from '../../src/authority/charter.ts'
import { formatDocument } from '../../src/authority/document.ts'
import { filesOf, judgeShelf, removalOf } from '../../src/authority/shelf.ts'
import { keysNaming } from '../../src/authority/signing.ts'
import { NOW_MS, keyFor, signedCharter, type CharterWish } from './documents.ts'

const KEY = keyFor('~acme')
const BY = { keys: keysNaming({ find: (kid) => (kid === KEY.kid ? KEY : undefined) }), nowMs: NOW_MS }

const charter = (wish: CharterWish): string => formatDocument(signedCharter(KEY, wish))
const BOB = [{ handle: '~bob', roles: [] }]

/** What counts, by its epoch and its first member, and why what is there does not. */
function judged(texts: DocumentTexts) {
  const { document, refusal, isNew } = judgeDocument(CHARTER, texts, BY)
  return {
    epoch: document?.authorityEpoch,
    first: document?.body.members[0]?.handle,
    why: refusal?.message,
    isNew,
  }
}

describe('taking the place of the last that was accepted', () => {
  test('a first one counts and is to be written down; read again it is no news (FED-40)', () => {
    const one = charter({})

    expect(judged({ current: one, accepted: undefined })).toEqual({
      epoch: 1,
      first: '~alice',
      why: undefined,
      isNew: true,
    })
    expect(judged({ current: one, accepted: one })).toMatchObject({ epoch: 1, isNew: false })
  })

  test('one of a higher epoch counts, one of a lower does not, for ever (FED-40)', () => {
    const [old, next] = [charter({ epoch: 4 }), charter({ epoch: 7, members: BOB })]

    expect(judged({ current: next, accepted: old })).toMatchObject({ epoch: 7, first: '~bob', isNew: true })
    expect(judged({ current: old, accepted: next })).toEqual({
      epoch: 7,
      first: '~bob',
      why: 'This charter has authority epoch 4, and epoch 7 was accepted before.',
      isNew: false,
    })
  })

  test('another one of the same epoch is refused, and the former one kept (FED-40)', () => {
    const texts = { current: charter({ members: BOB }), accepted: charter({}) }

    expect(judged(texts)).toMatchObject({
      epoch: 1,
      first: '~alice',
      why: expect.stringContaining('Another charter'),
    })
  })

  test('one that was changed after it was signed is refused, and the former one kept (FED-40)', () => {
    const current = charter({ epoch: 2 }).replace('~alice', '~mallory')

    expect(judged({ current, accepted: charter({}) })).toMatchObject({
      epoch: 1,
      first: '~alice',
      isNew: false,
    })
  })

  test('one that is over is refused, and the former one kept; one that ends later still counts (FED-40)', () => {
    const over = charter({ epoch: 2, notAfter: '2026-11-22T11:00:00Z' })

    expect(judged({ current: over, accepted: charter({}) })).toMatchObject({
      epoch: 1,
      why: 'This charter was in force until 2026-11-22T11:00:00.000Z.',
    })
    expect(judged({ current: over, accepted: over })).toMatchObject({ epoch: 2, why: undefined })
  })

  test('what is no charter at all leaves the former one (FED-40)', () => {
    expect(judged({ current: 'x', accepted: charter({}) })).toMatchObject({ epoch: 1 })
  })

  test('what was taken away counts no more, and what comes back must not be older (FED-40)', () => {
    const [old, next] = [charter({ epoch: 4 }), charter({ epoch: 5 })]

    expect(judged({ current: undefined, accepted: next })).toMatchObject({ epoch: undefined, why: undefined })
    expect(judged({ current: old, accepted: next }).why).toContain('epoch 5 was accepted before')
  })

  test('what was taken away stands in for nothing that comes to its place, until a newer one was accepted (FED-40)', () => {
    const [one, next] = [charter({ epoch: 4 }), charter({ epoch: 5 })]

    for (const current of ['x', charter({ epoch: 5 }).replace('~alice', '~mallory'), charter({ epoch: 3 })])
      expect(judged({ current, accepted: one, removedEpoch: 4 }).epoch).toBeUndefined()
    expect(judged({ current: one, accepted: one, removedEpoch: 4 })).toMatchObject({ epoch: 4, isNew: false })
    expect(judged({ current: 'x', accepted: next, removedEpoch: 4 })).toMatchObject({ epoch: 5 })
  })

  test('what is gone is told once, to be written down (FED-40)', () => {
    const gone = { current: undefined, accepted: charter({ epoch: 4 }) }

    expect(judgeDocument(CHARTER, gone, BY).goneEpoch).toBe(4)
    expect(judgeDocument(CHARTER, { ...gone, removedEpoch: 4 }, BY).goneEpoch).toBeUndefined()
    expect(judgeDocument(CHARTER, { ...gone, revokedEpoch: 4 }, BY).goneEpoch).toBeUndefined()
  })

  test('a former one whose key is trusted no more does not count in place of a bad one (FED-40)', () => {
    const nobody = { keys: { find: () => undefined }, nowMs: NOW_MS }

    const { document } = judgeDocument(
      CHARTER,
      { current: charter({ epoch: 2 }), accepted: charter({}) },
      nobody,
    )

    expect(document).toBeUndefined()
  })

  test('whatever charters come in whatever order, the epoch that counts never goes back (FED-40)', () => {
    const epochs = fc.array(fc.record({ epoch: fc.integer({ min: 1, max: 9 }), isSound: fc.boolean() }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(epochs, (coming) => {
        let accepted: string | undefined
        let highest = 0
        for (const { epoch, isSound } of coming) {
          const current = isSound ? charter({ epoch }) : charter({ epoch }).replace('~alice', '~mallory')
          const verdict = judgeDocument(CHARTER, { current, accepted }, BY)
          if (verdict.isNew) accepted = current
          if (isSound) highest = Math.max(highest, epoch)
          expect(verdict.document?.authorityEpoch ?? 0).toBe(highest)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('the folder', () => {
  test('what is installed is found under its name, and judged with what was accepted (FED-40)', () => {
    const files = [...filesOf(signedCharter(KEY, { epoch: 3 })), { name: 'handles.json', text: '{}' }]

    expect(files.map(({ name }) => name)).toEqual([
      'charter.acme.accepted.json',
      'charter.acme.json',
      'handles.json',
    ])
    expect(
      [...judgeShelf(CHARTER, files, BY)].map(([id, { document }]) => [id, document?.authorityEpoch]),
    ).toEqual([['acme', 3]])
  })

  test('a mark of what was taken away that cannot be read holds for every epoch (FED-40)', () => {
    const [accepted] = filesOf(signedCharter(KEY, { epoch: 3 }))
    const broken = { name: 'charter.acme.json', text: '{' }
    const mark = removalOf('charter', 'acme', 3)
    for (const one of [mark, { ...mark, text: '{' }]) {
      const shelf = judgeShelf(CHARTER, [accepted ?? broken, broken, one], BY)
      expect(shelf.get('acme')).toMatchObject({ document: undefined, refusal: { field: 'charter' } })
    }
  })

  test('a charter under another organisation’s name is refused (FED-40)', () => {
    const shelf = judgeShelf(CHARTER, [{ name: 'charter.globex.json', text: charter({}) }], BY)

    expect(shelf.get('globex')).toMatchObject({ document: undefined, refusal: { field: 'charter' } })
  })
})
