/**
 * What was announced on another machine, as programs, commands and tools place it: there, and never here.
 *
 * @see FED-54, FED-66…FED-68
 */
import { expect, test } from 'vitest'
import { readBoardLines } from '../../../src/cli/leases/board-lines.ts'
import { connect } from '../../../src/client/connect.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { connectHost } from '../../mcp/support/connection.ts'
import { arrivingFrame, batchOf } from '../../support/arrivals.ts'
import { createCheckout } from '../../runtimes/support/sessions.ts'
import { FilledRemote, remoteNode, remoteSession } from '../../support/other-nodes.ts'
import { startInProcess } from '../in-process.ts'

const FAR = '~alice/cc@far'
const REPOSITORY = 'git:example.org/alice/api'
const LEASE = { resource: 'src/a.ts', lease_id: '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a', ttl_ms: 600_000 }

/** A daemon that is linked with `devbox`, where a session works in a repository; it has announced something. */
async function meet(worktree = '/home/alice/api') {
  const remote = new FilledRemote(remoteNode('devbox', [remoteSession(FAR, { repositoryId: REPOSITORY })]))
  const daemon = await startInProcess({ remote, time: systemClock })
  const made = { created_at: new Date().toISOString() }
  const advice = { advisory_text: 'at it', file_refs: ['src/a.ts'], worktree }
  const handover = { previous_session_id: 'far', handover_body: 'half done', pointer_refs: [worktree] }
  await daemon.broker.ingest(
    batchOf([
      arrivingFrame('far1-1', { frame: { ...made, payload: advice } }),
      arrivingFrame('far1-2', { kind: 'agent_lock_request', frame: { ...made, payload: LEASE } }),
      arrivingFrame('far1-3', { kind: 'agent_handover', frame: { ...made, payload: handover } }),
    ]),
  )
  return { daemon, remote, socket: daemon.socket }
}

test('a lease of another machine has its node, and says whether its session is there still (FED-66)', async () => {
  const { daemon, remote, socket } = await meet()
  await using _ = daemon
  await using client = await connect({ socket })
  // The same address here is somebody else.
  await using twin = await client.session({ instrument: 'cc', sessionId: 'far' })

  const there = await twin.leases()
  const lock = await twin.lock('src/a.ts')
  remote.become(remoteNode('devbox', []))
  const gone = await twin.leases()
  remote.become(remoteNode('devbox', [], { state: 'away' }))
  const away = await client.leases()

  const lease = { holder: FAR, node: 'devbox', isOwn: false }
  expect(there).toEqual([expect.objectContaining({ ...lease, isPresent: true })])
  expect(lock.heldBy).toEqual([expect.objectContaining(lease)])
  expect(gone).toContainEqual(expect.objectContaining({ ...lease, isPresent: false }))
  expect(away).toContainEqual(expect.objectContaining({ ...lease, isPresent: true }))
})

test('the board has what another machine announced under that machine, however equal the paths (FED-67)', async () => {
  await using checkout = await createCheckout()
  const { daemon, socket } = await meet(checkout.main)
  await using _ = daemon
  await using client = await connect({ socket })
  await using here = await client.session({ instrument: 'cc', sessionId: 'near' })
  await here.send({
    kind: 'agent_advisory',
    payload: { advisory_text: 'at it', file_refs: ['src/a.ts'], worktree: checkout.main },
  })

  const { lines } = await readBoardLines(client, systemClock)
  const far = lines.filter(({ node }) => node === 'devbox')
  const near = lines.filter(({ node }) => node === undefined)

  expect(far).toHaveLength(2)
  for (const line of far) {
    expect(line).toMatchObject({ from: FAR, repositoryId: REPOSITORY, hasLeft: false, path: 'src/a.ts' })
    expect(line.repository).toBeUndefined()
    expect(line.head).toBe(`${REPOSITORY}, on the machine "devbox"`)
  }
  expect(near).toHaveLength(1)
  expect(near[0]?.head).not.toContain('machine')
})

test('a handover of another machine has its node, and the repository of who wrote it (FED-67, FED-68)', async () => {
  const { daemon, socket } = await meet()
  await using _ = daemon
  await using client = await connect({ socket })
  const asked: unknown[] = []

  const outcome = await client.takeOver({
    peek: true,
    admits(handover, writer) {
      asked.push([handover.repositoryId, writer])
      return true
    },
  })

  expect(asked).toEqual([[REPOSITORY, undefined]])
  expect(outcome).toMatchObject({
    state: 'taken',
    handover: { node: 'devbox', from: FAR, text: 'half done' },
  })
})

test('tools list who is on other machines, and name the machine of a lease (FED-66, FED-67)', async () => {
  const { daemon, remote, socket } = await meet()
  await using _ = daemon
  await using host = connectHost(socket, { place: { cwd: '/home/alice/api', repositoryId: REPOSITORY } })
  await host.open()

  const { facts: roster } = await host.call('agentd_roster', { as: 'one' })
  const { facts: taken } = await host.call('agentd_send', { kind: 'takeover' })
  remote.become(remoteNode('devbox', []))
  const { facts: lock } = await host.call('agentd_lock', { action: 'acquire', resource: LEASE.resource })

  expect(roster['nodes']).toEqual({
    devbox: {
      sessions: [expect.objectContaining({ address: FAR, repository: REPOSITORY, reach: 'stream' })],
    },
  })
  expect(roster['leases']).toEqual([expect.objectContaining({ holder: FAR, node: 'devbox' })])
  expect(roster['leases']).not.toEqual([expect.objectContaining({ has_left: true })])
  expect(taken).toMatchObject({ node: 'devbox', text: 'half done' })
  expect(lock['held_by']).toEqual([expect.objectContaining({ node: 'devbox', has_left: true })])
  const [session] = daemon.broker.sessions.present()
  expect(session?.facts.repositoryId).toBe(REPOSITORY)
})

test('without a link no tool says a word of other machines (FED-01)', async () => {
  await using daemon = await startInProcess({ time: systemClock })
  await using host = connectHost(daemon.socket)
  await host.open()
  await host.call('agentd_lock', { action: 'acquire', resource: 'src/a.ts', as: 'one' })

  const { text } = await host.call('agentd_roster')

  expect(text).not.toMatch(/"nodes?"|has_left/)
})
