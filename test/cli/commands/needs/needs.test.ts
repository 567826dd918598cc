/** What needs the person, in a terminal (W-3, W-9, SEAT-11, SEAT-12): shown, answered, approved, dismissed. */
import { expect, test } from 'vitest'
import { composeApprovalRequest } from '../../../../src/aee/intents/approval.ts'
import { connect, type AgentdClient, type AgentdSession } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { validPayload } from '../../../support/frames.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, fullAgentd, startOnTerminal, type Outcome } from '../../support.ts'

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'

interface Scene extends AsyncDisposable {
  readonly client: AgentdClient
  /** Who asks; what is for it waits in its mailbox. */
  readonly agent: AgentdSession
  readonly run: (...args: readonly string[]) => Promise<Outcome>
  /** What the agent was told, the newest last. */
  readonly told: () => Promise<readonly Record<string, unknown>[]>
}

async function stage(): Promise<Scene> {
  const daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  const agent = await client.session({
    instrument: 'cc-opus',
    sessionId: 's1',
    title: 'api refactor',
    mailbox: true,
    entities: ['agent.worker'],
  })
  return {
    client,
    agent,
    run: (...args) => agentd(daemon.env, args),
    told: async () =>
      (await agent.inbox.drain()).items.map(({ frame, envelope }) => ({
        ...frame,
        ...envelope,
        payload: frame?.payload ?? envelope?.payload,
      })),
    async [Symbol.asyncDispose]() {
      await client.close()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

async function decision({ agent }: Scene): Promise<string> {
  const message = { kind: 'agent_binding_moment', payload: validPayload('agent_binding_moment') } as const
  return (await agent.send({ ...message, scope: '~alice/human*' })).frameId
}

/** A task, and the question whether it may be done. @returns the ids of both */
async function approval({ client, agent }: Scene, change: (text: string) => string = (text) => text) {
  const visit = await client.session({ instrument: 'human', tool: 'human', entities: ['human.alice'] })
  await visit.close()
  const draft = { type: 'task', from: 'agent.boss', to: 'agent.worker', intent: 'ops.db.drop' } as const
  const sent = await client.sendEnvelope({ ...draft, payload: { table: 'users' } })
  const { envelope, text } = await client.envelope(sent.id)
  const payload = composeApprovalRequest({ envelope, text: change(text) }, 'Drop the table?')
  const intent = 'approval.request'
  const asked = await agent.sendEnvelope({
    type: 'task',
    from: 'agent.worker',
    to: 'human.alice',
    intent,
    payload,
  })
  await agent.inbox.drain()
  return { task: sent.id, asked: asked.id }
}

test('with nothing that needs the person it says so and ends with 0; with something it ends with 3 (W-3)', async () => {
  await using scene = await stage()
  const nothing = [await scene.run('needs'), await scene.run('needs', '--count')]
  const id = await decision(scene)
  await scene.agent.setActivity({ state: 'waiting', text: 'run "npm test"?' })
  await scene.agent.send({ kind: 'agent_query', payload: validPayload('agent_query') })
  const listing = await scene.run('needs')
  const counted = await scene.run('needs', '--count')
  const counts = await scene.run('needs', '--count', '--json')

  expect(nothing).toMatchObject([
    { code: 0, stdout: 'nothing needs you\n' },
    { code: 0, stdout: '0\n' },
  ])
  expect(listing.code).toBe(3)
  expect(listing.stdout).toContain(`${id.slice(0, 8)}  decision  api-refactor  `)
  expect(listing.stdout).toContain('answer: at its own prompt')
  expect(listing.stdout).toMatch(/\n\nAnyone may answer:\n[\da-f]{8} {2}question {2}/)
  expect(counted).toMatchObject({ code: 3, stdout: '3\n' })
  expect(JSON.parse(counts.stdout)).toEqual({ you: 2, anyone: 1 })
})

test('a decision shows its eight slots and its id in needs, history, tail and inbox (AC-081…AC-090)', async () => {
  await using scene = await stage()
  const id = await decision(scene)
  await scene.client.send({ kind: 'agent_binding_moment', payload: validPayload('agent_binding_moment') })
  const [needs, history, inbox] = [
    await scene.run('needs'),
    await scene.run('history'),
    await scene.run('inbox', '--text', '--token', scene.agent.token),
  ]

  for (const { stdout } of [needs, history, inbox])
    for (const slot of [
      'The migration can go two ways.',
      'found: The table has 4 million rows.',
      'recommended: Copy in batches.',
      'offered: I can run it tonight.',
      'Which way?',
      '1) batches (recommended): No lock is held for long.',
      '2) one go: Simple, but the table is locked.',
      'or another answer',
    ])
      expect(stdout).toContain(slot)
  expect(needs.stdout).toContain(`[decision ${id}]`)
  expect(history.stdout).toContain(`[decision ${id}]`)
  expect(inbox.stdout).toMatch(new RegExp(`\\[decision ${UUID}\\]`))
})

test.for([
  [['1'], 'option: batches'],
  [['one go', '--note', 'after noon'], 'option: one go\nafter noon'],
  [['--other', 'neither'], 'other: neither'],
] as const)('decide %j answers whoever asked, and nobody else (W-9, W-7)', async ([words, text]) => {
  await using scene = await stage()
  const id = await decision(scene)

  const { code } = await scene.run('decide', id.slice(0, 6), ...words)

  expect(code).toBe(0)
  expect(await scene.told()).toMatchObject([
    {
      kind: 'agent_response',
      drafted_with: '~human',
      provenance_basis: 'person',
      payload: { query_id: id, responded_to_frame_id: id, response_text: text },
    },
  ])
  expect(await scene.run('needs')).toMatchObject({ code: 0 })
})

test('decide refuses what is no answer to this decision, and nothing is sent (W-9)', async () => {
  await using scene = await stage()
  const id = await decision(scene)
  const wrong = [[], ['3'], ['neither'], ['1', '--other', 'x'], ['--revise', 'why?'], ['--other', ' ']]

  for (const words of wrong) expect((await scene.run('decide', id, ...words)).code).toBe(2)

  expect((await scene.run('decide', 'ffffffff', '1')).stderr).toContain('begins with "ffffffff"')
  expect(await scene.told()).toEqual([])
})

test('respond takes the beginning of an id, by both ways of the command line (W-3)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', mailbox: true })
  for (const run of [agentd, fullAgentd]) {
    const payload = { ...validPayload('agent_query'), response_scope: session.address }
    await session.send({ kind: 'agent_query', payload })

    expect(await run(daemon.env, ['respond', payload.query_id.slice(0, 7), 'yes'])).toMatchObject({ code: 0 })

    const { items } = await session.inbox.drain()
    expect(items.map(({ frame }) => frame?.payload)).toMatchObject([
      { query_id: payload.query_id, response_text: 'yes' },
    ])
  }
})

test.for([
  ['approve', true],
  ['reject', false],
] as const)(
  '%s says so about the very task, signed where there is a key (SEAT-11)',
  async ([command, approved]) => {
    await using scene = await stage()
    const { task, asked } = await approval(scene)
    const unasked = await scene.run(command, asked)
    await scene.run('keys', 'new', 'human.alice')

    const { code, stdout } = await scene.run(command, asked, '--yes', '--note', 'as agreed')

    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('give --yes') })
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('(signed with ') })
    const [answer] = await scene.told()
    expect(answer).toMatchObject({
      type: 'result',
      reply_to: asked,
      from: 'human.alice',
      payload: { approved, task: { id: task, hash: expect.stringMatching(/^sha-256:/) }, note: 'as agreed' },
      sig: { alg: 'ed25519' },
    })
  },
)

test('what is retained with other bytes cannot be approved, and can be rejected (SEAT-11)', async () => {
  await using scene = await stage()
  const { asked } = await approval(scene, (text) => `${text} `)

  const refused = await scene.run('approve', asked, '--yes')
  const rejected = await scene.run('reject', asked, '--yes')

  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('another hash') })
  expect(rejected).toMatchObject({ code: 0, stdout: expect.stringContaining('rejected (not signed)') })
})

test.runIf(hasProgram('script'))(
  'on a terminal approve asks once more, and only a clear yes is one (SEAT-11)',
  async () => {
    await using scene = await stage()
    const { asked } = await approval(scene)
    await using daemon = await startTestDaemon()
    await using running = startOnTerminal({ ...daemon.env, AGENTD_SOCKET: scene.client.socketPath }, [
      'approve',
      asked,
    ])
    await running.untilSaid(/Approve it\? \[y\/N\]/)
    running.type('no\n')

    expect((await running.ended).stdout).toContain('nothing was said')
    expect(await scene.told()).toEqual([])
  },
)

test('a dismissed question is told to its asker alone, wherever it wanted answers; without an asker, there (SEAT-12)', async () => {
  await using scene = await stage()
  const other = await scene.client.session({ instrument: 'codex', mailbox: true })
  const ask = async (asker: Pick<AgentdSession, 'send'>): Promise<void> => {
    const payload = { ...validPayload('agent_query'), response_scope: '~alice/codex*' }
    await asker.send({ kind: 'agent_query', payload, scope: '~alice/human*' })
    await scene.run('dismiss', payload.query_id)
  }
  const heard = async (): Promise<readonly (string | undefined)[]> =>
    (await other.inbox.drain()).items.map(({ frame }) => frame?.kind)

  await ask(scene.agent)
  expect([(await scene.told()).map(({ kind }) => kind), await heard()]).toEqual([['agent_return_event'], []])

  await ask(scene.client)
  expect([await scene.told(), await heard()]).toEqual([[], ['agent_return_event']])
})

test('dismiss tells whoever asks that no answer comes (SEAT-12)', async () => {
  await using scene = await stage()
  const id = await decision(scene)
  await scene.run('dismiss', id, '--note', 'ask me on Monday')
  const [returned] = await scene.told()
  const { asked } = await approval(scene)
  await scene.run('dismiss', asked)
  const [ended] = await scene.told()

  expect(returned).toMatchObject({
    kind: 'agent_return_event',
    payload: { query_id: id, summary: 'ask me on Monday' },
  })
  expect(ended).toMatchObject({ type: 'error', reply_to: asked, payload: { code: 'E_REJECTED' } })
  expect(await scene.run('needs')).toMatchObject({ code: 0 })
})
