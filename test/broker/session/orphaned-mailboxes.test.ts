import { expect, test } from 'vitest'
import { Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000

test('what waits for a session whose lease ran out waits for the one that comes back (docs/http.md §4, PD-04)', () => {
  const bench = new Workbench()
  const request = { instrument: 'cc', session_id: 's1', mailbox: true }
  bench.register(request)
  const { frame_id } = bench.publish()
  bench.clock.advance(LEASE_MS)
  expect(bench.broker.sessions.count).toBe(0)

  const { kind, session } = bench.register(request)

  expect(kind).toBe('created')
  expect(bench.drain(session).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
})

test('a successor finds what a lapsed session left, once (docs/http.md §4, successor_of)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  const { frame_id } = bench.publish()
  bench.clock.advance(LEASE_MS)

  const next = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })
  const other = bench.session('cc', 's2', { mailbox: true, successor_of: 'cc@s0' })

  expect(bench.drain(next).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
  expect(bench.drain(other).items).toEqual([])
})

test('nothing is queued for a session that has lapsed: the count stays honest (ACQ-24, PD-01)', () => {
  const bench = new Workbench()
  bench.session('cc', 's0', { mailbox: true })
  bench.publish()
  bench.clock.advance(LEASE_MS)

  expect(bench.publish()).toMatchObject({ recipient_count: 0, queued_count: 0 })
})

test('a session that ends itself leaves nothing behind', () => {
  const bench = new Workbench()
  const request = { instrument: 'cc', session_id: 's1', mailbox: true }
  const { session } = bench.register(request)
  bench.publish()
  bench.broker.sessions.close(session)

  expect(bench.drain(bench.register(request).session).items).toEqual([])
})

test('what retention has emptied is let go of with the next that lapses', () => {
  const bench = new Workbench({ retention: { maxFrames: 1, maxBytes: 1 << 30, maxAgeMs: 86_400_000 } })
  bench.session('cc', 's0', { mailbox: true })
  bench.publish()
  bench.clock.advance(LEASE_MS)
  bench.publish()

  const next = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })

  expect(bench.drain(next)).toMatchObject({ items: [], gap: { reason: 'trimmed', missed: 1 } })
})

test('an update that says nothing of a mailbox keeps it, and one that says no gives it up (docs/http.md §4)', () => {
  const bench = new Workbench()
  const request = { instrument: 'cc', session_id: 's1' }
  const { session, token } = bench.register({ ...request, mailbox: true })
  bench.publish()

  bench.broker.sessions.open({ ...request, title: 'docs' }, session, token)
  expect(session.mailbox?.unread).toBe(1)

  bench.broker.sessions.open({ ...request, mailbox: false }, session, token)
  expect(session.mailbox).toBeUndefined()
})
