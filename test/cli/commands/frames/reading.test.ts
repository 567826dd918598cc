import { expect, test } from 'vitest'
import { NEWEST_LOOKED_AT } from '../../../../src/cli/commands/frames/newest-sent.ts'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { agentd, createUser, startOnTerminal } from '../../support.ts'
import { hasProgram } from '../../../support/needs.ts'
import { WELL } from '../../../support/without-sqlite.ts'

test('status shows on one screen who is served, what is kept, and who may read it (AC-192)', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'hello'])

  const { code, stdout } = await agentd(daemon.env, ['status'])

  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^agentd \\d+\\.\\d+\\.\\d+ is ${WELL}\n`))
  expect(stdout).toMatch(/\n {2}principal +~alice\n/)
  expect(stdout).toContain(daemon.socket)
  expect(stdout).toContain(`pid ${daemon.pid}`)
  expect(stdout).toMatch(/\n {2}keeps +1 frame, /)
  expect(stdout).toMatch(/\n {2}at most +100 000 frames, \d+ MiB, 7d\n/)
  expect(stdout).toMatch(/\n {2}readable by +this user/)
  expect(stdout).toMatch(/\n {2}to forget +agentd history --forget/)
  expect(stdout.split('\n').length).toBeLessThan(24)
})

test('status --json is the health of the wire and the socket', async () => {
  await using daemon = await startTestDaemon()

  const { stdout } = await agentd(daemon.env, ['status', '--json'])

  expect(JSON.parse(stdout)).toMatchObject({
    status: WELL,
    pid: daemon.pid,
    socket: daemon.socket,
    uptime_ms: expect.any(Number),
    ring: { newest_event_id: null },
  })
})

test('an empty roster and an empty history are said in words', async () => {
  await using daemon = await startTestDaemon()

  expect(await agentd(daemon.env, ['roster'])).toMatchObject({ stdout: '~alice has no sessions just now\n' })
  expect(await agentd(daemon.env, ['history'])).toMatchObject({ stdout: 'nothing is retained\n' })
  expect(await agentd(daemon.env, ['roster', '--json'])).toMatchObject({
    stdout: '{"handle":"~alice","sessions":[]}\n',
  })
})

test.runIf(hasProgram('script'))('roster and history are tables of at most 80 columns', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const title = 'a title that is much longer than what is left of the line 日本語'
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true, title })
  await client.session({ instrument: 'gpt-5-codex', tool: 'codex' })
  await client.advise(`text ${'and more of it '.repeat(20)}`)
  await session.advise('second')

  for (const command of ['roster', 'history']) {
    await using running = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, [command])
    const { stdout } = await running.ended
    const lines = stdout.trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(80)
    expect(stdout).toContain('…')
  }
})

test.runIf(hasProgram('script'))(
  'the roster says what a session does, and quotes what it waits for, within 80 columns (W-4, HD-18, HD-19)',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const text = 'May I?\n\u001b[31m"idle\u202e '.padEnd(254, 'x')
    const asking = await client.session({ instrument: 'cc', sessionId: 's1' })
    await asking.setActivity({ state: 'waiting', reason: 'permission', text })
    await (
      await client.session({ instrument: 'codex', sessionId: 's2' })
    ).setActivity({ state: 'working', text })
    await client.session({ instrument: 'gemini', sessionId: 's3' })

    await using running = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, ['roster'])
    const lines = (await running.ended).stdout.trimEnd().split('\r\n')
    const whole = (await agentd(daemon.env, ['roster'])).stdout
    const status = (await agentd(daemon.env, ['status'])).stdout

    expect(lines).toHaveLength(5)
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(80)
    expect(lines[1]).toMatch(/^cc .* waiting (?:now|\d+s)$/)
    // A line break is a mark, an escape and an override are nothing, and a quotation mark ends none.
    expect(lines[2]).toMatch(/^ {2}permission: "May I\? ⏎ \[31m'idle x+…"$/)
    expect(lines[3]).toMatch(/^codex .* working (?:now|\d+s)$/)
    expect(lines[4]).not.toMatch(/working|waiting|idle/)
    expect(whole).toContain(`\n${lines[2] ?? ''}\n`)
    expect(status).toMatch(/ 3 on the roster, 1 waiting at a prompt, 0 streams open\n/)
  },
)

test('the roster of programs has what a session does as it is on the wire (W-4)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1' })
  await session.setActivity({ state: 'waiting', reason: 'limit' })
  await session.advise('before it')

  const roster = JSON.parse((await agentd(daemon.env, ['roster', '--json'])).stdout)
  const status = JSON.parse((await agentd(daemon.env, ['status', '--json'])).stdout)

  expect(roster.sessions[0]).toMatchObject({
    activity: { state: 'waiting', reason: 'limit', text: null, since: expect.any(String) },
    last_sent_at: expect.any(String),
  })
  expect(status).toMatchObject({ sessions: 1, waiting: 1 })
})

test('history pages: what follows is told, and --after goes on there', async () => {
  await using daemon = await startTestDaemon()
  for (const text of ['one', 'two', 'three']) await agentd(daemon.env, ['advise', text])
  const { items } = JSON.parse((await agentd(daemon.env, ['history', '--json'])).stdout)

  const rest = await agentd(daemon.env, ['history', '--after', items[0].event_id])
  const page = await agentd(daemon.env, ['history', '--after', items[0].event_id, '--limit', '1'])

  expect(rest.stdout).toMatch(/^AGE .*\n.*two\n.*three\n$/)
  expect(page.stdout).toMatch(/^AGE .*\n.*two\n$/)
  expect(page.stderr).toBe(`There is more: --after ${items[1].event_id}\n`)
})

test('inbox hands each item over once; --peek leaves it, --text is the digest, --wait waits', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
  const env = { ...daemon.env, AGENTD_TOKEN: session.token }
  await client.advise('hello')

  const peeked = await agentd(env, ['inbox', '--peek'])
  const digest = await agentd(env, ['inbox', '--peek', '--text'])
  const taken = await agentd(env, ['inbox', '--json'])
  const empty = await agentd(env, ['inbox'])
  const late = await agentd(env, ['inbox', '--wait', '--timeout', '100ms'])
  const waiting = agentd(env, ['inbox', '--wait', '--timeout', '15s'])
  await client.advise('at last')

  expect(peeked.stdout).toMatch(/^\d\d:\d\d:\d\d ~alice +advisory +hello\n$/)
  expect(digest.stdout).toMatch(/hello/)
  expect(JSON.parse(taken.stdout)).toMatchObject({
    items: [{ frame: { kind: 'agent_advisory' } }],
    remaining: 0,
  })
  expect(empty).toEqual({ code: 0, stdout: '', stderr: 'The mailbox is empty.\n' })
  expect(late).toMatchObject({ code: 4, stdout: '' })
  expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining('at last') })
})

test('receipts tell what became of a frame, and --wait waits for it', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
  const { frameId } = await client.advise('hello')

  const before = await agentd(daemon.env, ['receipts', frameId])
  const late = await agentd(daemon.env, ['receipts', frameId, '--wait', 'seen', '--timeout', '100ms'])
  const waiting = agentd(daemon.env, ['receipts', frameId, '--wait', 'all', '--json'])
  await session.inbox.drain()

  expect(before.stdout).toMatch(
    /^frame \S+ was sent to 1 session \(waiting in its mailbox\)\nSTATE .*\nqueued /,
  )
  expect(late).toMatchObject({ code: 4 })
  const after = await waiting
  expect(after.code).toBe(0)
  expect(JSON.parse(after.stdout)).toMatchObject({ receipts: [{ state: 'seen', via: 'inbox' }] })
})

test('receipts without an id tell of the newest that was sent from here, and say what that was (PD-01)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const none = await agentd(daemon.env, ['receipts'])
  await agentd(daemon.env, ['advise', 'older'])
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
  const { frame_id: frameId } = JSON.parse((await agentd(daemon.env, ['advise', 'hello', '--json'])).stdout)
  for (let i = 0; i <= NEWEST_LOOKED_AT[0]; i += 1) await session.advise(`talk ${i}`)
  const { frameId: ofSession } = await session.broadcast('by the session itself')

  const found = await agentd(daemon.env, ['receipts'])
  const waited = await agentd(daemon.env, ['receipts', '--wait', 'seen', '--timeout', '100ms'])
  const json = await agentd(daemon.env, ['receipts', '--json'])
  const own = await agentd({ ...daemon.env, AGENTD_TOKEN: session.token }, ['receipts'])

  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('No frame of yours') })
  expect(found.stdout).toMatch(
    new RegExp(`^frame ${frameId} \\(advisory, .*\\) was sent to 1 session .*\n.*\nqueued `),
  )
  expect(waited).toMatchObject({ code: 4, stdout: expect.stringContaining(frameId) })
  expect(JSON.parse(json.stdout)).toMatchObject({ frame_id: frameId, receipts: [{ state: 'queued' }] })
  expect(own.stdout).toMatch(new RegExp(`^frame ${ofSession} \\(broadcast, `))
})

test('receipts without an id look through so many frames of others and no more', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  await agentd(daemon.env, ['advise', 'hello'])
  const lines = Array.from({ length: NEWEST_LOOKED_AT[1] - 1 }, (_, i) => `talk ${i}`)
  await Promise.all(lines.map((line) => session.advise(line)))

  const within = await agentd(daemon.env, ['receipts'])
  await session.advise('one too many')
  const beyond = await agentd(daemon.env, ['receipts'])

  expect(within).toMatchObject({ code: 0 })
  expect(beyond).toMatchObject({ code: 1, stdout: '' })
})

test('--quiet leaves what was asked for; of status that is the socket', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'hello'])

  const history = await agentd(daemon.env, ['history', '--quiet', '--limit', '1'])
  const status = await agentd(daemon.env, ['status', '--quiet'])

  expect(history.stdout).toContain('hello')
  expect(status).toEqual({ code: 0, stdout: `${daemon.socket}\n`, stderr: '' })
})

test('status --quiet names the socket where no daemon runs as well, ends with 69 there, and starts none', async () => {
  await using user = await createUser()
  const socket = user.env['AGENTD_SOCKET']

  const outcomes = [
    await agentd(user.env, ['status', '--quiet']),
    await agentd(user.env, ['status', '--quiet']),
  ]
  const usual = await agentd(user.env, ['status'])
  const json = await agentd(user.env, ['status', '--quiet', '--json'])

  for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 69, stdout: `${socket}\n` })
  expect(outcomes[0]?.stderr).toContain('agentd does not answer')
  expect([usual.code, usual.stdout]).toEqual([69, ''])
  expect([json.code, json.stdout]).toEqual([69, ''])
})

test.each([['roster'], ['advise'], ['service', 'install'], ['completion'], ['serve']])(
  'help of %s has a line of description and an example',
  async (...words) => {
    await using daemon = await startTestDaemon()

    const { code, stdout } = await agentd(daemon.env, [...words, '--help'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: agentd .*\n\n\S.*\n/)
    expect(stdout).toMatch(/\nExample: .*agentd/)
  },
)

test('--version prints the version of the package', async () => {
  await using daemon = await startTestDaemon()

  expect(await agentd(daemon.env, ['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})

/** Good enough for what these tests print. */
function columnsOf(line: string): number {
  return line.length + line.replaceAll(/[^\u3000-\u9fff]/g, '').length
}
