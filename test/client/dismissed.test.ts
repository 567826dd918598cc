/** A question that is dismissed: whoever asks learns that no answer comes (SEAT-12). */
import { expect, test } from 'vitest'
import { connect, type AgentdClient, type AgentdSession, type FrameOf } from '../../src/client/index.ts'
import { startTestDaemon } from '../support/daemon.ts'

interface Scene extends AsyncDisposable {
  readonly client: AgentdClient
  /** Who is asked. */
  readonly session: AgentdSession
  /** The next question it hears. */
  readonly heard: () => Promise<FrameOf<'agent_query'>>
}

async function stage(): Promise<Scene> {
  const daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1' })
  const stream = session.stream({ filter: 'kind:agent_query' })
  await stream.opened
  const items = stream[Symbol.asyncIterator]()
  return {
    client,
    session,
    async heard() {
      const { value: item } = await items.next()
      if (item?.type !== 'frame' || item.frame.kind !== 'agent_query') throw new Error('no question came')
      return item.frame
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

const dismiss = (session: AgentdSession, { payload }: FrameOf<'agent_query'>, summary: string) =>
  session.verb('agent_return', {
    return_event_ref: 'seat:dismissed',
    summary,
    query_id: payload.query_id,
    recipient_scope: payload.response_scope,
  })

test('a question that is dismissed ends at once, with the reason (SEAT-12)', async () => {
  await using scene = await stage()
  const { client, session } = scene

  const asking = client.ask('May I?', { timeoutMs: 60_000 })
  await dismiss(session, await scene.heard(), 'ask me on Monday')

  expect(await asking).toMatchObject({
    outcome: 'dismissed',
    dismissal: { summary: 'ask me on Monday', frame: { kind: 'agent_return_event' } },
    responses: [],
    recipientCount: 1,
  })
})

test('a session learns it too, and its mailbox keeps everything else (SEAT-12)', async () => {
  await using scene = await stage()
  const { client, session } = scene
  const asker = await client.session({ instrument: 'cc', sessionId: 's2', mailbox: true })

  const asking = asker.ask('May I?', { scope: session.address, timeoutMs: 60_000 })
  const question = await scene.heard()
  await session.advise('editing', { scope: asker.address })
  await dismiss(session, question, 'no')

  expect(await asking).toMatchObject({ outcome: 'dismissed', dismissal: { summary: 'no' } })
  const { items } = await asker.inbox.drain()
  expect(items.map(({ frame }) => frame?.kind)).toEqual(['agent_advisory'])
})

test('an answer that was sent before the dismissal counts, however close they are (SEAT-12)', async () => {
  await using scene = await stage()
  const { client, session } = scene

  for (let round = 0; round < 50; round += 1) {
    const asking = client.ask('May I?', { timeoutMs: 60_000 })
    const question = await scene.heard()
    // Neither is waited for: both go over one pipe, and are accepted in this order.
    const { query_id, response_scope: scope } = question.payload
    const payload = { return_event_ref: 'run/41', summary: 'done', query_id }
    const sent = [
      session.respond(question, 'yes'),
      session.send({ kind: 'agent_return_event', payload, scope }),
    ]

    expect(await asking).toMatchObject({ outcome: 'answered', responses: [{ text: 'yes' }] })
    await Promise.all(sent)
  }
})

test.for([
  ['all', 'dismissed'],
  ['deadline', 'answered'],
] as const)(
  'whoever waits for %s keeps the answers until the dismissal: %s (SEAT-12)',
  async ([collect, outcome]) => {
    await using scene = await stage()
    const { client, session } = scene
    const other = await client.session({ instrument: 'codex', sessionId: 's2' })
    await other.stream({ filter: 'kind:agent_query' }).opened

    const asking = client.ask('May I?', { collect, timeoutMs: 60_000 })
    const question = await scene.heard()
    await session.respond(question, 'yes')
    await dismiss(session, question, 'that is all')

    expect(await asking).toMatchObject({ outcome, responses: [{ text: 'yes' }] })
  },
)

test('the end of another question, or of none, ends nothing (SEAT-12)', async () => {
  await using scene = await stage()
  const { client, session } = scene

  const asking = client.ask('May I?', { timeoutMs: 60_000 })
  const question = await scene.heard()
  const ended = { return_event_ref: 'run/41', summary: 'green' }
  const scope = { recipient_scope: question.payload.response_scope }
  await session.verb('agent_return', { ...ended, ...scope })
  await session.verb('agent_return', { ...ended, ...scope, query_id: '00000000-0000-4000-8000-000000000000' })
  await session.respond(question, 'yes')

  expect(await asking).toMatchObject({ outcome: 'answered', dismissal: undefined })
})
