import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NeedAlert } from '../../../../src/ui/seat/alerts/alert-words.ts'
import { APART_MS, GATHER_MS, NeedAlerts, TOGETHER_MS } from '../../../../src/ui/seat/alerts/need-alerts.ts'
import { SeatModel } from '../../../../src/ui/seat/seat-model.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { iso, need, NOON_MS, read, session, snapshot } from '../../support/wire.ts'

/** A seat that is told of needs, and what it says. */
class Seat {
  readonly clock = new FakeClock(NOON_MS)
  readonly told: (NeedAlert & { readonly atMs: number })[] = []
  readonly standing = new Map<string, NeedAlert>()
  readonly shown = new Set<string>()
  readonly #model = new SeatModel(this.clock, 100)
  readonly #alerts = new NeedAlerts({
    clock: this.clock,
    model: this.#model,
    sinceMs: NOON_MS,
    isShown: (needId) => this.shown.has(needId),
    tell: (alert) => {
      this.standing.set(alert.key, alert)
      if (!alert.isQuiet) this.told.push({ ...alert, atMs: this.clock.monotonicMs() })
    },
    withdraw: (key) => {
      // What was never told cannot be taken back.
      if (!this.standing.delete(key)) throw new Error(`${key} was not told`)
    },
  })

  get titles(): readonly string[] {
    return this.told.map(({ title }) => title)
  }

  get standingTitles(): readonly string[] {
    return [...this.standing.values()].map(({ title }) => title)
  }

  feed(name: string, data: unknown, eventId?: string): void {
    this.#model.feed(read(name, data, eventId))
    this.#alerts.look()
  }

  open(id: string, more: Parameters<typeof need>[1] = {}): void {
    const from = { address: `~alice/${id}@s1`, present: true }
    const asked = { asked_at: iso(this.clock.nowMs()), from, text: `May ${id}?`, event_id: `e1-${id}` }
    this.feed('need', { change: 'opened', need: need(id, { ...asked, ...more }) })
  }

  close(id: string): void {
    this.feed('need', { change: 'closed', need: need(id, { state: 'closed', closed_by: 'answer' }) })
  }

  /** What a question to anyone reached. */
  pass(eventId: string, reached: { readonly recipient_count: number; readonly queued_count: number }): void {
    const frame = {
      frame_id: eventId,
      kind: 'agent_query',
      payload: { query_id: eventId, query_text: 'Who?' },
    }
    const passed = { sender: '~alice/cc@s1', scope: '~alice/*', accepted_at: iso(NOON_MS), frame, ...reached }
    this.feed('passed', passed, eventId)
  }

  show(id: string): void {
    this.shown.add(id)
    this.#alerts.look()
  }

  stop(): void {
    this.#alerts.stop()
  }
}

test('a need for the person alone is told once, with who asks, what for, and the question (SEAT-41, SEAT-42)', () => {
  const seat = new Seat()
  seat.open('cc')
  seat.clock.advance(GATHER_MS - 1)
  expect(seat.told).toEqual([])
  seat.clock.advance(1)
  seat.feed('snapshot', snapshot({ needs: [need('cc', { asked_at: iso(NOON_MS) })] }))
  seat.clock.advance(10 * TOGETHER_MS)

  expect(seat.told).toMatchObject([{ title: 'cc@s1 · question', body: 'May cc?', needId: 'cc' }])
})

test('what was asked before the seat began, or is late, is not told (SEAT-41)', () => {
  const seat = new Seat()
  seat.open('old', { asked_at: iso(NOON_MS - 1) })
  seat.open('late', { state: 'late' })
  seat.open('soon-late')
  seat.feed('need', { change: 'changed', need: need('soon-late', { asked_at: iso(NOON_MS), state: 'late' }) })
  seat.clock.advance(TOGETHER_MS)

  expect(seat.told).toEqual([])
})

test('a question that anyone may answer is told when it reached nobody but the person’s own seats (SEAT-41)', () => {
  const seat = new Seat()
  seat.feed('snapshot', snapshot({ sessions: [session('~alice/human@p1', { tool: 'human' })] }))
  const reaching = { nobody: [0, 0], seat: [1, 0], stream: [2, 0], mailbox: [1, 1] } as const
  for (const [at, [id, [recipient_count, queued_count]]] of Object.entries(reaching).entries()) {
    const eventId = `e1-${at + 1}`
    seat.open(id, { addressed: 'anyone', event_id: eventId })
    seat.pass(eventId, { recipient_count, queued_count })
  }
  seat.clock.advance(GATHER_MS + APART_MS)

  expect(seat.titles).toEqual(['nobody@s1 · question', 'seat@s1 · question'])
})

test('one of which nobody says whom it reached is not told, and nothing waits for it (SEAT-41)', () => {
  const seat = new Seat()
  seat.open('cc', { addressed: 'anyone' })
  expect(seat.clock.pendingTimers).toBe(0)
  seat.clock.advance(TOGETHER_MS)

  expect(seat.told).toEqual([])
})

test('what is answered or given up at once is never told, and what was told is taken back when it closes (SEAT-41)', () => {
  const seat = new Seat()
  seat.open('quick')
  seat.clock.advance(GATHER_MS - 1)
  seat.close('quick')
  seat.open('stopped')
  seat.stop()
  seat.clock.advance(GATHER_MS)
  expect(seat.told).toEqual([])
  seat.open('slow')
  seat.clock.advance(GATHER_MS)
  expect(seat.standingTitles).toEqual(['slow@s1 · question'])
  seat.close('slow')

  expect(seat.standingTitles).toEqual([])
})

test('what the person sees is not told, and what was told is taken back once they see it (SEAT-41)', () => {
  const seat = new Seat()
  seat.show('seen')
  seat.open('seen')
  seat.open('unseen')
  seat.clock.advance(GATHER_MS)
  expect(seat.standingTitles).toEqual(['unseen@s1 · question'])
  seat.show('unseen')

  expect(seat.standingTitles).toEqual([])
  expect(seat.titles).toEqual(['unseen@s1 · question'])
})

test('three within ten seconds become one, which takes the place of the others (SEAT-41)', () => {
  const seat = new Seat()
  for (const id of ['a', 'b', 'c']) {
    seat.open(id)
    seat.clock.advance(3_000)
  }

  expect(seat.titles).toEqual(['a@s1 · question', 'b@s1 · question', '3 need you'])
  expect(seat.standingTitles).toEqual(['3 need you'])
  expect(seat.told.at(-1)?.body).toBe('a@s1, b@s1, c@s1')
  seat.close('a')
  seat.close('b')
  expect(seat.standingTitles).toEqual(['1 needs you'])
  seat.close('c')
  expect(seat.standingTitles).toEqual([])
  expect(seat.told).toHaveLength(3)
})

test('one that closed within the ten seconds is not counted (SEAT-41)', () => {
  const seat = new Seat()
  for (const id of ['a', 'b', 'c']) {
    seat.open(id)
    seat.clock.advance(GATHER_MS)
    if (id === 'a') seat.close(id)
  }
  seat.clock.advance(TOGETHER_MS)

  expect(seat.titles).toEqual(['a@s1 · question', 'b@s1 · question', 'c@s1 · question'])
})

test('two hundred questions a second are one alert, while they last for less than ten seconds (SEAT-41)', () => {
  const seat = new Seat()
  for (let at = 0; at < 600; at += 1) {
    seat.open(`cc${at}`, { from: { address: '~alice/cc@s1', present: true } })
    seat.clock.advance(5)
  }
  seat.clock.advance(TOGETHER_MS)

  expect(seat.titles).toEqual(['600 need you'])
  expect(seat.told[0]?.body).toBe('cc@s1')
})

test('a session that waits at its own prompt again is told of again, in its turn (SEAT-10, SEAT-41)', () => {
  const seat = new Seat()
  for (let at = 0; at < 4; at += 1) {
    seat.open('cc', { type: 'prompt' })
    seat.clock.advance(2 * GATHER_MS)
    seat.close('cc')
  }
  seat.open('cc', { type: 'prompt' })
  seat.clock.advance(TOGETHER_MS)

  expect(new Set(seat.titles)).toEqual(new Set(['cc@s1 · prompt']))
  expect(seat.told.map(({ atMs }) => atMs)).toEqual([0, 1, 2, 3].map((count) => GATHER_MS + count * APART_MS))
})

const step = fc.oneof(
  fc.record({
    what: fc.constant('open' as const),
    id: fc.nat(15),
    reached: fc.nat(1),
    isForAnyone: fc.boolean(),
  }),
  fc.record({ what: fc.constant('close' as const), id: fc.nat(15) }),
  fc.record({ what: fc.constant('show' as const), id: fc.nat(15) }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.nat(4_000) }),
)

test('whatever comes, what stands is what is open, unseen and nobody else’s, and no two alerts come within three seconds (SEAT-41)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const seat = new Seat()
      const open = new Map<string, { readonly isForPerson: boolean }>()
      for (const [at, one] of steps.entries()) {
        if (one.what === 'wait') seat.clock.advance(one.ms)
        else if (one.what === 'show') seat.show(`n${one.id}`)
        else if (one.what === 'close') {
          seat.close(`n${one.id}`)
          open.delete(`n${one.id}`)
          // What comes again under one name is told apart by its time.
          seat.clock.advance(1)
        } else if (!open.has(`n${one.id}`)) {
          const id = `n${one.id}`
          const eventId = `e1-${at + 1}`
          seat.open(id, { addressed: one.isForAnyone ? 'anyone' : 'you', event_id: eventId })
          seat.pass(eventId, { recipient_count: one.reached, queued_count: 0 })
          open.set(id, { isForPerson: !one.isForAnyone || one.reached === 0 })
        }
      }
      const loud = seat.told.map(({ atMs }) => atMs)
      for (const [at, ms] of loud.entries())
        expect((loud[at + 1] ?? Infinity) - ms).toBeGreaterThanOrEqual(APART_MS)
      seat.clock.advance(3 * TOGETHER_MS)

      const wanted = [...open].filter(([id, { isForPerson }]) => isForPerson && !seat.shown.has(id)).length
      const standing = [...seat.standing.values()]
      const together = /^\d+/.exec(seat.standing.get('together')?.title ?? '0')?.[0]
      expect(standing.filter(({ needId }) => needId !== undefined).length + Number(together)).toBe(wanted)
    }),
  )
})
