/**
 * Our reader of event streams: against the rules (SSE-02…SSE-10), against another parser, and cut anywhere.
 */
import { LineTooLong } from '../../../src/core/text/lines.ts'
import { createParser } from 'eventsource-parser'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTexts } from '../../../conformance/src/json.ts'
import { vectorsOf } from '../../support/vectors.ts'
import { SseDecoder, type SseBlock } from '../../../src/protocol/sse/decoder.ts'

/** The whole stream in one piece. */
function decode(text: string, lastEventId?: string): SseBlock[] {
  return new SseDecoder(lastEventId).feed(text)
}

/** The stream in pieces, with the comments. */
function decodePieces(pieces: readonly string[]) {
  const comments: string[] = []
  const decoder = new SseDecoder('', undefined, (comment) => comments.push(comment))
  const blocks = pieces.flatMap((piece) => decoder.feed(piece))
  return { blocks, comments, lastEventId: decoder.lastEventId }
}

/** As a connection does it: bytes in pieces through a streaming UTF-8 decoder that leaves the mark alone. */
function decodeBytes(pieces: readonly Uint8Array[]) {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return decodePieces(pieces.map((piece) => utf8.decode(piece, { stream: true })))
}

function data(text: string): (string | undefined)[] {
  return decode(text).map((block) => block.data)
}

function ids(text: string, lastEventId?: string): string[] {
  return decode(text, lastEventId).map((block) => block.lastEventId)
}

/** The standard's algorithm over a whole text, written as it stands there. */
function readAsStandard(text: string) {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .slice(0, -1)
  const blocks: { event: string; data: string; lastEventId: string }[] = []
  let [buffer, event, id, lastEventId] = ['', '', '', '']
  for (const line of lines) {
    if (line === '') {
      lastEventId = id
      if (buffer !== '') blocks.push({ event: event || 'message', data: buffer.slice(0, -1), lastEventId })
      buffer = event = ''
      continue
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (name === 'data') buffer += `${value}\n`
    if (name === 'event') event = value
    if (name === 'id' && !value.includes('\0')) id = value
  }
  return { blocks, lastEventId }
}

test.each(vectorsOf('stream'))(
  '$id reads as the vector has it (SSE-02…SSE-10)',
  ({ input, expect: [expected] }) => {
    const octets = readTexts(input, 'chunks').map((chunk) => Buffer.from(chunk, 'base64'))
    const { blocks, lastEventId } = decodeBytes(octets)
    const dispatched = blocks.filter(({ data: text }) => text !== undefined)
    const events = dispatched.map(({ event, data: text, lastEventId: id }) => ({ event, data: text, id }))
    const retry = blocks.findLast((block) => block.retryMs !== undefined)?.retryMs ?? null

    expect({ ok: true, events, last_event_id: lastEventId, retry }).toMatchObject(expected ?? {})
  },
)

describe('line ends', () => {
  test('of a split CRLF are one (SSE-03)', () => {
    expect(
      decodePieces(['data: a\r', '\ndata: b\r', '\n', '\r', '\n']).blocks.map((block) => block.data),
    ).toEqual(['a\nb'])
    expect(decodePieces(['data: a\r', '', '\n', '', '\r']).blocks.map((block) => block.data)).toEqual(['a'])
  })

  test('are waited for no longer than needed: a CR ends the block at once (SSE-03)', () => {
    expect(decodePieces(['data: a\r\r']).blocks.map((block) => block.data)).toEqual(['a'])
  })
})

describe('a byte order mark', () => {
  test('at the very beginning is dropped, once (SSE-02)', () => {
    expect(data('\uFEFFdata: a\n\n')).toEqual(['a'])
    expect(data('\uFEFF\uFEFFdata: a\n\ndata: b\n\n')).toEqual(['b'])
    expect(decodePieces(['', '\uFEFF', 'data: a\n\n']).blocks).toHaveLength(1)
  })

  test('anywhere else belongs to the name, and the line is ignored (SSE-02)', () => {
    expect(data('data: a\n\uFEFFdata: b\n\n')).toEqual(['a'])
    expect(decodePieces(['data: a\n', '\uFEFFdata: b\n', '\n']).blocks.map((block) => block.data)).toEqual([
      'a',
    ])
    expect(data('data: \uFEFFa\n\n')).toEqual(['\uFEFFa'])
  })
})

test('an event name holds for its block alone, and an empty one is message (SSE-07)', () => {
  const blocks = decode(
    'event: a\ndata: 1\n\ndata: 2\n\nevent: b\nevent:\ndata: 3\n\nevent: c\n\ndata: 4\n\n',
  )

  expect(blocks.map((block) => block.event)).toEqual(['a', 'message', 'message', 'message'])
})

describe('an id', () => {
  test('holds on over blocks that have none (SSE-08)', () => {
    expect(ids('id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n')).toEqual(['1', '1', '2'])
  })

  test('of the connection before holds until there is a new one (SSE-08)', () => {
    expect(ids('data: a\n\nid: 2\ndata: b\n\n', '1')).toEqual(['1', '2'])
    expect(new SseDecoder('1').lastEventId).toBe('1')
  })

  test('that is empty resets it (SSE-08)', () => {
    expect(ids('id: 1\ndata: a\n\nid\ndata: b\n\nid: 1\n\nid:\ndata: c\n\n')).toEqual(['1', '', '1', ''])
  })

  test('with a NUL in it is no id at all (SSE-08)', () => {
    expect(ids('id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid: 3\nid: \0\ndata: c\n\n')).toEqual(['1', '1', '3'])
    expect(decode('id: \0\n\n')).toEqual([])
  })

  test('without data still moves the cursor, and is reported as a block that dispatches nothing (SSE-08)', () => {
    const decoder = new SseDecoder()

    const blocks = decoder.feed('id: 7\n\n')

    expect(blocks).toEqual([{ event: 'message', data: undefined, lastEventId: '7', retryMs: undefined }])
    expect(decoder.lastEventId).toBe('7')
  })

  test('counts only when its block is complete (SSE-10)', () => {
    const decoder = new SseDecoder('1')

    decoder.feed('id: 2\ndata: a\n')
    expect(decoder.lastEventId).toBe('1')
    decoder.feed('\n')
    expect(decoder.lastEventId).toBe('2')
  })

  test('the last of a block counts, and its value keeps its spaces but one (SSE-04, SSE-08)', () => {
    expect(ids('id: 1\nid:  2 \ndata\n\n')).toEqual([' 2 '])
  })
})

describe('a reconnect delay', () => {
  test.each([
    ['retry: 1000', 1_000],
    ['retry:1000', 1_000],
    ['retry: 0', 0],
    ['retry: 007', 7],
  ])('%j is read (SSE-09)', (line, retryMs) => {
    expect(decode(`${line}\n\n`)).toEqual([{ event: 'message', data: undefined, lastEventId: '', retryMs }])
  })

  test.each(['', ' ', '  5', '5 ', '-5', '+5', '1.5', '1e3', '0x5', '5s', '\u0665', 'x'])(
    '%j is none (SSE-09)',
    (value) => {
      expect(decode(`retry: ${value}\n\n`)).toEqual([])
      expect(decode(`retry: ${value}\ndata: a\n\n`)[0]?.retryMs).toBeUndefined()
    },
  )

  test('comes with its own block and not with the next (SSE-09)', () => {
    expect(decode('retry: 5\ndata: a\n\ndata: b\n\n').map((block) => block.retryMs)).toEqual([5, undefined])
  })
})

test('an unfinished block is discarded, its id and name too (SSE-10)', () => {
  for (const text of ['data: a', 'data: a\n', 'id: 1\nevent: x\ndata: a\r\n', 'id: 1\nevent: x\ndata: a']) {
    const { blocks, lastEventId } = decodePieces([text])
    expect({ blocks, lastEventId }).toEqual({ blocks: [], lastEventId: '' })
  }
})

test('comments are passed on without their colon, and change nothing (SSE-04)', () => {
  const { blocks, comments } = decodePieces([': agentd a-1\n:\n:x\ndata: a\n: y\ndata: b\n\n'])

  expect(comments).toEqual([' agentd a-1', '', 'x', ' y'])
  expect(blocks.map((block) => block.data)).toEqual(['a\nb'])
})

test('a line within the bound is read, one over it ends the reading', () => {
  const line100 = `data: ${'x'.repeat(94)}`
  const decoder = new SseDecoder('', 100)

  expect(new SseDecoder('', 100).feed(line100)).toEqual([])
  expect(() => new SseDecoder('', 100).feed(`${line100}x`)).toThrow(LineTooLong)
  decoder.feed('x'.repeat(100))
  expect(() => decoder.feed('x')).toThrow(LineTooLong)
})

/** Every rule at once: BOM, mixed line ends, a NUL id, id-only blocks, characters of two to four octets. */
const STREAM = [
  '\uFEFF: hello 😀\r\n',
  'retry: 1000\r\r\n',
  'id: a-1\revent: agent_frame\ndata: {"é":"€😀"}\r\n\r\n',
  'id: a-2\n\n',
  'id: x\0y\ndata\r\rdata:\n\n',
  'event: e\r\ndata:  two\r\ndata: lines\r\n\r\n',
  'id\ndata: reset\n\n\n\r\n',
  '\uFEFFdata: no\nfoo: bar\n:\ndata: yes\n\n',
  'id: never\ndata: unfinished',
].join('')

test('a stream reads the same wherever it is cut in two, at any octet (SSE-02…SSE-10)', () => {
  const bytes = Buffer.from(STREAM)
  const whole = decodeBytes([bytes])

  expect(whole.blocks.map((block) => block.data)).toEqual([
    undefined,
    '{"é":"€😀"}',
    undefined,
    '',
    '',
    ' two\nlines',
    'reset',
    'yes',
  ])
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(decodeBytes([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole)
  }
})

test('a stream reads the same octet by octet and character by character (SSE-02…SSE-10)', () => {
  const bytes = Buffer.from(STREAM)

  const octets = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  expect(decodeBytes(octets)).toEqual(decodeBytes([bytes]))
  expect(decodePieces(STREAM.split(''))).toEqual(decodePieces([STREAM]))
})

const line = fc.constantFrom(
  'data',
  'data:',
  'data: ',
  'data: a',
  'data:  b',
  'data:\tc',
  'data: é€😀',
  'data: x:y',
  'Data: x',
  'data : x',
  'event',
  'event:',
  'event: e',
  'event:f',
  'id',
  'id:',
  'id: 1',
  'id:2',
  'id: a\0b',
  'id:  3',
  ': c',
  ':',
  'foo',
  'retry: 10',
  'retry: 1x',
  'retry:007',
  'retry',
  '\uFEFFdata: x',
  ' data: x',
  'x: y',
  'da\0ta: x',
  '',
  '',
  '',
  '',
  '',
)
const stream = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF', '\uFEFF\uFEFF'),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 25 }),
  )
  // The comment at the end settles whether a last CR was half of a CRLF.
  .map(([mark, lines]) => `${mark}${lines.flat().join('')}:\n`)

test('any stream reads as the standard has it (SSE-02…SSE-10)', () => {
  fc.assert(
    fc.property(stream, (text) => {
      const { blocks, lastEventId } = decodePieces([text])
      const dispatched = blocks.flatMap((block) =>
        block.data === undefined
          ? []
          : [{ event: block.event, data: block.data, lastEventId: block.lastEventId }],
      )
      expect({ blocks: dispatched, lastEventId }).toEqual(readAsStandard(text))
    }),
    { numRuns: 1_000 },
  )
})

test('any stream reads as another parser reads it (SSE-02…SSE-10)', () => {
  fc.assert(
    fc.property(stream, (text) => {
      const theirs: { event: string; data: string; id: string | undefined }[] = []
      const delays: number[] = []
      const parser = createParser({
        onEvent: ({ event = 'message', data: value, id }) => theirs.push({ event, data: value, id }),
        onRetry: (ms) => delays.push(ms),
      })
      parser.feed(new TextDecoder().decode(Buffer.from(`${text}\n`)))

      const blocks = decode(`${text}\n`)
      const dispatched = blocks.filter((block) => block.data !== undefined)
      // Their id is that of the block alone, ours holds on.
      const ours = dispatched.map((block, i) => ({
        event: block.event,
        data: block.data,
        id: theirs[i]?.id === undefined ? undefined : block.lastEventId,
      }))
      expect(ours).toEqual(theirs)
      expect(blocks.findLast((block) => block.retryMs !== undefined)?.retryMs).toBe(delays.at(-1))
    }),
    { numRuns: 1_000 },
  )
})

test('any stream reads the same in pieces of any sizes (SSE-03)', () => {
  fc.assert(
    fc.property(
      stream,
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 }),
      (text, sizes) => {
        const bytes = Buffer.from(text)
        const pieces: Buffer[] = []
        let start = 0
        for (const size of sizes) {
          pieces.push(bytes.subarray(start, start + size))
          start += size
        }
        pieces.push(bytes.subarray(start))
        expect(decodeBytes(pieces)).toEqual(decodeBytes([bytes]))
      },
    ),
    { numRuns: 500 },
  )
})
