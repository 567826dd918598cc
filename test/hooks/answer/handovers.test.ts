/** Handovers in the hooks: taken over once shown, shown as taken, and never one twice in one context (HO-06, OP-25). */
import { expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import {
  contextOf,
  createCheckout,
  framesOf,
  say,
  startSession,
  tokenOf,
} from '../../runtimes/support/sessions.ts'

async function open() {
  const checkout = await createCheckout()
  const daemon = await startTestDaemon()
  return {
    daemon,
    start: () => startSession(daemon.env, checkout.main),
    handOver: (body: string, more = {}) =>
      say(daemon.socket, 'agent_handover', { body, pointer_refs: [checkout.main], ...more }),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
}

test('what the model has read is taken over with a claim, once, and whoever starts later reads who has it', async () => {
  await using place = await open()
  const { daemon } = place
  const { body } = await place.handOver('half of it is done')
  await using first = place.start()

  expect(contextOf(await first.hook('session-start'))).toContain('| half of it is done')
  await first.hook('prompt')
  expect(await framesOf(daemon.socket, 'agent_handover')).toHaveLength(1)
  await first.hook('after-tool')
  await first.hook('turn-end')
  await first.hook('session-start', { source: 'compact' })
  await first.hook('turn-end')

  const frames = await framesOf(daemon.socket, 'agent_handover')
  expect(frames.map(({ payload }) => payload).slice(1)).toEqual([
    {
      previous_session_id: 'shell',
      next_session_id: first.id,
      handover_body: 'Taken over: half of it is done',
      pointer_refs: [body.frame_id],
    },
  ])
  await using second = place.start()
  const welcome = contextOf(await second.hook('session-start'))
  expect(welcome).toMatch(
    new RegExp(`Handover from "~alice", .*, taken over by "~alice/[^"]*@${first.id}"\\.`),
  )
  expect(welcome).not.toContain('half of it')
})

test('what somebody has taken over by a command is shown as taken, never the claim in its place', async () => {
  await using place = await open()
  await using client = await connect({ socket: place.daemon.socket })
  await place.handOver('half of it is done')
  const taker = await client.session({ instrument: 'codex', sessionId: 's9' })
  expect(await taker.takeOver()).toMatchObject({ state: 'taken' })
  await using session = place.start()

  const welcome = contextOf(await session.hook('session-start'))

  expect(welcome).toContain('taken over by "~alice/codex@s9".')
  expect(welcome).not.toContain('| ')
})

test('what another session was shown and has not claimed is called shown, and a command still takes it (OP-25, HO-03)', async () => {
  await using place = await open()
  await using client = await connect({ socket: place.daemon.socket })
  const { body } = await place.handOver('half of it is done')
  await using first = place.start()
  await first.hook('session-start')
  await using second = place.start()

  const welcome = contextOf(await second.hook('session-start'))
  const taker = await client.session({ instrument: 'codex', sessionId: 's9' })
  const taken = await taker.takeOver()
  const later = contextOf(await second.hook('session-start', { source: 'clear' }))

  expect(welcome).toMatch(new RegExp(`shown to "~alice/[^"]*@${first.id}", which has not taken it over yet`))
  expect(welcome).toContain(`agentd takeover ${String(body.frame_id).slice(0, 8)}`)
  expect(welcome).not.toMatch(/taken over by|half of it/)
  expect(taken).toMatchObject({ state: 'taken' })
  expect(later).toContain('taken over by "~alice/codex@s9".')
})

test('what a session has taken over itself it is not shown again, but after a compaction', async () => {
  await using place = await open()
  await using session = place.start()
  await session.hook('session-start')
  await using client = await connect({ socket: place.daemon.socket })
  const own = await client.attach((await tokenOf(place.daemon.socket, session.id)) ?? '')
  await place.handOver('half of it is done', { recipient_scope: '~alice/nobody-*' })
  expect(await own.takeOver()).toMatchObject({ state: 'taken' })

  const resumed = (await session.hook('session-start', { source: 'resume' })).stdout
  const compacted = contextOf(await session.hook('session-start', { source: 'compact' }))

  expect(resumed).not.toContain('half of it')
  expect(compacted).toContain('| half of it is done')
  expect(compacted).not.toContain('taken over by')
})

test('what stood in a digest is not shown again by a start of the same context', async () => {
  await using place = await open()
  await using neighbour = place.start()
  await neighbour.hook('session-start')
  await using session = place.start()
  // Who is there is told now, and a prompt shows no more than what came since.
  expect(contextOf(await session.hook('session-start'))).toContain(neighbour.id)
  await place.handOver('half of it is done')

  const prompt = contextOf(await session.hook('prompt'))
  await session.hook('after-tool')
  await session.hook('turn-end')
  const resumed = (await session.hook('session-start', { source: 'resume' })).stdout

  expect(prompt).toContain('handover: half of it is done')
  expect(resumed).not.toContain('half of it')
  expect(await framesOf(place.daemon.socket, 'agent_handover')).toHaveLength(1)
})

test('what waits in the mailbox is shown once by a start, and not by the digest beside it or after it', async () => {
  await using place = await open()
  await using session = place.start()
  await session.hook('session-start')
  await place.handOver('half of it is done')

  const start = contextOf(await session.hook('session-start', { source: 'clear' }))
  const prompt = (await session.hook('prompt')).stdout
  const tool = (await session.hook('after-tool')).stdout

  expect(start.split('half of it is done')).toHaveLength(2)
  expect(start).toContain('| half of it is done')
  expect(prompt + tool).not.toContain('half of it is done (')
  expect(prompt + tool).not.toContain('handover: half')
})

test('what was cut is read on by a command that claims nothing', async () => {
  await using place = await open()
  const { body } = await place.handOver(Array.from({ length: 2_000 }, (_, i) => `step ${i}`).join('\n'))
  await using session = place.start()

  const welcome = contextOf(await session.hook('session-start'))

  expect(welcome).toMatch(
    new RegExp(`Cut here; \\d+ more lines: agentd takeover ${body.frame_id.slice(0, 8)} --peek`),
  )
})
