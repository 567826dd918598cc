import { expect, test } from 'vitest'
import { connect, type AgentdSession } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { FakeDaemon } from '../../../support/fake-daemon.ts'
import { agentd, startAgentd, startOnTerminal } from '../../support.ts'
import { kill, namesProcesses, startParty } from '../../../support/mortal-session.ts'
import { hasProgram } from '../../../support/needs.ts'

/** Answers the first question it hears. */
async function answerOnce(session: AgentdSession, text: string): Promise<void> {
  const stream = session.stream({ filter: 'kind:agent_query' })
  await stream.opened
  void (async () => {
    for await (const item of stream) {
      if (item.type !== 'frame' || item.frame.kind !== 'agent_query') continue
      await session.respond(item.frame, text)
      break
    }
  })()
}

test('the first answer is printed with who gave it; --quiet prints it alone, --json as an object', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1' })

  await answerOnce(session, 'I am,\nuntil noon')
  const loud = await agentd(daemon.env, ['ask', 'who?'])
  await answerOnce(session, 'I am')
  const quiet = await agentd(daemon.env, ['ask', 'who?', '--quiet'])
  await answerOnce(session, 'I am')
  const json = await agentd(daemon.env, ['ask', 'who?', '--json'])

  expect(loud).toEqual({ code: 0, stdout: 'cc-opus: I am,\n  until noon\n', stderr: '' })
  expect(quiet).toEqual({ code: 0, stdout: 'I am\n', stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({ from: '~alice/cc-opus@s1', text: 'I am' })
})

test('--all waits for everybody, and --deadline takes what comes', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const one = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  const two = await client.session({ instrument: 'gpt', sessionId: 's2' })

  await answerOnce(one, 'one')
  await answerOnce(two, 'two')
  const all = await agentd(daemon.env, ['ask', 'who?', '--all', '--timeout', '10s'])
  await answerOnce(one, 'one')
  const deadline = await agentd(daemon.env, ['ask', 'who?', '--deadline', '--timeout', '2s'])

  expect(all.code).toBe(0)
  expect(all.stdout.split('\n').toSorted()).toEqual(['', 'cc-opus: one', 'gpt: two'])
  expect(deadline).toMatchObject({ code: 0, stdout: 'cc-opus: one\n' })
})

test('a question that nobody hears is said to stay where it is, and is there (SEAT-08)', async () => {
  await using daemon = await startTestDaemon()

  const forAll = await agentd(daemon.env, ['ask', 'anybody?'])
  const forAgents = await agentd(daemon.env, ['ask', 'any agent?', '--scope', '~alice/cc-*'])
  const { needs } = JSON.parse((await agentd(daemon.env, ['needs', '--json'])).stdout)
  const { items } = JSON.parse((await agentd(daemon.env, ['history', '--json'])).stdout)

  const begin = 'agentd: Nobody is listening just now, so no answer is waited for; the question stays: '
  expect([forAll.code, forAll.stderr]).toEqual([3, `${begin}"agentd needs" and "agentd history" have it.\n`])
  expect([forAgents.code, forAgents.stderr]).toEqual([3, `${begin}"agentd history" has it.\n`])
  expect(needs).toMatchObject([{ text: 'anybody?' }])
  expect(items).toHaveLength(2)
})

test('with nobody but terminals there no answer is waited for, unless --people or a name says so', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const terminal = client.stream({ instrument: 'terminal' })
  await terminal.opened
  const [visitor] = await client.roster()
  const address = visitor?.address ?? ''

  const asked = await agentd(daemon.env, ['ask', 'anybody?'])
  const people = await agentd(daemon.env, ['ask', 'anybody?', '--people', '--timeout', '100ms'])
  const named = await agentd(daemon.env, ['ask', 'you?', '--scope', address, '--timeout', '100ms'])

  expect(asked).toEqual({
    code: 3,
    stdout: '',
    stderr:
      'agentd: The question went to 1 terminal and to no agent, so no answer is waited for; it stays: ' +
      '"agentd needs" and "agentd history" have it. With --people a person\'s answer is waited for.\n',
  })
  expect([people.code, named.code]).toEqual([4, 4])
})

test('where several stay silent it is said how one of them is woken', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  for (const sessionId of ['s1', 's2'])
    await client.session({ instrument: 'cc-opus', sessionId, mailbox: true })
  const [one] = (await client.roster()).map(({ name }) => name)

  const both = await agentd(daemon.env, ['ask', 'who?', '--timeout', '100ms'])
  const alone = await agentd(daemon.env, ['ask', 'you?', '--to', one ?? '', '--timeout', '100ms'])

  expect([both.code, alone.code]).toEqual([4, 4])
  expect(both.stderr).toMatch(/Still silent: .*, .*\. A question to one alone may wake it: --to cc-\w+\.\n$/)
  expect(alone.stderr).not.toContain('may wake it')
})

test('a question that the daemon does not take in time is told apart from one that nobody answers', async () => {
  await using daemon = await FakeDaemon.start()
  const env = { ...process.env, AGENTD_SOCKET: daemon.socketPath, AGENTD_NO_START: '1' }
  const asking = agentd(env, ['ask', 'who?', '--timeout', '1s'])
  const roster = await daemon.next('GET /v1/handles/~alice/roster')
  roster.answer(200, { handle: '~alice', total: 0, sessions: [] })

  const { code, stdout, stderr } = await asking

  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toBe(
    'agentd: The time is over, and the daemon has not said that it took the question: "agentd history" has it if it did.\n',
  )
})

test('an agent among terminals is waited for', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const terminal = client.stream({ instrument: 'terminal' })
  await terminal.opened
  await answerOnce(await client.session({ instrument: 'cc-opus', sessionId: 's1' }), 'I am')

  expect(await agentd(daemon.env, ['ask', 'who?'])).toMatchObject({ code: 0, stdout: 'cc-opus: I am\n' })
})

test('Ctrl-C ends a question with 130', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  const stream = session.stream()
  await stream.opened
  await using asking = startAgentd(daemon.env, ['ask', 'who?'])
  await stream.next()

  asking.signal('SIGINT')

  expect(await asking.ended).toEqual({ code: 130, stdout: '', stderr: '' })
})

test.runIf(hasProgram('script'))(
  'on a terminal the time that is left stands below, and goes away',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const session = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
    await answerOnce(session, 'I am')
    await using asking = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, ['ask', 'who?', '--timeout', '9s'])

    const { code, stdout } = await asking.ended

    expect(code).toBe(0)
    // oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
    expect(stdout).toMatch(/waiting 9s, no answer yet.*\r\u001b\[Kcc-opus: I am\r\n/)
    expect(stdout.endsWith('\r\u001b[K')).toBe(true)
  },
)

test('a question whose only listener was killed ends at once with 3, by mailbox or by stream (OP-27)', async () => {
  await using daemon = await startTestDaemon()
  const parties = [
    await startParty(daemon.socket, 'mortal'),
    await startParty(daemon.socket, 'streaming', 'stream'),
  ]
  await Promise.all(parties.map(kill))

  const isSeen = await namesProcesses(daemon)
  const asked = ['ask', 'who?', '--timeout', isSeen ? '10m' : '100ms']
  const { code } = await agentd(daemon.env, asked)

  // Where the kernel names nobody, only the lease ends a session.
  expect(code).toBe(isSeen ? 3 : 4)
})

test('a question that is dismissed ends with 5, and says why (SEAT-12)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  const stream = session.stream({ filter: 'kind:agent_query' })
  await stream.opened
  const items = stream[Symbol.asyncIterator]()

  for (const words of [
    ['ask', 'May I push?'],
    ['ask', 'May I push?', '--json'],
  ]) {
    await using asking = startAgentd(daemon.env, words)
    await items.next()
    const [need] = (await client.needs()).needs
    const dismissed = await agentd(daemon.env, ['dismiss', need?.needId ?? '', '--note', 'ask me on Monday'])

    expect(dismissed).toMatchObject({ code: 0, stdout: expect.stringContaining('dismissed to 1 session') })
    const { code, stdout, stderr } = await asking.ended
    const message = 'No answer comes, the question was dismissed: ask me on Monday'
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toContain(
      words.length > 2 ? JSON.stringify({ code: 'dismissed', message, exit_code: 5 }) : message,
    )
  }
})
