/** A hook among more sessions than it could read about (HD-06). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import {
  contextOf,
  countRequests,
  createCheckout,
  say,
  startPeer,
  startSession,
} from '../../runtimes/support/sessions.ts'

/** Said in whole about so many sessions, a roster is longer than an answer that a hook takes. */
const CROWD = 300

const path = (name: string): string => `/${name}/`.padEnd(4_096, 'x')

test('a session that begins among hundreds is told of those near it, and of the number of the others (HD-06)', async () => {
  await using checkout = await createCheckout()
  await using daemon = await startTestDaemon()
  const wordy = { cwd: path('cwd'), repository: path('repository'), worktree: path('worktree') }
  const entities = Array.from({ length: 64 }, (_, i) => `agent.${i}.`.padEnd(256, 'e'))
  for (let i = 0; i < CROWD; i += 1) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await startPeer(daemon.socket, { ...wordy, entities })
  }
  const near = await startPeer(daemon.socket, { worktree: checkout.main })
  await using counted = await countRequests(daemon.socket, daemon.dir.file('counted.sock'))
  await using session = startSession({ ...daemon.env, AGENTD_SOCKET: counted.path }, checkout.main)

  const context = contextOf(await session.hook('session-start'))

  expect(context).toContain(near.address)
  expect(context).toContain(`${CROWD} more in other places.`)
  // Registration, four kinds of frames, roster, handovers, inbox: as many as among two.
  expect(counted.requests()).toBeLessThanOrEqual(8)
})

test('a lease that names a bare path is placed by where its session is, however long that is (HD-06)', async () => {
  await using checkout = await createCheckout()
  await using daemon = await startTestDaemon()
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  const near = await startPeer(daemon.socket, { worktree: checkout.main })
  const far = await startPeer(daemon.socket, { worktree: join(checkout.dir.path, 'x'.repeat(300)) })
  await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/auth.ts' }, near.token)
  await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/auth.ts' }, far.token)

  const context = contextOf(await session.editing(join(checkout.main, 'src', 'auth.ts')))

  expect(context).toContain(`"${near.address}" holds a lease on src/auth.ts in this worktree`)
  expect(context).not.toContain(far.address)
})
