import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprintOf, type Content } from '../../../src/broker/submit/fingerprint.ts'

const contents = fc.record({ scopeText: fc.string(), text: fc.string({ unit: 'grapheme', maxLength: 200 }) })

function frameOf(text: string): Content {
  return { scopeText: '~alice/*', text: JSON.stringify({ kind: 'agent_advisory', payload: { text } }) }
}

test('a fingerprint is an exact number, and the same for the same (ACQ-25)', () => {
  fc.assert(
    fc.property(contents, (content) => {
      const fingerprint = fingerprintOf(content)
      expect(Number.isSafeInteger(fingerprint) && fingerprint >= 0).toBe(true)
      expect(fingerprintOf({ ...content })).toBe(fingerprint)
    }),
  )
})

test('what differs in one character, wherever it stands and however long it is, has another one (ACQ-25)', () => {
  for (const length of [1, 2, 3, 4, 5, 63, 700, 16_384, 70_000, 1_000_000]) {
    const text = 'a'.repeat(length)
    const others = [0, length >> 1, length - 1].flatMap((at) =>
      ['b', '\u00e4', '\u{1f600}', ''].map((char) => `${text.slice(0, at)}${char}${text.slice(at + 1)}`),
    )
    const known = new Set([text, ...others].map((each) => fingerprintOf(frameOf(each))))
    expect(known.size).toBe(new Set([text, ...others]).size)
  }
})

test('among two hundred thousand that differ little none is another one\u2019s, and either half of it is as good as drawn', () => {
  const texts = Array.from({ length: 100_000 }, (_, i) => [
    String(i),
    `\u00e4\u00e4${i % 7}\u00e4${i}`,
  ]).flat()
  const known = texts.map((text) => fingerprintOf(frameOf(text)))

  expect(new Set(known).size).toBe(texts.length)
  // By chance some five of so many share 32 bits.
  const halves = [known.map((each) => each % 2 ** 32), known.map((each) => Math.floor(each / 2 ** 21))]
  for (const half of halves) expect(new Set(half).size).toBeGreaterThan(texts.length - 50)
})

test('what was looked at before leaves nothing behind', () => {
  const short = { scopeText: '~a/*', text: 'xyz' }
  const before = fingerprintOf(short)

  fingerprintOf(frameOf('\u00ff'.repeat(5_000)))

  expect(fingerprintOf(short)).toBe(before)
})

test('where the scope ends and the text begins is never in doubt', () => {
  const [one, other] = [
    { scopeText: '~a/*', text: '1x' },
    { scopeText: '~a/*1', text: 'x' },
  ]
  expect(fingerprintOf(one)).not.toBe(fingerprintOf(other))
})
