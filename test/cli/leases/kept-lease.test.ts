/** A lease that is kept while something runs, against a daemon that serves; only time is in the test's hand. */
import { expect, test } from 'vitest'
import { KeptLease, MIN_KEPT_MS } from '../../../src/cli/leases/kept-lease.ts'
import { connect, type AgentdClient, type Frame } from '../../../src/client/index.ts'
import { MAX_LEASE_LIFE_MS } from '../../../src/protocol/board/board.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { within } from '../../support/within.ts'

const HOUR_MS = 3_600_000

/** For a word over the socket, on a busy machine. */
const PATIENT = { timeout: 20_000, interval: 5 }

/** The frames as they pass, from now on. */
async function passing(client: AgentdClient): Promise<() => Promise<Frame>> {
  const items = client.watch()[Symbol.asyncIterator]()
  // How everything is comes first, and says that it looks.
  await within(items.next(), 'the snapshot')
  return async () => {
    for (;;) {
      const { value, done } = await within(items.next(), 'a frame')
      if (done === true) throw new Error('the watch has ended')
      if (value.type === 'frame') return value.frame
    }
  }
}

/** What a frame says of a lease. */
const said = ({ kind, payload }: Frame): readonly unknown[] => [
  kind,
  'lease_id' in payload ? payload.lease_id : undefined,
  'additional_ttl_ms' in payload ? payload.additional_ttl_ms : undefined,
]

async function keep(client: AgentdClient, ttlMs: number, onTrouble: (sentence: string) => void = () => {}) {
  const clock = new FakeClock(Date.now())
  const wish = { resource: 'src/a.ts', ttlMs, more: { intent: 'running' } }
  const { lease } = await KeptLease.announce(wish, { participant: client, clock, onTrouble })
  return { clock, lease }
}

test('a lease is extended when half of it is over, by that half, and released with its resource', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const next = await passing(client)

  const { clock, lease } = await keep(client, MIN_KEPT_MS)
  const request = await next()
  clock.advance(MIN_KEPT_MS / 2)
  const extension = await next()
  const { leaseId } = lease
  await lease.release()
  const release = await next()
  clock.advance(MIN_KEPT_MS)

  expect(request.payload).toMatchObject({ resource: 'src/a.ts', ttl_ms: MIN_KEPT_MS, intent: 'running' })
  expect(said(extension)).toEqual(['agent_lease_extend', leaseId, MIN_KEPT_MS / 2])
  expect(release).toMatchObject({
    kind: 'agent_lock_release',
    payload: { lease_id: leaseId, resource: 'src/a.ts' },
  })
  expect(clock.pendingTimers).toBe(0)
})

test('where an extension would not count any more the lease is asked for anew, and then the old one let go (HD-08)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const next = await passing(client)
  const { clock, lease } = await keep(client, HOUR_MS)
  const { leaseId: first } = lease
  await next()

  const kinds: string[] = []
  // Each word is waited for: the next rest begins behind it.
  for (let ms = HOUR_MS / 2; ms <= MAX_LEASE_LIFE_MS - HOUR_MS; ms += HOUR_MS / 2) {
    clock.advance(HOUR_MS / 2)
    kinds.push((await next()).kind)
    await expect.poll(() => clock.pendingTimers, PATIENT).toBe(1)
  }
  clock.advance(HOUR_MS / 2)
  const [anew, old] = [await next(), await next()]
  await expect.poll(() => lease.leaseId, PATIENT).not.toBe(first)

  expect(kinds).toEqual(Array.from({ length: 6 }, () => 'agent_lease_extend'))
  expect(said(anew)).toEqual(['agent_lock_request', lease.leaseId, undefined])
  expect(said(old)).toEqual(['agent_lock_release', first, undefined])
})

test('a lease that has ended meanwhile, as over a sleep, is asked for anew', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const next = await passing(client)
  const { clock, lease } = await keep(client, MIN_KEPT_MS)
  const { leaseId: first } = lease
  await next()

  clock.stepWall(MIN_KEPT_MS)
  clock.advance(MIN_KEPT_MS / 2)
  const anew = await next()
  await expect.poll(() => lease.leaseId, PATIENT).not.toBe(first)

  expect(said(anew)).toEqual(['agent_lock_request', lease.leaseId, undefined])
})

test('what cannot be said is told once, tried again, and holds nobody up', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const told: string[] = []
  const { clock, lease } = await keep(client, MIN_KEPT_MS, (sentence) => told.push(sentence))
  await daemon.stop()

  for (let tries = 0; tries < 2; tries += 1) {
    clock.advance(MIN_KEPT_MS / 2)
    await expect.poll(() => clock.pendingTimers, PATIENT).toBe(1)
  }
  await lease.release()

  expect(told).toEqual([
    expect.stringMatching(/^The lease could not be extended; it is tried again: agentd does not answer /),
    expect.stringMatching(/^That the lease is over could not be said, it has ended by itself: agentd does /),
  ])
})
