import { expect, test } from 'vitest'
import type { FrameOf } from '../../src/protocol/frame/frame.ts'
import { frameOf } from '../../src/broker/ring/retained.ts'
import { connect, EnvelopeUnheard } from '../../src/client/index.ts'
import { startInProcess, type InProcess } from '../server/in-process.ts'
import { FilledRemote, remoteNode, remoteSession } from '../support/other-nodes.ts'
import { meet, resultLine, takePipe, readSubmission, eventOf, makeFrame } from './peers.ts'
import { encodePreamble } from '../../src/protocol/sse/encoder.ts'

/** The first question that a broker takes, as the link would carry it away. */
function firstQuestion({ broker }: InProcess): Promise<{ question: FrameOf<'agent_query'> }> {
  return new Promise((resolve) => {
    broker.observe((retained) => {
      const frame = retained.type === 'frame' ? frameOf(retained) : undefined
      if (frame?.kind === 'agent_query') resolve({ question: frame })
    })
  })
}

/** What became of a question at the node it named. */
function receiptsOf(state: string): object {
  return {
    frame_id: 'x',
    event_id: 'e1-1',
    accepted_at: 'x',
    recipient_count: 0,
    queued_count: 0,
    // Whoever it named has gone meanwhile.
    receipts: [{ address: '', at: 'x', node: 'devbox', state, code: 'recipient-unknown' }],
  }
}

const AWAY = remoteNode('ci', ['~alice/cc@s9'], { state: 'away' })

test('what was sent says whom it names on other nodes, and nothing of them without a link (FED-01, FED-50)', async () => {
  await using linked = await startInProcess({
    remote: new FilledRemote(remoteNode('devbox', ['~alice/cc@s1'])),
  })
  await using alone = await startInProcess()
  await using there = await connect({ socket: linked.socket })
  await using here = await connect({ socket: alone.socket })

  const remote = { sessions: 1, nodes: ['devbox'], away: [], asOf: '2026-01-01T00:00:00.000Z' }
  expect((await there.advise('editing')).remote).toEqual(remote)
  expect(
    (await there.send({ kind: 'agent_broadcast', payload: { broadcast_text: 'x', event_class: 'other' } }))
      .remote,
  ).toEqual(remote)
  expect((await here.advise('editing')).remote).toBeUndefined()
})

test('a question that names nobody here and nobody elsewhere is no-listener at once, and names who is away (FED-53)', async () => {
  await using server = await startInProcess({ remote: new FilledRemote(AWAY) })
  await using client = await connect({ socket: server.socket })

  const result = await client.ask('who is there?', { collect: 'all' })

  expect(result).toMatchObject({ outcome: 'no-listener', remote: { sessions: 0, away: ['ci'] } })
})

test('a question that goes where nobody says who is there is waited for, and answered from there or by nobody (FED-53)', async () => {
  const hidden = remoteNode('devbox', [], { isUntold: true })
  await using server = await startInProcess({ remote: new FilledRemote(hidden, AWAY) })
  await using client = await connect({ socket: server.socket })

  for (const collect of ['first', 'all'] as const) {
    const result = await client.ask('who is there?', { collect, timeoutMs: 300 })
    expect(result).toMatchObject({
      outcome: 'deadline',
      remote: { sessions: 0, untold: ['devbox'], away: ['ci'] },
    })
  }
})

test('a question that names somebody on another node is waited for (FED-53)', async () => {
  await using server = await startInProcess({
    remote: new FilledRemote(remoteNode('devbox', ['~alice/cc@s1']), AWAY),
  })
  await using client = await connect({ socket: server.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's2' })
  const seen = firstQuestion(server)

  const asked = session.ask('who is there?', { scope: '~alice/cc@s1' })
  const { question } = await seen
  await session.respond(question, 'I am')

  expect(await asked).toMatchObject({ outcome: 'answered', responses: [{ text: 'I am' }] })
})

test('answers of all are waited for from whomever the reports of other nodes name (FED-53)', async () => {
  await using peers = await meet()
  const { client, daemon, clock } = peers
  const asked = client.ask('who is there?', { collect: 'all' })
  const stream = await daemon.next('GET /v1/handles/~alice/stream')
  const other = await daemon.next('GET /v1/handles/~alice/stream')
  for (const one of [stream, other]) one.beginStream(encodePreamble('e1-0'))
  const pipe = await takePipe(daemon)
  const line = await pipe.line()
  const { frame } = readSubmission(line)
  if (frame.kind !== 'agent_query') throw new Error('no question')
  const path = `GET /v1/frames/${frame.frame_id}`
  const remote = { sessions: 2, nodes: ['devbox'], away: [], as_of: null }
  const at = frame.created_at
  const receipts = (...lines: readonly object[]): object => ({
    frame_id: frame.frame_id,
    event_id: 'e1-1',
    accepted_at: at,
    recipient_count: 0,
    queued_count: 0,
    receipts: lines.map((one) => ({ at, node: 'devbox', ...one })),
  })
  const answer = (seq: number, sessionId: string): void => {
    const payload = {
      query_id: frame.payload.query_id,
      responder_session_id: sessionId,
      response_text: `from ${sessionId}`,
    }
    stream.write(eventOf(`e1-${seq}`, makeFrame('', { kind: 'agent_response', payload })))
  }

  pipe.write(resultLine(line, { recipient_count: 0, queued_count: 0, remote }))
  ;(await daemon.next(path)).answer(200, receipts({ address: '~alice/*', state: 'remote-handed' }))
  await clock.timer((delayMs) => delayMs === 500)
  answer(2, 's1')
  ;(await daemon.next(path)).answer(
    200,
    receipts({ address: '~alice/cc@s1', state: 'seen' }, { address: '~alice/cc@s2', state: 'emitted' }),
  )
  answer(3, 's2')

  const result = await asked
  expect(result.outcome).toBe('answered')
  expect(result.responses.map(({ from }) => from)).toEqual(['~alice/cc@s1', '~alice/cc@s2'])
  expect(result.recipients).toEqual(['~alice/cc@s1', '~alice/cc@s2'])
})

test('reports that come after the last answer are looked for, and the question ends with them (FED-53)', async () => {
  await using peers = await meet()
  const { client, daemon, clock } = peers
  const asked = client.ask('who is there?', { collect: 'all' })
  for (const _ of ['answers', 'ends'])
    (await daemon.next('GET /v1/handles/~alice/stream')).beginStream(encodePreamble('e1-0'))
  const pipe = await takePipe(daemon)
  const line = await pipe.line()
  const path = `GET /v1/frames/${readSubmission(line).frame.frame_id}`
  const remote = { sessions: 1, nodes: ['devbox'], away: [], as_of: null }

  pipe.write(resultLine(line, { recipient_count: 0, queued_count: 0, remote }))
  ;(await daemon.next(path)).answer(200, receiptsOf('remote-handed'))
  await clock.timer((delayMs) => delayMs === 500)
  clock.advance(500)
  ;(await daemon.next(path)).answer(200, receiptsOf('refused'))

  expect(await asked).toMatchObject({ outcome: 'answered', responses: [], recipients: [] })
})

test('a task that nobody hears here or elsewhere fails at once and names who is away (FED-53)', async () => {
  const reviewer = remoteSession('~alice/cc@s9', { entities: ['agent.reviewer'] })
  const remote = new FilledRemote(remoteNode('devbox', [reviewer]))
  await using server = await startInProcess({ remote })
  await using client = await connect({ socket: server.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1', entities: ['agent.asker'] })
  const draft = { from: 'agent.asker', to: 'agent.reviewer', intent: 'ops.check', payload: {} }

  const waiting = session.request(draft)
  expect(await waiting.sent).toMatchObject({ recipientCount: 0, remote: { sessions: 1, nodes: ['devbox'] } })
  await waiting.return()
  remote.become(remoteNode('devbox', [reviewer], { state: 'away' }))

  const unheard: unknown = await session.request(draft).terminal.catch((error: unknown) => error)
  expect(unheard).toBeInstanceOf(EnvelopeUnheard)
  expect(unheard).toMatchObject({ away: ['devbox'], message: expect.stringContaining('devbox is away') })
})
