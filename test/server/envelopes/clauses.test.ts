/**
 * What the AEE draft and its README say in passing, before a daemon that runs: the figure of the README as it is drawn, chains
 * over every type of entity, and what is said to be missing from the examples that are no envelopes.
 */
import { expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { HELLO_RESULT, HELLO_TASK } from '../../aee/samples.ts'
import { sendEnvelope, validEnvelope, type AnyEnvelope } from '../../support/envelopes.ts'
import { openLines } from '../../support/http.ts'
import { SharedDaemon } from '../shared-daemon.ts'

const shared = new SharedDaemon()

/** A session for an entity, and its token. */
async function sessionOf(entity: string): Promise<[entity: string, token: string]> {
  const isHuman = entity.startsWith('human.')
  const facts = { entities: [entity], mailbox: true, ...(isHuman && { instrument: 'cli', tool: 'human' }) }
  return [entity, (await shared.register(facts)).token]
}

async function sessionsOf(...entities: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(entities.map(sessionOf)))
}

/** Sends one after the other, each by who it is from. */
async function pass(chain: readonly AnyEnvelope[], tokens: ReadonlyMap<string, string>): Promise<number[]> {
  const statuses: number[] = []
  for (const envelope of chain) {
    const { status } = await sendEnvelope(shared.socket, envelope, tokens.get(String(envelope['from'])))
    statuses.push(status)
  }
  return statuses
}

/** From the last of a workflow back to what began it, by `reply_to` alone: who said it to whom. */
async function traced(corr: string): Promise<string[]> {
  const { body } = await shared.get(`/v1/threads/${corr}`)
  const all = new Map<unknown, AnyEnvelope>(
    body.items.map(({ envelope }: { envelope: AnyEnvelope }) => [envelope.id, envelope]),
  )
  const hops: string[] = []
  for (let at = [...all.values()].at(-1); at !== undefined; at = all.get(at['reply_to']))
    hops.unshift(`${String(at['from'])} ${String(at['type'])} ${String(at['to'])}`)
  return hops
}

test('the figure of the README is traceable from the human to the result and back (AEE-012, AEE-026, AEE-C12)', async () => {
  const [human, router, worker] = ['human.adam', 'agent.router', 'agent.worker']
  const tokens = await sessionsOf(human, router, worker)
  const corr = 'xyz-7890'
  const more = { corr, intent: 'backup.check' }
  const chain = [
    validEnvelope({ ...more, id: 'aaa-1111', from: human, to: router }),
    validEnvelope({ ...more, id: 'bbb-2222', from: router, to: worker, reply_to: 'aaa-1111' }),
    validEnvelope({
      ...more,
      id: 'ccc-3333',
      from: worker,
      to: router,
      type: 'result',
      reply_to: 'bbb-2222',
    }),
    validEnvelope({ ...more, id: 'ddd-4444', from: router, to: human, type: 'result', reply_to: 'ccc-3333' }),
  ]

  expect(await pass(chain, tokens)).toEqual([200, 200, 200, 200])
  expect(await traced(corr)).toEqual([
    'human.adam task agent.router',
    'agent.router task agent.worker',
    'agent.worker result agent.router',
    'agent.router result human.adam',
  ])
  const { body } = await shared.post('/v1/inbox/drain', {}, tokens.get(human))
  expect(body.items.map(({ envelope }: { envelope: AnyEnvelope }) => envelope.id)).toEqual(['ddd-4444'])
})

test('a chain over a human, agents and a service has its whole provenance at each hop (AEE-012, AEE-034)', async () => {
  const entities = ['human.ada', 'agent.sorter', 'agent.reviewer', 'service.linter']
  const tokens = await sessionsOf(...entities)
  const corr = validEnvelope().corr
  const chain: AnyEnvelope[] = []
  for (const [at, from] of entities.slice(0, -1).entries())
    chain.push(validEnvelope({ corr, from, to: entities[at + 1], reply_to: chain.at(-1)?.id ?? null }))

  expect(await pass(chain, tokens)).toEqual([200, 200, 200])
  const hops = chain.map(({ from, to }) => `${String(from)} task ${String(to)}`)
  expect(await traced(corr)).toEqual(hops)
})

test.each([
  ['without AEE', { task: 'check backup', from: 'someone', data: {} }, 'field-missing', 'v'],
  [
    'of five keys',
    {
      from: 'agent.router',
      to: 'agent.worker',
      intent: 'backup.check',
      corr: 'xyz-789',
      reply_to: 'bbb-222',
    },
    'field-missing',
    'v',
  ],
  ['of the figure, by its id', validEnvelope({ id: 'aaa-111' }), 'field-invalid', 'id'],
  ['of the figure, by its corr', validEnvelope({ corr: 'xyz-789' }), 'field-invalid', 'corr'],
])(
  'what the README has %s is told what it lacks (AEE-004, AEE-012, AEE-036)',
  async (_, text, code, field) => {
    const { status, body } = await sendEnvelope(shared.socket, text)

    expect({ status, code: body.code, field: body.field }).toEqual({ status: 400, code, field })
  },
)

test('ids that are made are random or sortable, and never the same (AEE-079)', async () => {
  await using client = await connect({ socket: shared.socket })
  const draft = {
    from: 'agent.maker',
    to: 'bus.ids',
    type: 'event',
    intent: 'ops.ids.make',
    payload: {},
  } as const
  const sent = await Promise.all(Array.from({ length: 200 }, () => client.sendEnvelope(draft)))
  const ids = sent.map(({ envelope }) => envelope.id)
  const corrs = sent.map(({ envelope }) => envelope.corr)

  expect(new Set([...ids, ...corrs]).size).toBe(400)
  for (const id of [...ids, ...corrs])
    expect(id).toMatch(
      /^(?:[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|[\dA-HJKMNP-TV-Z]{26})$/,
    )
})

test('an envelope is the same over every transport there is here: one body, lines, and the library (AEE-098, AEE-041)', async () => {
  using lines = openLines(shared.socket, { path: '/v1/envelopes' })
  await using client = await connect({ socket: shared.socket })
  const [first, second] = [validEnvelope(), validEnvelope()]
  const { body } = await sendEnvelope(shared.socket, first)
  lines.send(second)
  const [line] = await lines.answered(1)
  const draft = {
    from: 'agent.sender',
    to: 'bus.ops',
    type: 'event',
    intent: 'ops.backup.check',
    payload: {},
  } as const
  const { envelope } = await client.sendEnvelope(draft)

  expect([body.id, line.id]).toEqual([first.id, second.id])
  for (const { id } of [first, second, envelope])
    expect((await shared.get(`/v1/envelopes/${id}`)).body).toMatchObject({ id, v: '1' })
})

test('the two envelopes of the README are a task and what came of it (AEE-026, AEE-C01)', async () => {
  const now = new Date().toISOString()
  const tokens = await sessionsOf('human.adam', 'agent.router')
  const chain = [HELLO_TASK, HELLO_RESULT].map((sample) => validEnvelope({ ...sample, ts: now }))

  expect(await pass(chain, tokens)).toEqual([200, 200])
  expect(await traced(HELLO_TASK.corr)).toEqual([
    'human.adam task agent.router',
    'agent.router result human.adam',
  ])
})
