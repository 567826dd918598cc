/** Agents as entities of AEE: tasks to them by name, and what comes back (docs/http.md §9; docs/runtimes.md §6). */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentdClient } from '../../../src/client/client.ts'
import { connect } from '../../../src/client/connect.ts'
import { MAX_NAMED_LISTENERS } from '../../../src/mcp/session/bounds.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { connectHost } from '../support/connection.ts'
import { readCalled, type Host } from '../support/host.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

const Messages = z.object({ messages: z.array(z.record(z.string(), z.unknown())) })

/** A host whose session has this name, and so this entity. */
async function join(socket: string, name: string): Promise<Host> {
  const host = connectHost(socket)
  await host.open()
  await host.call('agentd_roster', { as: name })
  return host
}

/** The first message of an inbox, as soon as there is one. */
async function firstMessage(host: Host): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const [first] = Messages.parse((await host.call('agentd_inbox')).facts).messages
    if (first !== undefined) return first
  }
}

/** Somebody who speaks as an entity without being an agent. */
function personOf(client: AgentdClient, entity = 'service.ci') {
  return client.session({ instrument: 'ci', sessionId: 'c1', mailbox: true, entities: [entity] })
}

describe('a session of a runtime', () => {
  test('is an entity by its name; two never share one', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using _one = await join(daemon.socket, 'reviewer')
    await using _two = await join(daemon.socket, 'reviewer')

    const entities = (await client.roster()).map((session) => session.entities)

    expect(entities).toEqual([['agent.reviewer'], ['agent.reviewer-2']])
  })

  test('that carries another one on keeps its name, and so its entity and the tasks that come to it', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const common = { instrument: 'cc', tool: 'cc', title: 'api refactor', mailbox: true, agent: true }
    const before = await client.session({ ...common, sessionId: 's1' })
    const ci = await personOf(client)
    const send = () =>
      ci.sendEnvelope({
        type: 'task',
        from: 'service.ci',
        to: 'agent.api-refactor',
        intent: 'agent.task',
        payload: { text: 'x' },
      })
    await send()

    const heir = await client.session({
      ...common,
      sessionId: 's2',
      successorOf: 'cc@s1',
      predecessorToken: before.token,
    })
    await send()

    const { items } = await heir.inbox.drain()
    expect(items.map(({ envelope }) => envelope?.to)).toEqual(['agent.api-refactor', 'agent.api-refactor'])
    await before.close()
    expect(await client.roster()).toMatchObject([{ name: 'ci' }, { entities: ['agent.api-refactor'] }])
  })

  test.runIf(keepsFrames())('survives a restart of the daemon as the same entity', async () => {
    await using daemon = await startTestDaemon()
    {
      await using client = await connect({ socket: daemon.socket })
      await client.session({ instrument: 'cc', sessionId: 's1', title: 'api', mailbox: true, agent: true })
    }
    await daemon.stop('SIGKILL')
    await using again = await startTestDaemon({ dir: daemon.dir })
    await using client = await connect({ socket: again.socket })

    expect(await client.roster()).toMatchObject([{ entities: ['agent.api'] }])
  })
})

describe('the daemon, in the place of an agent that lives turn by turn', () => {
  test('says that it is there and what it can be sent, and the agent is not bothered with it (AEE-065, AEQ-19)', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const delivery = { busy: 'hook', idle: 'claude-inbox' }
    const agent = await client.session({
      instrument: 'cc',
      title: 'api',
      mailbox: true,
      agent: true,
      delivery,
    })
    const ci = await personOf(client)
    const ask = (intent: string) =>
      ci.request({ from: 'service.ci', to: 'agent.api', intent, payload: {} }, { timeoutMs: 5_000 })

    const pong = await ask('aee.status.ping').terminal
    const list = await ask('aee.capability.list').terminal

    expect(pong.envelope).toMatchObject({ type: 'result', from: 'agent.api', payload: { pong: true } })
    expect(list.envelope.payload).toEqual({
      intents: ['aee.status.ping', 'aee.capability.list', 'agent.ask', 'agent.task'],
      delivery,
    })
    expect(await agent.inbox.wait(0)).toBe(0)
    const { receipts } = await ci.envelopeReceipts(pong.envelope.reply_to ?? '')
    expect(receipts).toMatchObject([{ address: agent.address, state: 'dropped' }])
  })

  test('answers nothing else, nothing that waits for a person, and nothing while the agent itself listens', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const agent = await client.session({ instrument: 'cc', title: 'api', mailbox: true, agent: true })
    const ci = await personOf(client)
    const task = { type: 'task', from: 'service.ci', to: 'agent.api', payload: {} } as const

    await ci.sendEnvelope({ ...task, intent: 'aee.status.health' })
    await ci.sendEnvelope({ ...task, intent: 'aee.status.ping', requires: { human_approval: true } })
    expect(await agent.inbox.wait(0)).toBe(2)

    await using service = agent.serve('agent.api', {})
    await service.opened
    const own = await ci.request({ ...task, intent: 'aee.capability.list' }, { timeoutMs: 5_000 }).terminal
    expect(own.envelope.payload).not.toHaveProperty('delivery')
    expect(own.envelope.payload).toMatchObject({ intents: ['aee.capability.list', 'aee.status.ping'] })
  })
})

describe('the tools', () => {
  test('ask an entity: the question is a task, and its result the answer', async () => {
    await using daemon = await startTestDaemon()
    await using asker = await join(daemon.socket, 'writer')
    await using other = await join(daemon.socket, 'reviewer')

    const asked = asker.post('tools/call', {
      name: 'agentd_ask',
      arguments: { text: 'is it done?', to: 'agent.reviewer', wait_s: 30 },
    })
    const task = await firstMessage(other)
    const answered = await other.call('agentd_send', { kind: 'respond', id: task['task_id'], text: 'yes' })

    expect(task).toMatchObject({
      kind: 'task agent.ask',
      from: 'agent.writer',
      to: 'agent.reviewer',
      text: 'is it done?',
    })
    expect(answered.isError).toBe(false)
    const { facts } = readCalled(await asker.answerTo(asked))
    expect(facts).toMatchObject({
      outcome: 'answered',
      task_id: task['task_id'],
      answers: [{ from: 'agent.reviewer', text: 'yes' }],
      unread: 0,
    })
  })

  test('send a task whose end comes to the inbox, a failure too', async () => {
    await using daemon = await startTestDaemon()
    await using writer = await join(daemon.socket, 'writer')
    await using other = await join(daemon.socket, 'reviewer')

    const sent = await writer.call('agentd_send', {
      kind: 'advise',
      text: 'look at the parser',
      to: 'agent.reviewer',
      refs: ['src/parser.ts'],
      extra: { intent: 'review.change' },
    })
    const task = await firstMessage(other)
    await other.call('agentd_send', {
      kind: 'return',
      id: task['task_id'],
      text: 'no time',
      extra: { code: 'E_BUSY' },
    })
    const end = await firstMessage(writer)

    expect(sent.facts).toMatchObject({ queued: 1, task_id: task['task_id'] })
    expect(task).toMatchObject({ kind: 'task review.change' })
    expect(end).toMatchObject({ kind: 'error review.change', answers_task: task['task_id'] })
    expect(JSON.parse(String(end['text']))).toEqual({
      retryable: false,
      text: 'no time',
      code: 'E_BUSY',
      message: 'no time',
    })
  })

  test('are told whom to name where an entity is unknown, and that a kind is for sessions', async () => {
    await using daemon = await startTestDaemon()
    await using writer = await join(daemon.socket, 'writer')
    await using _other = await join(daemon.socket, 'reviewer')

    const unknown = await writer.call('agentd_ask', { text: 'x', to: 'agent.reviewr', wait_s: 1 })
    const wrong = await writer.call('agentd_send', { kind: 'decide', text: 'x', to: 'agent.reviewer' })

    expect(unknown).toMatchObject({
      isError: true,
      facts: { error: { code: 'recipient-unknown', field: 'to' } },
    })
    expect(unknown.text).toContain('agent.reviewer')
    expect(wrong).toMatchObject({ isError: true, facts: { error: { code: 'field-invalid', field: 'to' } } })
  })

  test('a question that is not answered in time is told as such, and its answer comes to the inbox', async () => {
    await using daemon = await startTestDaemon()
    await using writer = await join(daemon.socket, 'writer')
    await using other = await join(daemon.socket, 'reviewer')

    const asked = await writer.call('agentd_ask', { text: 'soon?', to: 'agent.reviewer', wait_s: 1 })
    const task = await firstMessage(other)
    await other.call('agentd_send', { kind: 'respond', id: task['task_id'], text: 'late' })

    expect(asked.facts).toMatchObject({ outcome: 'deadline', silent: ['agent.reviewer'] })
    expect(await firstMessage(writer)).toMatchObject({ kind: 'result agent.ask', text: 'late' })
  })
})

describe('a question (OP-28)', () => {
  test('with one possible listener goes to that session alone, which may wake it', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const listener = await client.session({ instrument: 'cc', sessionId: 's1', mailbox: true })
    await using writer = await join(daemon.socket, 'writer')

    for (const to of [undefined, '~alice/cc*']) await writer.call('agentd_ask', { text: 'x', to, wait_s: 1 })

    const { items } = await client.history({ filter: 'kind:agent_query' })
    expect(items.map(({ scope }) => scope)).toEqual([listener.address, listener.address])
  })

  test('with several goes to all of them', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    for (const sessionId of ['s1', 's2']) await client.session({ instrument: 'cc', sessionId, mailbox: true })
    await using writer = await join(daemon.socket, 'writer')

    await writer.call('agentd_ask', { text: 'x', wait_s: 1 })

    const { items } = await client.history({ filter: 'kind:agent_query' })
    expect(items.map(({ scope }) => scope)).toEqual(['~alice/*'])
  })

  test('with none says whom to name, within a bound', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using writer = await join(daemon.socket, 'writer')
    const alone = await writer.call('agentd_ask', { text: 'x', wait_s: 1 })
    for (let i = 0; i <= MAX_NAMED_LISTENERS; i += 1)
      await client.session({ instrument: `reviewer-${i}`, mailbox: true })

    const missed = await writer.call('agentd_ask', { text: 'x', to: '~alice/nobody*', wait_s: 1 })

    expect(alone.text).toContain('No other session is there')
    expect(missed).toMatchObject({ isError: true, facts: { error: { code: 'no-listener' } } })
    expect(missed.text).toContain(`reviewer-${MAX_NAMED_LISTENERS - 1}`)
    expect(missed.text).not.toContain(`reviewer-${MAX_NAMED_LISTENERS}`)
  })
})
