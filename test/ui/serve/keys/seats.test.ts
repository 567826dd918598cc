/** Tokens of browsers: how long, how many, and what is shown of them (SEAT-16). */
import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { MAX_SEATS, SEAT_MS, Seats, type Seat } from '../../../../src/ui/serve/keys/seats.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

function makeSeats() {
  const clock = new FakeClock()
  const ended: Seat[] = []
  return { clock, ended, seats: new Seats(clock, (seat) => ended.push(seat)) }
}

test('a token is good for a day, and its end is told once (SEAT-16)', () => {
  const { clock, ended, seats } = makeSeats()
  const token = seats.open()

  clock.advance(SEAT_MS - 1)
  expect(seats.find(token)).toBeDefined()
  expect(seats.find(`${token}x`)).toBeUndefined()
  clock.advance(1)
  expect(ended).toHaveLength(1)
  expect(seats.find(token)).toBeUndefined()
  expect(seats.prove('n')).toEqual([])
})

test('one that signs out is out at once (SEAT-16)', () => {
  const { ended, seats } = makeSeats()
  const [token, other] = [seats.open(), seats.open()]
  const seat = seats.find(token)!

  seats.end(seat)
  seats.end(seat)

  expect(seats.find(token)).toBeUndefined()
  expect(seats.find(other)).toBeDefined()
  expect(ended).toEqual([seat])
})

test('of too many the one that came first goes (SEAT-16)', () => {
  const { seats } = makeSeats()
  const tokens = Array.from({ length: MAX_SEATS + 1 }, () => seats.open())

  expect(tokens.map((token) => seats.find(token) !== undefined)).toEqual([
    false,
    ...Array.from({ length: MAX_SEATS }, () => true),
  ])
})

test('a proof is of the digest and the nonce, as a browser works it out (SEAT-16)', () => {
  const { seats } = makeSeats()
  const token = seats.open()
  seats.open()

  const digest = createHash('sha256').update(token).digest()
  const expected = createHmac('sha256', digest).update('a-nonce').digest('base64url')
  expect(seats.prove('a-nonce')).toHaveLength(2)
  expect(seats.prove('a-nonce')[0]).toBe(expected)
  expect(seats.prove('another')).not.toContain(expected)
})
