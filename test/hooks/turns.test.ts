/** One event of a session at a time, within bounds (OP-11). */
import { describe, expect, test } from 'vitest'
import { MAX_EVENTS, MAX_SESSION_EVENTS, Turns } from '../../src/hooks/turns.ts'

/** Work that goes on until it is told to end, and that notes when it began. */
class Works {
  readonly begun: string[] = []
  readonly #ends: (() => void)[] = []

  work(name: string): () => Promise<void> {
    return () => {
      this.begun.push(name)
      return new Promise((resolve) => this.#ends.push(resolve))
    }
  }

  /** Ends what has begun first, and lets what waits for that begin. */
  async endOne(): Promise<void> {
    this.#ends.shift()?.()
    await settled()
  }

  async endAll(): Promise<void> {
    while (this.#ends.length > 0) await this.endOne()
  }
}

/** Everything that waits for nothing but promises has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

test('events of one session follow one another, in the order in which they came (OP-11)', async () => {
  const works = new Works()
  const turns = new Turns()

  for (const name of ['one', 'two', 'three']) expect(turns.take('s', works.work(name))).toBe(true)
  await settled()
  const atFirst = [...works.begun]
  await works.endOne()
  const behindTheFirst = [...works.begun]
  await works.endAll()

  expect([atFirst, behindTheFirst, works.begun]).toEqual([['one'], ['one', 'two'], ['one', 'two', 'three']])
})

test('a session waits for none but its own events (OP-11)', async () => {
  const works = new Works()
  const turns = new Turns()

  for (const key of ['a', 'b', 'c']) turns.take(key, works.work(key))
  await settled()

  expect(works.begun).toEqual(['a', 'b', 'c'])
})

describe('the bound', () => {
  test('of one session turns away what is beyond it, and nobody else, until one is over (OP-11)', async () => {
    const works = new Works()
    const turns = new Turns()
    const take = (key: string): boolean => turns.take(key, works.work(key))

    const taken = Array.from({ length: MAX_SESSION_EVENTS + 3 }, () => take('loop'))
    const other = take('other')
    await settled()
    await works.endOne()
    const again = [take('loop'), take('loop')]
    await works.endAll()

    expect(taken.filter(Boolean)).toHaveLength(MAX_SESSION_EVENTS)
    expect(taken.lastIndexOf(true)).toBe(MAX_SESSION_EVENTS - 1)
    expect(other).toBe(true)
    expect(again).toEqual([true, false])
    expect(works.begun).toHaveLength(MAX_SESSION_EVENTS + 2)
  })

  test('of all sessions turns away whoever comes last, until one is over (OP-11)', async () => {
    const works = new Works()
    const turns = new Turns()
    const take = (key: string): boolean => turns.take(key, works.work(key))

    const taken = Array.from({ length: MAX_EVENTS }, (_, i) => take(`session-${i % (MAX_EVENTS / 8)}`))
    const beyond = take('one-more')
    await settled()
    await works.endOne()
    const again = [take('one-more'), take('and-one')]
    await works.endAll()

    expect(taken.every(Boolean)).toBe(true)
    expect(beyond).toBe(false)
    expect(again).toEqual([true, false])
    expect(works.begun).toHaveLength(MAX_EVENTS + 1)
  })
})
