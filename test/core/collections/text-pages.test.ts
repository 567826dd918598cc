import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PAGE_OCTETS, TextPages } from '../../../src/core/collections/text-pages.ts'

test('whatever text is put is there until its page is given up', () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.constant('☕'.repeat(5_000))),
  )
  fc.assert(
    fc.property(texts, (all) => {
      const pages = new TextPages()
      const places = all.map((text) => pages.put(text))

      expect(places.map((place) => place && pages.at(place))).toEqual(all)
    }),
  )
})

test('of a text that is erased nothing is left, and of its neighbours everything', () => {
  const pages = new TextPages()
  const [before, secret, behind] = ['before', 'a secret ☕', 'behind'].map((text) => pages.put(text))
  if (secret !== undefined) pages.erase(secret)

  expect(secret && pages.at(secret)).toMatch(/^\0+$/)
  expect([before, behind].map((place) => place && pages.at(place))).toEqual(['before', 'behind'])
})

test('a text with half a character in it is not taken, and the next one is', () => {
  const pages = new TextPages()

  expect(pages.put('\ud83d half')).toBeUndefined()
  const place = pages.put('whole')

  expect(place && pages.at(place)).toBe('whole')
})

test('a text larger than a page has one of its own, and what follows is behind it', () => {
  const pages = new TextPages()
  const large = 'x'.repeat(PAGE_OCTETS + 1)
  const places = ['before', large, 'behind'].map((text) => pages.put(text))

  expect(places.map((place) => place && pages.at(place))).toEqual(['before', large, 'behind'])
  expect(places.map((place) => place?.page)).toEqual([1, 2, 3])
})

test('what is given up makes room: as many pages are there as hold something', () => {
  const pages = new TextPages()
  const half = 'x'.repeat(PAGE_OCTETS / 2)
  for (let i = 0; i < 100; i += 1) {
    pages.put(half)
    pages.dropBefore(pages.last)
    expect(pages.octets).toBe(PAGE_OCTETS)
  }

  pages.clear()
  const place = pages.put('anew')

  expect([pages.octets, place && pages.at(place)]).toEqual([PAGE_OCTETS, 'anew'])
})
