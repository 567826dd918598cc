/**
 * Who holds what, as a program is told it (PD-07, AC-061…AC-068).
 */
import { expect, test } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { startTestDaemon } from '../support/daemon.ts'

test('of two that lock the same, each is told of the other, and a release takes it off the list (PD-07)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await using first = await client.session({ instrument: 'cc', sessionId: 's1' })
  await using second = await client.session({ instrument: 'codex', sessionId: 's2' })

  const held = await first.lock('src/a.ts', { ttlMs: 60_000, intent: 'rename' })
  const also = await second.lock('src/a.ts')

  expect(held.heldBy).toEqual([])
  expect(also.heldBy).toEqual([
    expect.objectContaining({
      leaseId: held.leaseId,
      resource: 'src/a.ts',
      holder: '~alice/cc@s1',
      intent: 'rename',
      isOwn: false,
      isPresent: true,
    }),
  ])
  expect((await first.leases()).map(({ leaseId, isOwn }) => [leaseId, isOwn])).toEqual([
    [held.leaseId, true],
    [also.leaseId, false],
  ])
  await held.release()
  expect((await second.leases()).map(({ leaseId }) => leaseId)).toEqual([also.leaseId])
})

test('a lease of a session that has gone says so (PD-07)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const gone = await client.session({ instrument: 'cc', sessionId: 's1' })
  await gone.lock('src/a.ts')
  await gone.close()

  expect(await client.leases()).toEqual([
    expect.objectContaining({ holder: '~alice/cc@s1', isPresent: false }),
  ])
})
