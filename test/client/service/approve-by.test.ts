/** A worker that asks a person: nothing is done but what that person has approved, byte for byte (W-9, SEAT-11). */
import { expect, test, vi } from 'vitest'
import { composeVerdict, readApprovalRequest } from '../../../src/aee/intents/approval.ts'
import type { ApprovalVerdict } from '../../../src/aee/intents/approval.ts'
import { createKey } from '../../../src/aee/keys/new-key.ts'
import { readKey } from '../../../src/aee/keys/key.ts'
import { type AgentdClient } from '../../../src/client/client.ts'
import { connect } from '../../../src/client/connect.ts'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { approveBy, type ApproveOptions } from '../../../src/client/service/approve-by.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'

const WORKER = 'agent.worker'
const PERSON = 'human.alice'
const INTENT = 'ops.door.open'

type Answer = (asked: Envelope, verdict: ApprovalVerdict) => object

interface Scene {
  readonly client: AgentdClient
  /** What was done. */
  readonly done: Envelope[]
  /** Gives the worker a task that has to be approved; what comes of it. */
  readonly give: (timeoutMs?: number) => Promise<Envelope>
}

async function stage(daemon: TestDaemon, options: Partial<ApproveOptions> = {}): Promise<Scene> {
  const client = await connect({ socket: daemon.socket })
  const worker = await client.session({ instrument: 'worker', entities: [WORKER] })
  const done: Envelope[] = []
  const approve = approveBy(worker, { person: PERSON, ...options })
  const service = worker.serve(WORKER, { [INTENT]: (task) => void done.push(task) }, { approve })
  await service.opened
  const give = async (timeoutMs = 60_000): Promise<Envelope> => {
    const task = { from: 'agent.boss', to: WORKER, intent: INTENT, payload: { door: 7 } }
    const requires = { human_approval: true, timeout_ms: timeoutMs }
    const request = client.request({ ...task, requires }, { timeoutMs: 60_000 })
    return (await request.terminal).envelope
  }
  return { client, done, give }
}

/** A seat that answers everything in one way. */
async function sit(
  client: AgentdClient,
  answer: Answer,
  sign?: ReturnType<typeof readKey>,
): Promise<Envelope[]> {
  const seat = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON] })
  const asked: Envelope[] = []
  const service = seat.serve(
    PERSON,
    {
      'approval.request': (task) => {
        asked.push(task)
        const request = readApprovalRequest(task.payload)
        if (request === undefined) throw new Error('what is asked cannot be read')
        return { ...answer(task, { approved: true, task: request.task, note: undefined }) }
      },
    },
    { sign },
  )
  await service.opened
  return asked
}

const YES: Answer = (_asked, verdict) => composeVerdict(verdict)
const NO: Answer = (_asked, verdict) => composeVerdict({ ...verdict, approved: false, note: 'not today' })

test('a task is done when the person has approved it, who was told what it is (SEAT-11)', async () => {
  await using daemon = await startTestDaemon()
  const { client, done, give } = await stage(daemon)
  await using _client = client
  const asked = await sit(client, YES)

  const end = await give()

  const { task, summary } = readApprovalRequest(asked[0]!.payload)!
  expect(end.type).toBe('result')
  expect(done).toHaveLength(1)
  expect(task).toEqual({
    id: done[0]!.id,
    intent: INTENT,
    from: 'agent.boss',
    hash: expect.stringMatching(/^sha-256:[\da-f]{64}$/),
  })
  expect(summary).toBe(`task ${INTENT}: {"door":7}`)
  expect(asked[0]).toMatchObject({ from: WORKER, corr: done[0]!.corr, reply_to: done[0]!.id })
})

const REFUSED: readonly (readonly [string, Answer, string])[] = [
  ['a rejection', NO, 'E_REJECTED'],
  [
    'an approval of other bytes',
    (_, { task }) =>
      composeVerdict({
        approved: true,
        task: { ...task, hash: `sha-256:${'0'.repeat(64)}` },
        note: undefined,
      }),
    'E_REJECTED',
  ],
  [
    'an approval of another task',
    (_, { task }) =>
      composeVerdict({ approved: true, task: { ...task, id: 'another-task' }, note: undefined }),
    'E_REJECTED',
  ],
  ['an answer that is neither yes nor no', () => ({ approved: 'yes' }), 'E_REJECTED'],
  [
    'an error',
    () => {
      throw new Error('no')
    },
    'E_REJECTED',
  ],
]

test.for(REFUSED)('%s has nothing done (SEAT-11)', async ([, answer, code]) => {
  await using daemon = await startTestDaemon()
  const { client, done, give } = await stage(daemon)
  await using _client = client
  await sit(client, answer)

  expect((await give()).payload).toMatchObject({ code, retryable: false })
  expect(done).toEqual([])
})

test('with nobody at the seat it is refused at once, and silence is refused in time (SEAT-11)', async () => {
  await using daemon = await startTestDaemon()
  const { client, done, give } = await stage(daemon)
  await using _client = client
  const unknown = await give()
  const seat = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON], mailbox: true })
  const silent = await give(2_000)
  await seat.close()
  const gone = await give()

  for (const { payload } of [unknown, silent, gone])
    expect(payload).toMatchObject({ code: 'E_APPROVAL_REQUIRED' })
  expect([unknown, silent, gone].map(({ payload }) => payload['message'])).toEqual([
    expect.stringContaining('is not there'),
    expect.stringContaining('has not answered within 1000 ms'),
    expect.stringContaining('is not there'),
  ])
  expect(done).toEqual([])
})

test('a worker that waits for the person is answered by one who comes later (SEAT-11)', async () => {
  await using daemon = await startTestDaemon()
  const { client, done, give } = await stage(daemon, { waitForPerson: true })
  await using _client = client
  const visit = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON] })
  await visit.close()
  // Known from before, and not there now.
  await client.sendEnvelope({ type: 'event', from: 'agent.boss', to: WORKER, intent: INTENT, payload: {} })
  const ending = give()
  const need = await vi.waitFor(async () => {
    const [first] = (await client.needs()).needs
    if (first?.envelope === undefined) throw new Error('nothing needs the person yet')
    return first.envelope
  })
  const seat = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON] })
  const { task } = readApprovalRequest(need.payload)!
  const { id, from, corr, intent } = need
  const payload = composeVerdict({ approved: true, task, note: undefined })
  await seat.sendEnvelope({ type: 'result', from: PERSON, to: from, corr, intent, replyTo: id, payload })

  expect((await ending).type).toBe('result')
  expect(done).toHaveLength(1)
})

test('where an answer has to be signed, one that is not has nothing done (SEAT-11)', async () => {
  await using daemon = await startTestDaemon()
  const key = readKey(createKey({ alg: 'ed25519', entities: [PERSON], nowMs: Date.now() }).text)
  const keys = { find: (kid: string) => (kid === key.kid ? key : undefined) }
  const { client, done, give } = await stage(daemon, { keys })
  await using _client = client
  await sit(client, YES)

  expect((await give()).payload).toMatchObject({ code: 'E_REJECTED', message: 'The answer is not signed.' })
  expect(done).toEqual([])
})
