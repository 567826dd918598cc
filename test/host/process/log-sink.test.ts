import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogSink } from '../../../src/host/process/log-sink.ts'

function sink(format: 'json' | 'text') {
  const stream = new PassThrough({ encoding: 'utf8', highWaterMark: 1_000_000 })
  const time = { nowMs: Date.UTC(2026, 10, 20) }
  const log = createLogSink({ stream, format, nowMs: () => time.nowMs })
  const lines = () =>
    String(stream.read() ?? '')
      .split('\n')
      .slice(0, -1)
  return { log, time, stream, lines }
}

test('a JSON line holds time, level, event and the fields that have a value', () => {
  const { log, lines } = sink('json')

  log.info('started', { pid: 7, socket: '/run/s', cold: true, note: null, absent: undefined })
  log.warn('slow')
  log.error('broken')

  expect(lines()).toEqual([
    '{"ts":"2026-11-20T00:00:00.000Z","level":"info","event":"started","pid":7,"socket":"/run/s","cold":true,"note":null}',
    '{"ts":"2026-11-20T00:00:00.000Z","level":"warn","event":"slow"}',
    '{"ts":"2026-11-20T00:00:00.000Z","level":"error","event":"broken"}',
  ])
})

test('a field cannot pass itself off as the head of a line', () => {
  const { log, lines } = sink('json')

  log.info('started', { level: 'error', event: 'other', ts: 'never' })

  expect(lines()).toEqual(['{"ts":"2026-11-20T00:00:00.000Z","level":"info","event":"started"}'])
})

test('a text line can be read, and quotes what holds spaces', () => {
  const { log, lines } = sink('text')

  log.info('started', { pid: 7, socket: '/run/s', absent: undefined })
  log.error('broken', { message: 'no such "file" here', empty: '', odd: 'a=b' })

  expect(lines()).toEqual([
    '2026-11-20T00:00:00.000Z info  started pid=7 socket=/run/s',
    String.raw`2026-11-20T00:00:00.000Z error broken message="no such \"file\" here" empty="" odd="a=b"`,
  ])
})

test.each(['json', 'text'] as const)('nothing in a %s field starts a line or steers a terminal', (format) => {
  const hostile = 'a\nb\rc\u001b[31m\u0007\u0000\u007f\u009b2J\u2028\u2029\u202e\u200b\ufeff\u{e0041}z'
  const { log, lines } = sink(format)

  log.warn('refused', { hostile })

  const written = lines()
  expect(written).toHaveLength(1)
  expect(written[0]).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
  const value = /"a.*z"/.exec(written[0] ?? '')?.[0]
  expect(JSON.parse(value ?? '')).toBe(hostile)
})

test('an event has ten lines in ten seconds; then one line says how many were withheld', () => {
  const { log, time, lines } = sink('json')

  for (let i = 0; i < 25; i += 1) log.warn('refused', { i })
  expect(lines()).toHaveLength(10)

  time.nowMs += 9_999
  log.warn('refused')
  log.warn('another')
  expect(lines()).toEqual([expect.stringContaining('"event":"another"')])

  time.nowMs += 1
  log.warn('refused', { i: 26 })
  expect(lines().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', event: 'log-suppressed', of: 'refused', lines: 16 }),
    expect.objectContaining({ event: 'refused', i: 26 }),
  ])
})

test('a clock that steps back does not silence an event (R-07)', () => {
  const { log, time, lines } = sink('json')
  for (let i = 0; i < 11; i += 1) log.info('tick')
  lines()

  time.nowMs -= 3_600_000
  log.info('tick')

  expect(lines()).toHaveLength(2)
})

test('events without end share one window instead of growing without bound', () => {
  const { log, lines } = sink('json')

  for (let i = 0; i < 300; i += 1) log.info(`event-${i}`)

  expect(lines()).toHaveLength(256 + 10)
})

test('a stream that fails does not end the process', () => {
  const { log, stream } = sink('json')

  stream.destroy(new Error('EPIPE'))
  log.info('said to nobody')

  expect(stream.destroyed).toBe(true)
})
