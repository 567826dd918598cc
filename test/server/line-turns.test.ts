/**
 * What one read has of lines is taken in turns, with everybody else in between.
 *
 * @see R-51; HD-10
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { LineSplitter } from '../../src/core/text/lines.ts'
import { REFUSALS_PER_TURN, LineTurns } from '../../src/server/lines/line-turns.ts'
import { openLines, request } from '../support/http.ts'
import { startInProcess, type InProcess } from './in-process.ts'

const TURNS = 20
const MANY = TURNS * REFUSALS_PER_TURN + 3
/** What a stand-in for the route refuses. */
const BROKEN = 'x'
const HALF = (TURNS * REFUSALS_PER_TURN) / 2

/** The lines of each write of the first request's answer, and what else was asked meanwhile. */
function watch({ server }: InProcess) {
  const writes: number[] = []
  const asked: { path: string | undefined; afterWrites: number }[] = []
  const first = new Promise<ServerResponse>((resolve) => {
    server.on('request', (incoming, response) => {
      asked.push({ path: incoming.url, afterWrites: writes.length })
      if (asked.length > 1) return
      const write = response.write.bind(response)
      vi.spyOn(response, 'write').mockImplementation((text: string) => {
        writes.push(text.split('\n').length - 1)
        return write(text)
      })
      resolve(response)
    })
  })
  return { writes, asked, first }
}

/** Takes what a turn gives, and refuses it where the line says so. */
function takeTurn(turns: LineTurns): number[] {
  const numbers: number[] = []
  for (let next = turns.next(); next !== undefined; next = turns.next()) {
    numbers.push(next.number)
    if (next.line.toString() === BROKEN) turns.refuse()
  }
  return numbers
}

test('a turn refuses so many lines and no more, over all chunks, and later ones take the rest in order (HD-10)', () => {
  const turns = new LineTurns(new LineSplitter(100, 'refuse'))

  turns.feed(Buffer.from('x\n'.repeat(6)))
  expect(takeTurn(turns)).toHaveLength(6)
  expect(turns.isBusy).toBe(false)
  turns.feed(Buffer.from('x\n'.repeat(REFUSALS_PER_TURN)))
  expect(takeTurn(turns)).toHaveLength(REFUSALS_PER_TURN - 6)
  expect(turns.isBusy).toBe(true)
  expect(turns.heldOctets).toBe(2 * REFUSALS_PER_TURN)
  expect(takeTurn(turns)).toEqual([])

  turns.renew()
  expect(takeTurn(turns)).toEqual([1, 2, 3, 4, 5, 6].map((n) => n + REFUSALS_PER_TURN))
  expect([turns.isBusy, turns.heldOctets]).toEqual([false, 0])
})

test('lines that are accepted are taken in the turn in which they are read, however many (HD-10)', () => {
  const turns = new LineTurns(new LineSplitter(100, 'refuse'))
  const many = 4 * REFUSALS_PER_TURN

  turns.feed(Buffer.from('good\n'.repeat(many) + 'x\n'.repeat(REFUSALS_PER_TURN + 1)))

  expect(takeTurn(turns)).toHaveLength(many + REFUSALS_PER_TURN)
  expect(turns.isBusy).toBe(true)
})

test.each([
  ['with a line break', '\n'],
  ['without one', ''],
])(
  'every line of many turns is answered, in order, others have theirs in between, and the end %s counts (HD-10)',
  async (_what, lastBreak) => {
    await using daemon = await startInProcess()
    const { writes, asked, first } = watch(daemon)
    using lines = openLines(daemon.socket)
    await first

    // Two chunks, so that the end is known before the turns of the last are over.
    lines.write('{}\n'.repeat(MANY - 1 - HALF))
    lines.write('{}\n'.repeat(HALF) + `{}${lastBreak}`)
    lines.end()
    while (writes.length < 2) await nextTurn()
    const other = await request(daemon.socket, '/v1/health')
    await lines.ended

    expect(other.status).toBe(200)
    expect(Math.max(...writes)).toBeLessThanOrEqual(REFUSALS_PER_TURN)
    expect(asked[1]).toMatchObject({ path: '/v1/health' })
    expect(asked[1]?.afterWrites).toBeLessThan(TURNS)
    expect(lines.answers.map(({ line }: { line?: number }) => line)).toEqual(
      Array.from({ length: MANY }, (_, i) => i + 1),
    )
  },
)

test('the lines of one that has left are not taken (HD-10, HD-11)', async () => {
  await using daemon = await startInProcess()
  const { writes, first } = watch(daemon)
  const lines = openLines(daemon.socket)
  const response = await first

  lines.write('{}\n'.repeat(MANY))
  while (writes.length < 2) await nextTurn()
  lines[Symbol.dispose]()
  await once(response, 'close')
  const taken = writes.length
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn()

  expect(writes.length).toBeLessThanOrEqual(taken + 1)
  expect(writes.reduce((sum, count) => sum + count, 0)).toBeLessThan(MANY)
})
