/**
 * What a recipient knows of a frame, and does with it: the library at a daemon that runs (memo §§3.2, 3.3, 5.4, 7.2, 14).
 */
import { expect, test } from 'vitest'
import { connect, type FrameItem } from '../../src/client/index.ts'
import { agentd } from '../cli/support.ts'
import { SharedDaemon } from '../server/shared-daemon.ts'
import { validFrame } from '../support/frames.ts'

const shared = new SharedDaemon()

/** A frame that went stale nine seconds ago. */
function staleFrame() {
  return validFrame(undefined, { created_at: new Date(Date.now() - 10_000).toISOString(), ttl_ms: 1_000 })
}

test('a frame says by itself whether a person or a runtime wrote it, and where it was thought (AC-021, AC-022, AC-025, ACQ-12)', async () => {
  using stream = await shared.listen()
  const { token } = await shared.register({ instrument: 'cc-opus-4-6', tool: 'cc' })

  const { code } = await agentd(shared.daemon.env, ['advise', 'by hand'])
  await shared.post('/v1/verbs/agent_advise', { text: 'by a runtime' }, token)

  expect(code).toBe(0)
  expect(await stream.frames(2)).toMatchObject([
    { acted_by: '~alice', drafted_with: '~agentd-cli', provenance_compute_location: 'local-only' },
    { acted_by: '~alice', drafted_with: '~cc-opus-4-6', provenance_compute_location: 'server-active' },
  ])
})

test('what is stale when it comes is left out and reported (AC-183)', async () => {
  await using client = await connect({ socket: shared.socket })
  const expired: FrameItem[] = []
  await using stream = client.stream({ onExpired: (item) => void expired.push(item) })
  await stream.opened
  const [stale, fresh] = [staleFrame(), validFrame()]
  for (const frame of [stale, fresh]) expect((await shared.post('/v1/frames', { frame })).status).toBe(200)

  const { value } = await stream[Symbol.asyncIterator]().next()

  expect(value).toMatchObject({ type: 'frame', frame: fresh })
  expect(expired.map(({ frame }) => frame.frame_id)).toEqual([stale.frame_id])
})

test('where something may be missing, that is said before anything else (AC-145)', async () => {
  await using client = await connect({ socket: shared.socket })
  await using stream = client.stream({ after: 'fffffffe-1' })
  const items = stream[Symbol.asyncIterator]()

  expect((await items.next()).value).toMatchObject({ type: 'gap', gap: { reason: 'epoch' } })
})

test('a lease correlates what is announced of it: request, extension and release (AC-062, AC-065, AC-067)', async () => {
  await using client = await connect({ socket: shared.socket })
  using stream = await shared.listen(undefined, '?instrument=lease')
  const lease = await client.lock('src/lease.ts', { ttlMs: 60_000, scope: '~alice/lease*' })
  await lease.extend(1_000)
  await lease.release()

  const announced = await stream.frames(3)

  expect(announced.map(({ kind }) => kind)).toEqual([
    'agent_lock_request',
    'agent_lease_extend',
    'agent_lock_release',
  ])
  for (const frame of announced) expect(frame).toMatchObject({ payload: { lease_id: lease.leaseId } })
})
