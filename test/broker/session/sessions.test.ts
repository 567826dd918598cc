import { expect, test } from 'vitest'
import { Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000

function refusal(code: string, field?: string): unknown {
  return expect.objectContaining({ code, field })
}

test('a session is known by what it registered, with the rest filled in (docs/http.md §4)', () => {
  const bench = new Workbench()

  const { kind, session, token } = bench.register({ instrument: 'cc-opus-4-6' })

  expect(kind).toBe('created')
  expect(session.address).toMatch(/^~alice\/cc-opus-4-6@[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(session).toMatchObject({ handle: '~alice', instrument: 'cc-opus-4-6', tool: 'other' })
  expect(session.facts.draftedWith).toBe('~cc-opus-4-6')
  expect(session.mailbox).toBeUndefined()
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(bench.broker.sessions.authenticate(token)).toBe(session)
})

test('the same address with its token is an update that keeps token, streams and mailbox (docs/http.md §4)', () => {
  const bench = new Workbench()
  const held = bench.register({ instrument: 'cc', session_id: 's1', mailbox: true, title: 'one' })
  bench.publish()
  const { subscription } = bench.open(held.session)

  const again = bench.register(
    { instrument: 'cc', session_id: 's1', mailbox: true, title: 'two', tool: 'cc' },
    held,
  )

  expect(again).toMatchObject({ kind: 'updated', token: held.token })
  expect(again.session).toBe(held.session)
  expect(held.session.facts.title).toBe('two')
  expect(held.session.mailbox?.unread).toBe(1)
  expect(subscription.isOpen).toBe(true)
  expect(bench.broker.sessions.count).toBe(1)
})

test('an update changes what filters see of later frames (ACQ-29)', () => {
  const bench = new Workbench()
  const held = bench.register({ instrument: 'cc', session_id: 's1', tool: 'cc' })
  const { sink } = bench.open(bench.session('cc', 's2'), { filter: 'tool:codex' })
  bench.publish({ from: held.session })

  bench.register({ instrument: 'cc', session_id: 's1', tool: 'codex' }, held)
  bench.publish({ from: held.session })

  expect(sink.seqs).toEqual([2])
})

test('a registration that gives a session a mailbox makes it reachable at once (docs/http.md §4)', () => {
  const bench = new Workbench()
  const held = bench.register({ instrument: 'cc', session_id: 's1' })
  const before = bench.publish()

  bench.register({ instrument: 'cc', session_id: 's1', mailbox: true }, held)
  const after = bench.publish()

  expect([before.queued_count, after.queued_count]).toEqual([0, 1])
})

test('an address that somebody alive holds is refused without its token (docs/http.md §4)', () => {
  const bench = new Workbench()
  const other = bench.register({ instrument: 'codex', session_id: 's1' })
  bench.session('cc', 's1')
  const request = { instrument: 'cc', session_id: 's1' }

  expect(() => bench.register(request)).toThrow(refusal('session-exists', 'session_id'))
  expect(() => bench.register(request, other)).toThrow(refusal('session-exists', 'session_id'))
})

test('a session that is not heard of for a lease is over, and its token with it (docs/http.md §4)', () => {
  const bench = new Workbench()
  const { session, token } = bench.register({ instrument: 'cc', session_id: 's1', mailbox: true })
  bench.clock.advance(LEASE_MS - 1)
  const before = bench.broker.sessions.count

  bench.clock.advance(1)

  expect(before).toBe(1)
  expect(bench.broker.sessions.count).toBe(0)
  expect(bench.broker.sessions.authenticate(token)).toBeUndefined()
  expect(session.isOver).toBe(true)
  expect(bench.publish()).toMatchObject({ recipient_count: 0, queued_count: 0 })
})

test('every request moves the lease on (docs/http.md §4)', () => {
  const bench = new Workbench()
  const { token } = bench.register({ instrument: 'cc', session_id: 's1' })

  for (let i = 0; i < 5; i += 1) {
    bench.clock.advance(LEASE_MS - 1)
    expect(bench.broker.sessions.authenticate(token)).toBeDefined()
  }
  bench.clock.advance(LEASE_MS)

  expect(bench.broker.sessions.authenticate(token)).toBeUndefined()
})

test('a session that holds a stream lives, and gets a lease when it lets go (docs/http.md §4)', () => {
  const bench = new Workbench({ limits: { keepAliveMs: LEASE_MS } })
  const session = bench.session('cc', 's1')
  const { subscription } = bench.open(session)
  bench.clock.advance(10 * LEASE_MS)
  const held = bench.broker.sessions.count

  subscription.closed()
  bench.clock.advance(LEASE_MS - 1)
  const after = bench.broker.sessions.count
  bench.clock.advance(LEASE_MS)

  expect([held, after, bench.broker.sessions.count]).toEqual([1, 1, 0])
})

test('a session whose process lives, lives; another process of the same number does not count (docs/http.md §4)', () => {
  const bench = new Workbench()
  bench.processes.set(4242, 'monday')
  const { token } = bench.register({ instrument: 'cc', session_id: 's1', pid: 4242 })
  bench.clock.advance(5 * LEASE_MS)
  const living = bench.broker.sessions.count

  bench.processes.set(4242, 'tuesday')
  bench.clock.advance(2 * LEASE_MS)

  expect(living).toBe(1)
  expect(bench.broker.sessions.count).toBe(0)
  expect(bench.broker.sessions.authenticate(token)).toBeUndefined()
})

test('a process that was not there at registration keeps nobody alive (docs/http.md §4)', () => {
  const bench = new Workbench()
  bench.session('cc', 's1', { pid: 4242 })
  bench.processes.set(4242, 'later')

  bench.clock.advance(LEASE_MS)

  expect(bench.broker.sessions.count).toBe(0)
})

test('an address whose holder is dead is taken over, with a new token, and what waited still does (docs/http.md §4)', () => {
  // The daemon looks at most once a second; with a shorter lease a newcomer can be there before it has looked.
  const bench = new Workbench({ limits: { leaseMs: 400 } })
  const request = { instrument: 'cc', session_id: 's1', mailbox: true }
  const dead = bench.register(request)
  const { frame_id } = bench.publish()
  bench.clock.advance(399)
  const early = (): unknown => bench.register(request)
  expect(early).toThrow(refusal('session-exists', 'session_id'))
  bench.clock.advance(1)

  const fresh = bench.register(request)

  expect(fresh.kind).toBe('taken-over')
  expect(fresh.token).not.toBe(dead.token)
  expect(bench.broker.sessions.authenticate(dead.token)).toBeUndefined()
  expect(bench.broker.sessions.authenticate(fresh.token)).toBe(fresh.session)
  expect(bench.drain(fresh.session).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
})

test('successor_of hands what waits to the new session, once (docs/http.md §4)', () => {
  const bench = new Workbench()
  const former = bench.session('cc', 's0', { mailbox: true })
  const ids = [bench.publish(), bench.publish({ kind: 'agent_query', scope: '~alice/cc@s0' })].map(
    ({ frame_id }) => frame_id,
  )

  const next = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })

  expect(bench.drain(next).items.map(({ frame }) => frame.frame_id)).toEqual(ids)
  expect(bench.drain(next).items).toEqual([])
  expect(former.mailbox).toBeUndefined()
})

test('what a successor has seen is seen for the sender, who only knows the former address (docs/http.md §§4, 5)', () => {
  const bench = new Workbench()
  const from = bench.session('codex', 's9')
  bench.session('cc', 's0', { mailbox: true })
  const { frame_id } = bench.publish({ from })
  const next = bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@s0' })

  bench.drain(next)

  const { receipts } = bench.broker.receipts.describe(bench.broker.receipts.require(frame_id))
  expect(receipts).toMatchObject([{ address: '~alice/cc@s0', state: 'seen', via: 'inbox' }])
})

test('successor_of of nobody, of oneself, and without a mailbox change nothing (docs/http.md §4)', () => {
  const bench = new Workbench()
  const former = bench.session('cc', 's0', { mailbox: true })
  bench.publish()

  const [one, two, three] = [
    bench.session('cc', 's1', { mailbox: true, successor_of: 'cc@nobody' }),
    bench.session('cc', 's2', { mailbox: true, successor_of: 'cc@s2' }),
    bench.session('cc', 's3', { successor_of: 'cc@s0' }),
  ]

  expect([one.mailbox?.unread, two.mailbox?.unread, three.mailbox]).toEqual([0, 0, undefined])
  expect(former.mailbox?.unread).toBe(1)
})

test.each([
  ['handle', { handle: '~bob' }],
  ['handle', { handle: '~codex', drafted_with: '~cc' }],
  ['drafted_with', { drafted_with: '~alice' }],
])(
  'a session cannot register another %s than its principal gives (AC-013, ACQ-11, ACQ-13)',
  (field, claim) => {
    const bench = new Workbench()

    expect(() => bench.register({ instrument: 'cc', ...claim })).toThrow(
      refusal('sender-identity-mismatch', field),
    )
    expect(bench.broker.sessions.count).toBe(0)
  },
)

test("a session may go by its instrument's own handle, which is the principal's while it is there (ACQ-13)", () => {
  const bench = new Workbench()
  const session = bench.session('cc-solo', 's1', { handle: '~cc-solo' })
  const { sink } = bench.open(session)

  expect(bench.publish({ from: session, scope: '~cc-solo/*' }).recipient_count).toBe(1)
  expect(sink.seqs).toEqual([1])
  bench.broker.sessions.close(session)
  expect(bench.broker.sessions.owns('~cc-solo', '~alice')).toBe(false)
})

test('a session that leaves takes its streams, its token and its place along (docs/http.md §§4, 6)', () => {
  const bench = new Workbench()
  const { session, token } = bench.register({ instrument: 'cc', session_id: 's1', mailbox: true })
  const readers = [bench.open(session), bench.open(session)]

  bench.broker.sessions.close(session)

  for (const { sink } of readers) expect(sink.byes).toEqual([{ reason: 'expired' }])
  expect(bench.broker.sessions.authenticate(token)).toBeUndefined()
  expect(bench.broker.streams.count).toBe(0)
  expect(bench.publish()).toMatchObject({ recipient_count: 0, queued_count: 0 })
  expect(() => bench.session('cc', 's1')).not.toThrow()
})

test('a visitor stands on the roster while it holds a stream, and nowhere else (docs/http.md §6)', () => {
  const bench = new Workbench()
  const facts = { handle: '~alice', instrument: 'cli', sessionId: 'v1', tool: 'cli' }
  const visitor = bench.broker.sessions.visit(facts)
  const one = bench.open(visitor)
  const two = bench.open(bench.broker.sessions.visit(facts))

  expect(bench.broker.sessions.count).toBe(1)
  expect(bench.publish({ scope: '~alice/cli@v1' }).recipient_count).toBe(2)
  one.subscription.closed()
  expect(bench.broker.sessions.find('~alice/cli@v1')).toBe(visitor)
  two.subscription.closed()
  expect(bench.broker.sessions.count).toBe(0)
})

test('a visitor cannot stand where a registered session does, nor the other way round (docs/http.md §4)', () => {
  const bench = new Workbench()
  const facts = { handle: '~alice', instrument: 'cli', sessionId: 'v1', tool: 'cli' }
  const { subscription } = bench.open(bench.broker.sessions.visit(facts))

  expect(() => bench.session('cli', 'v1')).toThrow(refusal('session-exists', 'session_id'))
  subscription.closed()
  bench.session('cli', 'v1')
  expect(() => bench.broker.sessions.visit(facts)).toThrow(refusal('session-exists', 'session_id'))
})

test('as many sessions as the limit register, one more is busy, and an update is none more (R-30)', () => {
  const bench = new Workbench({ limits: { sessions: 2 } })
  const held = bench.register({ instrument: 'cc', session_id: 's1' })
  bench.session('cc', 's2')

  expect(() => bench.session('cc', 's3')).toThrow(
    expect.objectContaining({ code: 'busy', retryAfterMs: expect.any(Number) }),
  )
  expect(bench.register({ instrument: 'cc', session_id: 's1' }, held).kind).toBe('updated')
  bench.broker.sessions.close(held.session)
  expect(() => bench.session('cc', 's3')).not.toThrow()
})

test('visitors take no places from those who register (R-30)', () => {
  const bench = new Workbench({ limits: { sessions: 2 } })
  for (const sessionId of ['v1', 'v2', 'v3']) {
    bench.open(bench.broker.sessions.visit({ handle: '~alice', instrument: 'cli', sessionId, tool: 'cli' }))
  }

  expect(() => bench.session('cc', 's1')).not.toThrow()
})

test('a closed broker leaves no timer behind (docs/architecture.md rule 12)', () => {
  const bench = new Workbench()
  for (const id of ['s1', 's2']) bench.open(bench.session('cc', id))

  bench.broker.close()

  expect(bench.clock.pendingTimers).toBe(0)
})

test('a session whose process runs when its lease ends has a whole new one, and is looked at once in each (docs/http.md §4)', () => {
  const bench = new Workbench()
  bench.processes.set(4242, 'started then')
  const session = bench.session('cc', 's1', { pid: 4242 })
  bench.clock.advance(LEASE_MS)
  const renewedMs = bench.broker.sessions.expiresAtMs(session) - bench.clock.nowMs()

  bench.processes.delete(4242)
  bench.clock.advance(LEASE_MS - 1)
  const countBefore = bench.broker.sessions.count
  bench.clock.advance(1)

  expect(renewedMs).toBe(LEASE_MS)
  expect([countBefore, bench.broker.sessions.count]).toEqual([1, 0])
})

test('a session that went takes its lease with it: who registers at its address later is left alone (docs/http.md §4)', () => {
  const bench = new Workbench()
  bench.broker.sessions.close(bench.session('cc', 's1'))
  bench.clock.advance(LEASE_MS / 2)
  const later = bench.session('cc', 's1')

  bench.clock.advance(LEASE_MS - 1)

  expect(bench.broker.sessions.find(later.address)).toBe(later)
})
