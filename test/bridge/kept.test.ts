/**
 * A hub that takes a batch and does not say that it keeps it, as nats-server 2.10 and newer do whose disk is full: it is told of,
 * and the link is not up again before something is kept (FT-16, FED-65).
 */
import { describe, expect, test } from 'vitest'
import { Condition } from '../../src/bridge/condition.ts'
import type { Door } from '../../src/bridge/daemon/door.ts'
import { faultOf, NotKept } from '../../src/bridge/hub/faults.ts'
import type { Hub } from '../../src/bridge/hub/hub.ts'
import { ASKED_MS, KEPT_MS, requireKept, TRUSTED_MS } from '../../src/bridge/kept.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** Lets everything run that is ready. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A batch that nothing is said of yet, and what becomes of the wait for it. */
function startKeeping(isThere: () => boolean) {
  const clock = new FakeClock()
  let [asked, said] = [0, (_seq: number): void => {}]
  const taken = new Promise<number>((resolve) => {
    said = resolve
  })
  const hub = {
    isThere: () => {
      asked += 1
      return Promise.resolve(isThere())
    },
  }
  let became: unknown
  const note = (value: unknown): void => {
    became = value
  }
  requireKept(taken, { clock, hub }).then(note, note)
  const pass = async (ms: number): Promise<unknown> => {
    clock.advance(ms)
    await turn()
    return became
  }
  return { clock, pass, say: (seq: number) => said(seq), asked: () => asked }
}

describe('a batch', () => {
  test('that is kept at once costs no question, and leaves no timer', async () => {
    const { clock, pass, say, asked } = startKeeping(() => true)
    say(7)

    expect(await pass(0)).toBe(7)
    expect([asked(), clock.pendingTimers]).toEqual([0, 0])
  })

  test('that a server has which answers, and of which it says no more, is not kept (FT-16)', async () => {
    const { pass, asked } = startKeeping(() => true)

    expect(await pass(ASKED_MS - 1)).toBeUndefined()
    expect(asked()).toBe(0)
    expect(await pass(1)).toBeUndefined()
    expect(await pass(KEPT_MS - 1)).toBeUndefined()
    expect(await pass(1)).toBeInstanceOf(NotKept)
    expect(asked()).toBe(1)
  })

  test('that is on its way for as long as the server does not answer is waited for (FED-18)', async () => {
    let isThere = false
    const { pass, say, asked } = startKeeping(() => isThere)
    for (let i = 0; i < 4; i += 1) expect(await pass(ASKED_MS)).toBeUndefined()
    isThere = true
    await pass(ASKED_MS)

    say(9)

    expect(await pass(KEPT_MS)).toBe(9)
    expect(asked()).toBe(5)
  })

  test.each([
    ['insufficient resources', 10_023, 'insufficient resources'],
    ['write /var/lib/hub/msgs/1.blk: no space left on device', 10_077, 'no space left on device'],
  ])('that is refused with "%s" is not kept for want of room (FT-16)', (said, code, told) => {
    const fault = faultOf(Object.assign(new Error(said), { name: 'JetStreamApiError', code }))

    expect(fault).toBeInstanceOf(NotKept)
    expect(fault.message).toContain(`The hub takes nothing more (${told}): its disk is full`)
  })
})

/** A link with one lane and one reading, and what its daemon is told of it. */
function startCondition() {
  const clock = new FakeClock()
  const told: string[] = []
  const door: Pick<Door, 'post'> = {
    post: (_path, body) => {
      told.push(String(Reflect.get(body, 'state')))
      return Promise.resolve({})
    },
  }
  const condition = new Condition(door, clock)
  const begin = (): void => {
    const hub: Pick<Hub, 'server' | 'maxPayload'> = { server: '2.15.1', maxPayload: 1 }
    condition.connected(hub, 2)
    condition.ready('filter')
    condition.ready('lane')
  }
  return { clock, told, condition, begin }
}

describe('a hub that kept nothing', () => {
  test('is up again with the first batch that it keeps, and not with the connection (FT-16)', async () => {
    const { condition, begin, told } = startCondition()
    begin()
    condition.doubted()
    await condition.down('away', 'full')

    begin()
    expect(told).toEqual(['up', 'away'])
    condition.kept()

    expect(told).toEqual(['up', 'away', 'up'])
  })

  test('is up again when nothing more is held against it, but not by the time of a round that is over', async () => {
    const { clock, condition, begin, told } = startCondition()
    begin()
    condition.doubted()
    begin()
    clock.advance(TRUSTED_MS - 1)
    await condition.down('away', 'full')
    clock.advance(1)
    expect(condition.isUp).toBe(false)

    begin()
    clock.advance(TRUSTED_MS)

    expect(told).toEqual(['up', 'away', 'up'])
  })
})
