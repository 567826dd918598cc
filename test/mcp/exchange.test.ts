/** Two sessions and what passes between them, with a real daemon in the middle. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../src/client/connect.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { claudeHost, connectHost } from './support/connection.ts'
import { LEGACY, MODERN, type Called, type Host } from './support/host.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const Message = z.looseObject({ from: z.string(), kind: z.string(), age: z.string(), text: z.string() })
const Inbox = z.looseObject({ messages: z.array(Message), unread: z.int(), note: z.string().optional() })
const Asked = z.looseObject({
  outcome: z.string(),
  query_id: z.string(),
  answers: z.array(z.strictObject({ from: z.string(), text: z.string() })),
  silent: z.array(z.string()).optional(),
})

/** Sessions of this file have names of their own, so that one test does not hear another. */
let lastName = 0
function newName(): string {
  lastName += 1
  return `s${lastName}`
}

/** A session that is on the roster already. @returns its host, and its address */
async function join(name: string, revision?: string): Promise<{ host: Host; address: string }> {
  const host = claudeHost(daemon.socket, name, revision)
  const { facts } = await (await opened(host)).call('agentd_roster')
  return { host, address: z.string().parse(facts['you']) }
}

async function opened(host: Host): Promise<Host> {
  await host.open()
  return host
}

async function readInbox(host: Host, args: object = {}): Promise<z.infer<typeof Inbox>> {
  return Inbox.parse(readDone(await host.call('agentd_inbox', args)))
}

function readDone({ isError, facts }: Called): Readonly<Record<string, unknown>> {
  if (isError) throw new Error(JSON.stringify(facts))
  return facts
}

describe('a handover', () => {
  test.each([MODERN, ...LEGACY])('comes from one session to the other, once (%s)', async (revision) => {
    const [a, b] = await Promise.all([join(newName(), revision), join(newName(), revision)])
    await using _a = a.host
    await using _b = b.host

    const sent = readDone(
      await a.host.call('agentd_send', {
        kind: 'handover',
        text: 'Two tests are red:\nsee the notes.',
        refs: ['notes/handover.md'],
        to: b.address,
      }),
    )
    expect(sent).toMatchObject({ reached: 0, queued: 1, unread: 0 })
    expect(sent).not.toHaveProperty('note')

    const { messages, unread, note } = await readInbox(b.host)
    expect(messages).toEqual([
      {
        from: a.address,
        age: 'now',
        kind: 'handover',
        text: 'Two tests are red:\nsee the notes.',
        refs: ['notes/handover.md'],
        handover_id: sent['frame_id'],
        of_session: a.address.split('@')[1],
      },
    ])
    expect(unread).toBe(0)
    expect(note).toContain('not by the user')
    expect((await readInbox(b.host)).messages).toEqual([])
  })

  test('is handed over by MCP when it is read, seen with the next call, and neither by a peek (OP-09)', async () => {
    const [a, b] = await Promise.all([join(newName()), join(newName())])
    await using _a = a.host
    await using _b = b.host
    await using client = await connect({ socket: daemon.socket })
    const args = { kind: 'handover', text: 'yours', to: b.address }
    const frameId = z.string().parse(readDone(await a.host.call('agentd_send', args))['frame_id'])
    const receiptOf = async (): Promise<unknown> => (await client.receipts(frameId)).receipts[0]

    const peeked = await readInbox(b.host, { peek: true })
    expect(peeked.messages).toHaveLength(1)
    expect(peeked.unread).toBe(1)
    expect(await receiptOf()).toMatchObject({ state: 'queued' })

    await readInbox(b.host)
    expect(await receiptOf()).toMatchObject({ address: b.address, state: 'handed', via: 'mcp' })

    // Any further call shows that the host went on past the answer (OP-09).
    await b.host.call('agentd_roster', {})
    expect(await receiptOf()).toMatchObject({ address: b.address, state: 'seen', via: 'mcp' })
  })

  test('is taken over by one, in its words, and the next one is told who has it (HO-03, HO-04)', async () => {
    const [a, b, c] = await Promise.all([join(newName()), join(newName()), join(newName())])
    await using _a = a.host
    await using _b = b.host
    await using _c = c.host
    const text = `Two tests are red.\n${'x'.repeat(9_000)}`
    const sent = readDone(await a.host.call('agentd_send', { kind: 'handover', text, refs: ['src/a.ts'] }))
    const taken = { kind: 'takeover', id: sent['frame_id'] }

    const first = readDone(await b.host.call('agentd_send', taken))
    const second = readDone(await c.host.call('agentd_send', taken))
    const none = readDone(await c.host.call('agentd_send', { kind: 'takeover', id: 'ffffffff' }))

    expect(first).toMatchObject({ of_frame: sent['frame_id'], from: a.address, text, refs: ['src/a.ts'] })
    expect(second).toMatchObject({ of_frame: sent['frame_id'], from: a.address, taken_by: b.address })
    expect(second).not.toHaveProperty('text')
    expect(none).toMatchObject({ note: 'Nothing is handed over here.' })
  })

  test('to nobody says so, and who will be shown it (OP-25)', async () => {
    await using alone = await startTestDaemon()
    await using host = await opened(claudeHost(alone.socket, 'only'))

    const sent = readDone(
      await host.call('agentd_send', { kind: 'handover', text: 'to whom it may concern' }),
    )

    expect(sent).toMatchObject({ reached: 0, queued: 0 })
    expect(sent['note']).toMatch(
      /^No other session is there to read it; one that starts later in your repository/,
    )
  })
})

describe('a question', () => {
  test('is answered, and the answer is taken out of the inbox', async () => {
    const [asker, answerer] = await Promise.all([join(newName()), join(newName())])
    await using _a = asker.host
    await using _b = answerer.host

    const asking = asker.host.call('agentd_ask', {
      text: 'Who has the schema?',
      to: answerer.address,
      wait_s: 20,
    })
    const question = await untilMessage(answerer.host)
    expect(question).toMatchObject({ kind: 'query', text: 'Who has the schema?', from: asker.address })
    const answer = { kind: 'respond', id: question['query_id'], text: 'I do.' }
    expect(readDone(await answerer.host.call('agentd_send', answer))).toMatchObject({ reached: 1 })

    const asked = Asked.parse(readDone(await asking))
    expect(asked).toMatchObject({
      outcome: 'answered',
      query_id: question['query_id'],
      answers: [{ from: answerer.address, text: 'I do.' }],
      unread: 0,
    })
    expect((await readInbox(asker.host)).messages).toEqual([])
  })

  test('costs no message that comes while it waits', async () => {
    const [asker, answerer] = await Promise.all([join(newName()), join(newName())])
    await using _a = asker.host
    await using _b = answerer.host

    const asking = asker.host.call('agentd_ask', { text: 'ready?', to: answerer.address, wait_s: 20 })
    const question = await untilMessage(answerer.host)
    await answerer.host.call('agentd_send', { kind: 'advise', text: 'editing src/a.ts', to: asker.address })
    await answerer.host.call('agentd_send', { kind: 'respond', id: question['query_id'], text: 'yes' })

    expect(readDone(await asking)).toMatchObject({ outcome: 'answered', unread: 1 })
    expect((await readInbox(asker.host)).messages).toMatchObject([
      { kind: 'advisory', text: 'editing src/a.ts' },
    ])
  })

  test('to everybody waits for everybody with all', async () => {
    await using alone = await startTestDaemon()
    await using asker = await opened(claudeHost(alone.socket, 'asker'))
    await using one = await opened(claudeHost(alone.socket, 'one'))
    await using two = await opened(claudeHost(alone.socket, 'two'))
    for (const host of [asker, one, two]) await host.call('agentd_roster')

    const asking = asker.call('agentd_ask', { text: 'done?', all: true, wait_s: 20 })
    for (const host of [one, two]) {
      const question = await untilMessage(host)
      await host.call('agentd_send', { kind: 'respond', id: question['query_id'], text: 'done' })
    }

    const asked = Asked.parse(readDone(await asking))
    expect(asked.outcome).toBe('answered')
    expect(asked.answers.map(({ from }) => from).toSorted()).toEqual(['~alice/cc@one', '~alice/cc@two'])
  })

  test('that nobody answers in time names the silent, and the late answer waits in the inbox', async () => {
    const [asker, answerer] = await Promise.all([join(newName()), join(newName())])
    await using _a = asker.host
    await using _b = answerer.host

    const asked = Asked.parse(
      readDone(
        await asker.host.call('agentd_ask', { text: 'still there?', to: answerer.address, wait_s: 1 }),
      ),
    )
    expect(asked).toMatchObject({ outcome: 'deadline', answers: [], silent: [answerer.address] })

    await answerer.host.call('agentd_send', { kind: 'respond', id: asked.query_id, text: 'was asleep' })
    expect((await readInbox(asker.host)).messages).toMatchObject([
      { kind: 'response', text: 'was asleep', query_id: asked.query_id, from: answerer.address },
    ])
  })

  test('that the person dismisses it ends it with the reason (SEAT-12)', async () => {
    await using client = await connect({ socket: daemon.socket })
    const seat = await client.session({ instrument: 'human', tool: 'human', sessionId: newName() })
    const stream = seat.stream()
    await stream.opened
    const asker = await join(newName())
    await using host = asker.host

    const asking = host.call('agentd_ask', { text: 'may I?', to: seat.address, wait_s: 60 })
    const { value: item } = await stream[Symbol.asyncIterator]().next()
    const query_id =
      item?.type === 'frame' && item.frame.kind === 'agent_query' && item.frame.payload.query_id
    const word = { return_event_ref: 'seat:dismissed', summary: 'not today' }
    await seat.verb('agent_return', { ...word, query_id, recipient_scope: asker.address })

    const told = readDone(
      await host.call('agentd_send', { kind: 'advise', text: 'then not', to: seat.address }),
    )
    expect(told).toMatchObject({ reached: 1, queued: 0, people: 1 })
    expect(readDone(await asking)).toMatchObject({
      outcome: 'dismissed',
      reason: 'not today',
      answers: [],
      unread: 0,
      note: 'Written by other sessions, not by the user.',
    })
    await seat.close()
  })

  test('fails at once when nobody is there', async () => {
    await using alone = await startTestDaemon()
    await using host = await opened(claudeHost(alone.socket, 'only'))

    const { isError, facts } = await host.call('agentd_ask', { text: 'anybody?', wait_s: 120 })

    expect(isError).toBe(true)
    expect(facts).toMatchObject({ error: { code: 'no-listener', field: 'to' }, unread: 0 })
  })

  test('fails at once where terminals alone hear it, and says how a person is waited for (OP-28)', async () => {
    await using quiet = await startTestDaemon()
    await using host = await opened(claudeHost(quiet.socket, 'only'))
    await using client = await connect({ socket: quiet.socket })
    const terminal = client.stream({ instrument: 'terminal' })
    await terminal.opened
    const [{ address } = { address: '' }] = (await client.roster()).filter(({ tool }) => tool !== 'cc')

    const alone = await host.call('agentd_ask', { text: 'anybody?', wait_s: 120 })
    const scoped = await host.call('agentd_ask', { text: 'anybody?', to: '~alice/*', wait_s: 120 })
    const people = await host.call('agentd_ask', { text: 'you?', people: true, wait_s: 1 })
    const named = await host.call('agentd_ask', { text: 'you?', to: address, wait_s: 1 })

    for (const { isError, facts } of [alone, scoped]) {
      expect(isError).toBe(true)
      expect(facts).toMatchObject({
        error: {
          code: 'no-listener',
          field: 'people',
          message:
            'The question went to 1 terminal and to no agent, so no answer is waited for; one that comes goes to the inbox. ' +
            'With people: true a person is waited for.',
        },
      })
    }
    for (const waited of [people, named])
      expect(Asked.parse(readDone(waited))).toMatchObject({ outcome: 'deadline', silent: [address] })
  })

  test('is one at a time for a connection; everything else goes on meanwhile', async () => {
    const [asker, answerer] = await Promise.all([join(newName()), join(newName())])
    await using _a = asker.host
    await using _b = answerer.host
    const first = asker.host.call('agentd_ask', { text: 'first?', to: answerer.address, wait_s: 20 })
    const question = await untilMessage(answerer.host)

    const second = await asker.host.call('agentd_ask', { text: 'second?', to: answerer.address, wait_s: 20 })

    expect(second).toMatchObject({ isError: true, facts: { error: { code: 'busy' } } })
    expect((await asker.host.call('agentd_roster')).isError).toBe(false)
    await answerer.host.call('agentd_send', { kind: 'respond', id: question['query_id'], text: 'yes' })
    expect(readDone(await first)).toMatchObject({ outcome: 'answered' })
  })

  test('is given up when the host says so, and the connection goes on', async () => {
    const [asker, answerer] = await Promise.all([join(newName(), '2025-06-18'), join(newName())])
    await using _a = asker.host
    await using _b = answerer.host
    const args = { text: 'never mind', to: answerer.address, wait_s: 120 }
    const id = asker.host.post('tools/call', { name: 'agentd_ask', arguments: args })
    await untilMessage(answerer.host)

    asker.host.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    // The one place for questions is free again as soon as the first has been given up.
    const again = await untilDone(() => asker.host.call('agentd_ask', { ...args, wait_s: 1 }))

    expect(again).toMatchObject({ outcome: 'deadline' })
    expect(asker.host.answers.map((answer) => answer.id)).not.toContain(id)
  })
})

describe('the other verbs', () => {
  test('each of them arrives as its kind', async () => {
    const [a, b] = await Promise.all([join(newName()), join(newName())])
    await using _a = a.host
    await using _b = b.host
    const question = {
      stem: 'Which?',
      options: [
        { label: 'one', reasoning: 'small' },
        { label: 'two', reasoning: 'big' },
      ],
      recommended_idx: 0,
    }
    const decision = { findings: ['f'], recommendations: ['r'], offer: 'o', question }
    const intent = { convergence_class: 'repo.pull-request', ttl: 60_000, withdrawable: true }
    const sends = [
      ['advisory', { kind: 'advise', text: 'editing', refs: ['src/a.ts'] }],
      ['broadcast', { kind: 'broadcast', text: 'main moved', extra: { event_class: 'merged' } }],
      ['return event', { kind: 'return', id: 'run-7', text: 'green' }],
      ['binding moment', { kind: 'decide', text: 'two ways', extra: decision }],
      ['diagnostic request', { kind: 'diagnose', text: 'red', extra: { severity: 'blocked' } }],
      ['intent declare', { kind: 'intent_declare', id: 'pull/1', extra: intent }],
      [
        'intent withdraw',
        { kind: 'intent_withdraw', id: 'pull/1', extra: { convergence_class: 'repo.pull-request' } },
      ],
      [
        'flush executed',
        { kind: 'flush_execute', id: 'pull/2', extra: { convergence_class: 'repo.pull-request' } },
      ],
    ] as const

    for (const [, args] of sends) readDone(await a.host.call('agentd_send', { ...args, to: b.address }))

    const { messages } = await readInbox(b.host)
    expect(messages.map(({ kind }) => kind.replace('peer ', ''))).toEqual(
      sends.map(([kind]) => kind.replace('flush executed', 'flush_executed').replace('_', ' ')),
    )
    const decided = messages.find(({ kind }) => kind === 'binding moment')
    expect(decided).toMatchObject({ findings: ['f'], offer: 'o', question: { recommended_idx: 0 } })
  })

  test('a return with the id of a question ends it for who asked, and with another id it is of that event (AC-078)', async () => {
    const [asker, other] = await Promise.all([join(newName()), join(newName())])
    await using _a = asker.host
    await using _b = other.host
    const asking = asker.host.call('agentd_ask', { text: 'which?', to: other.address, wait_s: 60 })
    const question = await untilMessage(other.host)
    const back = { kind: 'return', id: question['query_id'], text: 'not mine', to: asker.address }
    readDone(await other.host.call('agentd_send', back))
    expect(readDone(await asking)).toMatchObject({ outcome: 'dismissed', reason: 'not mine' })

    readDone(await other.host.call('agentd_send', { ...back, id: 'run-7' }))
    const { messages } = await readInbox(asker.host)
    expect(messages.at(-1)).not.toHaveProperty('query_id')
  })

  test('a diagnosis is answered by its id', async () => {
    const [a, b] = await Promise.all([join(newName()), join(newName())])
    await using _a = a.host
    await using _b = b.host
    const diagnose = {
      kind: 'diagnose',
      text: 'the build is red',
      extra: { severity: 'blocked' },
      to: b.address,
    }
    const sent = readDone(await a.host.call('agentd_send', diagnose))

    const [message] = (await readInbox(b.host)).messages
    expect(message).toMatchObject({ severity: 'blocked', diagnostic_id: sent['diagnostic_id'] })
    const answer = {
      kind: 'diagnose_respond',
      id: message?.['diagnostic_id'],
      text: 'a stale cache',
      to: a.address,
    }
    readDone(await b.host.call('agentd_send', answer))

    const [finding] = (await readInbox(a.host)).messages
    expect(finding?.text).toContain('a stale cache')
  })

  test.each([
    ['agentd_send', { kind: 'advise' }, 'field-missing', 'text'],
    ['agentd_send', { kind: 'handover', text: '' }, 'field-invalid', 'text'],
    ['agentd_send', { kind: 'respond', id: 'no-uuid', text: 'x' }, 'field-invalid', 'id'],
    ['agentd_send', { kind: 'advise', text: 'x', to: '~bob/*' }, 'scope-unauthorised', 'to'],
    ['agentd_send', { kind: 'advise', text: 'x', to: '~bob/bob' }, 'field-invalid', 'to'],
    ['agentd_send', { kind: 'advise', text: 'x', to: 'bob' }, 'recipient-unknown', 'to'],
    ['agentd_send', { kind: 'advise', text: 'x', id: 'y' }, 'field-unknown', 'id'],
    [
      'agentd_send',
      { kind: 'broadcast', text: 'x', extra: { event_class: 'new' } },
      'field-invalid',
      'extra.event_class',
    ],
    ['agentd_send', { kind: 'diagnose', text: 'x' }, 'field-missing', 'extra.severity'],
    ['agentd_send', { kind: 'shout', text: 'x' }, 'field-invalid', 'kind'],
    ['agentd_send', { kind: 'advise', text: 'x', loud: true }, 'field-unknown', 'loud'],
    ['agentd_send', { kind: 'advise', text: 'x'.repeat(9_000) }, 'field-invalid', 'text'],
    ['agentd_send', { kind: 'advise', text: 'x', refs: ['y', 1] }, 'field-invalid', 'refs[1]'],
    ['agentd_send', {}, 'field-missing', 'kind'],
    ['agentd_inbox', { max: 0 }, 'field-invalid', 'max'],
    ['agentd_inbox', { max: 51 }, 'field-invalid', 'max'],
    ['agentd_ask', {}, 'field-missing', 'text'],
    ['agentd_ask', { text: 'x', wait_s: 121 }, 'field-invalid', 'wait_s'],
    ['agentd_lock', { action: 'acquire' }, 'field-missing', 'resource'],
    ['agentd_lock', { action: 'release' }, 'field-missing', 'lease_id'],
    ['agentd_lock', { action: 'extend', resource: 'nobody has it' }, 'not-found', 'resource'],
    ['agentd_lock', { action: 'steal', resource: 'x' }, 'field-invalid', 'action'],
  ])('%s %j is refused as %s, field %s', async (name, args, code, field) => {
    await using host = await opened(claudeHost(daemon.socket, newName()))

    const { isError, facts } = await host.call(name, args)

    expect(isError).toBe(true)
    expect(facts).toMatchObject({ error: { code, field }, unread: 0 })
    expect(String(Reflect.get(Object(facts['error']), 'message'))).toMatch(/\.$/)
  })

  test('a member named __proto__ is refused as any other that nobody knows (ACQ-40)', async () => {
    await using host = await opened(claudeHost(daemon.socket, newName()))
    const args: unknown = JSON.parse('{"kind":"advise","text":"x","extra":{"__proto__":{"a":1}}}')

    const { isError, facts } = await host.call('agentd_send', Object(args))

    expect(isError).toBe(true)
    expect(facts).toMatchObject({ error: { code: 'field-unknown' } })
  })
})

describe('a host that names no session', () => {
  test('is told who it is once it has said its name', async () => {
    await using host = await opened(connectHost(daemon.socket))

    expect(readDone(await host.call('agentd_roster', { as: 'reviewer' }))['you']).toMatch(
      /^~alice\/reviewer@/,
    )
    expect(readDone(await host.call('agentd_roster'))['you']).toMatch(/^~alice\/reviewer@/)
  })
})

/** Reads the inbox until there is something in it; asking has no other sign that a question has gone out. */
async function untilMessage(host: Host): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const [message] = (await readInbox(host)).messages
    if (message !== undefined) return message
  }
}

async function untilDone(call: () => Promise<Called>): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { isError, facts } = await call()
    if (!isError) return facts
  }
}
