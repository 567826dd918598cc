/**
 * Requests and services against the real daemon.
 */
import { describe, expect, test } from 'vitest'
import { EnvelopeTimeout, EnvelopeUnheard, TaskError, connect } from '../../src/client/index.ts'
import type { AgentdSession, EnvelopeItem, EnvelopeRequest } from '../../src/client/index.ts'
import { SharedDaemon } from '../server/shared-daemon.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { gate } from './envelope-peers.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const shared = new SharedDaemon()

/** A client and its session, gone with the test. */
async function open(
  entities: readonly string[],
  options: { readonly tool?: string; readonly mailbox?: boolean } = {},
): Promise<AsyncDisposable & { readonly session: AgentdSession }> {
  const client = await connect({ socket: shared.socket })
  const session = await client.session({ instrument: 'cc-opus', entities, ...options })
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session.close()
      await client.close()
    },
  }
}

/** Entities of one test. */
let count = 0
function names(): { readonly asker: string; readonly doer: string } {
  count += 1
  return { asker: `agent.asker-${count}`, doer: `agent.doer-${count}` }
}

async function collect(request: EnvelopeRequest): Promise<readonly EnvelopeItem[]> {
  const items: EnvelopeItem[] = []
  for await (const item of request) items.push(item)
  return items
}

const INTENT = 'ops.backup.check'

describe('request and serve', () => {
  test('a task, its parts and its result pass through the daemon (AEE-024, AEE-031)', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using other = await open([doer])
    const service = other.session.serve(doer, {
      [INTENT]: async (task, { stream, from }) => {
        await stream({ half: 1 })
        return { from, window: task.payload['window'] }
      },
    })
    await service.opened
    const request = one.session.request({ from: asker, to: doer, intent: INTENT, payload: { window: '24h' } })

    const items = await collect(request)

    expect(await request.sent).toMatchObject({ recipientCount: 1, queuedCount: 0, warnings: [] })
    expect(items.map(({ envelope }) => [envelope.type, envelope.payload])).toEqual([
      ['stream', { half: 1 }],
      ['result', { from: asker, window: '24h' }],
    ])
    const receipts = await one.session.envelopeReceipts(request.task.id, { wait: 'all' })
    expect(receipts.receipts).toMatchObject([
      { address: other.session.address, state: 'seen', via: 'stream' },
    ])
    const { items: thread } = await one.session.thread(request.task.corr)
    expect(thread.map(({ envelope, late }) => [envelope.type, late])).toEqual([
      ['task', false],
      ['stream', false],
      ['result', false],
    ])
  })

  test('tasks that are delegated are one workflow, in causal order (AEE-C12)', async () => {
    const { asker, doer } = names()
    const helper = `${doer}.helper`
    await using one = await open([asker])
    await using other = await open([doer, helper])
    const { session } = other
    const services = [
      session.serve(helper, { 'ops.part.do': () => ({ part: true }) }),
      session.serve(doer, {
        [INTENT]: async (task, { corr }) => {
          const draft = { from: doer, to: helper, intent: 'ops.part.do', payload: {}, corr, replyTo: task.id }
          return { ...(await session.request(draft).terminal).envelope.payload }
        },
      }),
    ]
    await Promise.all(services.map(({ opened }) => opened))
    const request = one.session.request({ from: asker, to: doer, intent: INTENT, payload: {} })

    expect((await request.terminal).envelope.payload).toEqual({ part: true })
    const { items } = await one.session.thread(request.task.corr)
    expect(items.map(({ envelope }) => `${envelope.type} ${envelope.intent}`)).toEqual([
      `task ${INTENT}`,
      'task ops.part.do',
      'result ops.part.do',
      `result ${INTENT}`,
    ])
  })

  test('a hundred tasks at once share a stream, and each gets its own result', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using other = await open([doer])
    const service = other.session.serve(
      doer,
      { [INTENT]: ({ payload }) => ({ n: payload['n'] }) },
      { maxConcurrent: 100 },
    )
    await service.opened
    const requests = Array.from({ length: 100 }, (_, n) =>
      one.session.request({ from: asker, to: doer, intent: INTENT, payload: { n } }),
    )
    await Promise.all(requests.map(({ sent }) => sent))
    const ends = await Promise.all(requests.map(({ terminal }) => terminal))

    expect(ends.map(({ envelope }) => envelope.payload)).toEqual(requests.map((_, n) => ({ n })))
  })

  test('the daemon itself is asked as anybody is (AEQ-19)', async () => {
    const { asker } = names()
    await using client = await connect({ socket: shared.socket })
    const request = client.request({
      from: asker,
      to: 'service.agentd',
      intent: 'aee.status.ping',
      payload: {},
    })

    expect((await request.terminal).envelope.payload).toMatchObject({ pong: true })
  })

  test('an unknown intent is an error, and not a timeout (AEQ-18)', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using other = await open([doer])
    await other.session.serve(doer, {}).opened
    const request = one.session.request({ from: asker, to: doer, intent: 'ops.unknown.do', payload: {} })

    expect((await request.terminal).envelope).toMatchObject({
      type: 'error',
      payload: { code: 'E_UNSUPPORTED_INTENT', retryable: false },
    })
  })

  test('a task that needs a person is never done without one (AEQ-10)', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using other = await open([doer])
    let done = 0
    await other.session.serve(doer, { [INTENT]: () => void (done += 1) }).opened
    const request = one.session.request({
      from: asker,
      to: doer,
      intent: INTENT,
      payload: {},
      requires: { human_approval: true },
    })

    expect((await request.terminal).envelope.payload).toMatchObject({ code: 'E_APPROVAL_REQUIRED' })
    expect(done).toBe(0)
  })
})

test('a session that waits for a reply keeps in its mailbox what is for its other entities', async () => {
  const { asker, doer } = names()
  await using one = await open([asker, `${asker}.other`], { mailbox: true })
  await using other = await open([doer])
  await other.session.serve(doer, {
    [INTENT]: async () => {
      const draft = { type: 'event', from: doer, to: `${asker}.other`, intent: 'ops.news.told' } as const
      await other.session.sendEnvelope({ ...draft, payload: {} })
    },
  }).opened

  await one.session.request({ from: asker, to: doer, intent: INTENT, payload: {} }).terminal
  const { items } = await one.session.inbox.drain()

  expect(items.map(({ envelope }) => envelope?.to)).toEqual([`${asker}.other`])
})

describe('nobody there', () => {
  test('a name that nobody ever had is refused, with near ones', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using _near = await open([doer])
    const request = one.session.request({ from: asker, to: `${doer}x`, intent: INTENT, payload: {} })

    await expect(request.terminal).rejects.toMatchObject({
      code: 'recipient-unknown',
      field: 'to',
      message: expect.stringContaining(`"${doer}"`),
    })
  })

  test('a session without a stream and without a mailbox is nobody, and a mailbox is somebody', async () => {
    const { asker, doer } = names()
    await using one = await open([asker])
    await using _away = await open([doer])
    await using keeper = await open([`${doer}.keeper`], { mailbox: true })
    const draft = { from: asker, intent: INTENT, payload: {} }

    await expect(one.session.request({ ...draft, to: doer }).terminal).rejects.toThrow(EnvelopeUnheard)
    const kept = one.session.request({ ...draft, to: `${doer}.keeper` }, { timeoutMs: 300 })
    const { id } = await kept.sent
    await expect(kept.terminal).rejects.toThrow(EnvelopeTimeout)
    const { items } = await keeper.session.inbox.drain()
    expect(items.map(({ envelope }) => envelope?.id)).toEqual([id])
  })
})

describe('drops', () => {
  test.runIf(keepsFrames())(
    'a task outlives the daemon that carried it: its result comes through the next one',
    async () => {
      await using first = await startTestDaemon()
      await using client = await connect({ socket: first.socket })
      await using doing = await client.session({
        instrument: 'cc-opus',
        sessionId: 's1',
        entities: ['agent.doer'],
      })
      const begun = gate()
      const end = gate()
      let tasks = 0
      const service = doing.serve('agent.doer', {
        [INTENT]: async () => {
          tasks += 1
          begun.open()
          await end.opened
          return { ok: true }
        },
      })
      await service.opened
      const request = client.request({
        from: 'agent.asker',
        to: 'agent.doer',
        intent: INTENT,
        payload: {},
      })
      await request.sent
      await begun.opened
      await first.stop('SIGKILL')
      await using _second = await startTestDaemon({ dir: first.dir })
      end.open()

      expect((await request.terminal).envelope.payload).toEqual({ ok: true })
      expect(tasks).toBe(1)
      await request.return()
    },
  )
})

test('a failure that is meant to be retried says when (AEE-030)', async () => {
  const { asker, doer } = names()
  await using one = await open([asker])
  await using other = await open([doer])
  await other.session.serve(doer, {
    [INTENT]: () => {
      throw new TaskError('E_LATER', 'The disk is asleep.', { retryable: true, backoffMs: 100 })
    },
  }).opened
  const request = one.session.request({ from: asker, to: doer, intent: INTENT, payload: {} })

  expect((await request.terminal).envelope.payload).toEqual({
    code: 'E_LATER',
    message: 'The disk is asleep.',
    retryable: true,
    backoff_ms: 100,
  })
})

test('two streams of one session do not take each other\u2019s envelopes away', async () => {
  const { asker, doer } = names()
  await using one = await open([asker])
  await using other = await open([doer])
  await other.session.serve(doer, { [INTENT]: () => ({}) }).opened
  await using stream = other.session.stream({ entities: [doer] })
  await stream.opened
  await one.session.request({ from: asker, to: doer, intent: INTENT, payload: {} }).terminal
  const { value } = await stream.next()

  expect(value).toMatchObject({ type: 'envelope', envelope: { to: doer, type: 'task' } })
})
