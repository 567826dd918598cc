/**
 * Newline-delimited JSON, cut anywhere and bounded (docs/http.md §5).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineSplitter, LineTooLong, type LongLinePolicy } from '../../../src/core/text/lines.ts'

interface Line {
  readonly line: string
  readonly number: number
}

/** All the lines of a stream in pieces, the unfinished last one included. */
function split(pieces: readonly Uint8Array[], maxBytes = 1_000, policy: LongLinePolicy = 'refuse'): Line[] {
  const splitter = new LineSplitter(maxBytes, policy)
  const lines = pieces.flatMap((piece) => [...splitter.feed(Buffer.from(piece))])
  const last = splitter.end()
  return [...lines, ...(last === undefined ? [] : [last])].map(({ line, number }) => ({
    line: line.toString(),
    number,
  }))
}

/** The same over the whole text. */
function splitWhole(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: line.replace(/\r$/, ''), number: index + 1 }))
    .filter(({ line }) => line !== '')
}

const STREAM = '{"a":"é"}\n{"b":"€😀"}\r\n\n\r\n  \n"a\rb"\r\r\n\n[1]\r\nlast'

test('lines come whole and numbered, blank ones counted but left out', () => {
  expect(split([Buffer.from(STREAM)])).toEqual([
    { line: '{"a":"é"}', number: 1 },
    { line: '{"b":"€😀"}', number: 2 },
    { line: '  ', number: 5 },
    { line: '"a\rb"\r', number: 6 },
    { line: '[1]', number: 8 },
    { line: 'last', number: 9 },
  ])
})

test('a stream splits the same wherever it is cut in two, and octet by octet', () => {
  const bytes = Buffer.from(STREAM)
  const whole = splitWhole(STREAM)

  for (let at = 0; at <= bytes.length; at += 1) {
    expect(split([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole)
  }
  expect(split(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole)
})

test('any stream in any pieces splits like the whole text', () => {
  const text = fc
    .array(fc.constantFrom('{"a":1}', '"é€😀"', '\n', '\r\n', '\r', ' ', '\n\n'), { maxLength: 30 })
    .map((parts) => parts.join(''))

  fc.assert(
    fc.property(text, fc.array(fc.nat(7), { maxLength: 30 }), (stream, sizes) => {
      const bytes = Buffer.from(stream)
      let start = 0
      const pieces = sizes.map((size) => bytes.subarray(start, (start += size)))
      expect(split([...pieces, bytes.subarray(start)])).toEqual(splitWhole(stream))
    }),
    { numRuns: 500 },
  )
})

test('nothing is left after a line break, and something after none', () => {
  const splitter = new LineSplitter(100, 'refuse')

  expect([...splitter.feed(Buffer.from('a\nbc'))]).toHaveLength(1)
  expect({ count: splitter.count, pendingBytes: splitter.pendingBytes }).toEqual({
    count: 1,
    pendingBytes: 2,
  })
  expect([...splitter.feed(Buffer.from('\n'))].map(({ line }) => line.toString())).toEqual(['bc'])
  expect({ count: splitter.count, pendingBytes: splitter.pendingBytes }).toEqual({
    count: 2,
    pendingBytes: 0,
  })
  expect(splitter.end()).toBeUndefined()
})

test('an empty stream, and one of blank lines, has no lines', () => {
  expect(split([])).toEqual([])
  expect(split([Buffer.from('\n\r\n\r')])).toEqual([])
})

test('an unfinished line is its own, whatever becomes of the chunk it came in', () => {
  const splitter = new LineSplitter(100, 'refuse')
  const chunk = Buffer.from('a\nbcd')

  expect([...splitter.feed(chunk)]).toHaveLength(1)
  chunk.fill('x')

  expect([...splitter.feed(Buffer.from('e\n'))].map(({ line }) => line.toString())).toEqual(['bcde'])
})

/** The lines of texts under a bound of eight octets. */
function feed(...texts: readonly string[]): Line[] {
  return split(
    texts.map((text) => Buffer.from(text)),
    8,
  )
}

describe('the bound', () => {
  test('admits a line of exactly as many octets, finished or not', () => {
    expect(feed('12345678\n12345678\n')).toHaveLength(2)
    expect(feed('1234', '5678', '\n')).toHaveLength(1)
    expect(feed('éééé')).toHaveLength(1)
  })

  test('refuses one octet more, wherever the line was cut', () => {
    for (const texts of [
      ['123456789'],
      ['123456789\n'],
      ['12345678', '9'],
      ['12345678', '9\n'],
      ['1\n', 'ééééé'],
    ]) {
      expect(() => feed(...texts), texts.join('|')).toThrow(LineTooLong)
    }
  })

  test('does not wait for the end of an endless line', () => {
    const splitter = new LineSplitter(8, 'refuse')

    expect(() => {
      for (let i = 0; i < 9; i += 1) splitter.feed(Buffer.from('x')).next()
    }).toThrow(LineTooLong)
    expect(splitter.pendingBytes).toBe(8)
  })

  test('lets the lines before it through', () => {
    const splitter = new LineSplitter(8, 'refuse')
    const lines: string[] = []

    expect(() => {
      for (const { line } of splitter.feed(Buffer.from('a\nb\n123456789\nc\n'))) lines.push(line.toString())
    }).toThrow(LineTooLong)
    expect(lines).toEqual(['a', 'b'])
  })
})

describe('a bound that cuts', () => {
  const LONG = Buffer.from('12345678\r\n123456789\r\n\n1234567890abcdef\rg\nnext\n123456789')
  const CUT = [
    { line: '12345678', number: 1 },
    { line: '123456789', number: 2 },
    { line: '123456789', number: 4 },
    { line: 'next', number: 5 },
    { line: '123456789', number: 6 },
  ]

  test('keeps the beginning of a longer line, and one octet that tells of it', () => {
    expect(split([LONG], 8, 'cut')).toEqual(CUT)
  })

  test('cuts the same wherever the stream is cut', () => {
    for (let at = 0; at <= LONG.length; at += 1) {
      expect(split([LONG.subarray(0, at), LONG.subarray(at)], 8, 'cut'), `cut at ${at}`).toEqual(CUT)
    }
    expect(
      split(
        Array.from(LONG, (_, at) => LONG.subarray(at, at + 1)),
        8,
        'cut',
      ),
    ).toEqual(CUT)
  })

  test('keeps no more of an endless line than it needs', () => {
    const splitter = new LineSplitter(8, 'cut')
    for (let i = 0; i < 100; i += 1) splitter.feed(Buffer.from('xyz')).next()

    expect(splitter.pendingBytes).toBe(10)
  })
})
