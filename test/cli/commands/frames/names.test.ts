/** Sessions by their names, as a person sees and writes them (docs/http.md §4). */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, fullAgentd, startAgentd, startOnTerminal } from '../../support.ts'

test('--to and --scope take a name, a beginning of it or of an id, whichever way the command goes', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({
    instrument: 'cc',
    sessionId: '01jq-alpha',
    title: 'API refactor',
    mailbox: true,
  })
  await client.session({ instrument: 'cc', title: 'docs', mailbox: true })

  const ways = [
    ['advise', 'a', '--to', 'api-refactor'],
    ['advise', 'b', '--to=api'],
    ['broadcast', 'c', '--scope', '01jq'],
    ['advise', 'd', '--to', session.address],
    ['lock', 'src/auth.ts', '--to', 'api'],
  ]
  for (const words of ways) {
    expect((await agentd(daemon.env, words)).stdout).toMatch(
      /^sent \w+ to 1 session \(waiting in its mailbox\)/,
    )
  }

  expect(await fullAgentd(daemon.env, ['advise', 'e', '--to', 'api'])).toMatchObject({ code: 0, stderr: '' })
  expect((await session.inbox.drain()).items).toHaveLength(6)
})

test('what may be several is refused with their names, and what is none with near ones; nothing is sent', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  for (const title of ['API refactor', 'API review']) await client.session({ instrument: 'cc', title })

  const several = await agentd(daemon.env, ['advise', 'a', '--to', 'api'])
  const none = await agentd(daemon.env, ['advise', 'a', '--scope', 'api-refacter'])
  const asked = await agentd(daemon.env, ['ask', 'who?', '--to', 'api'])
  const both = await agentd(daemon.env, ['advise', 'a', '--to', 'api-review', '--scope', '~alice'])

  expect(several).toMatchObject({ code: 1, stdout: '' })
  expect(several.stderr).toContain('"api" may be api-refactor, api-review; write more of the name.')
  expect(none).toMatchObject({ code: 1, stdout: '' })
  expect(none.stderr).toContain(
    'recipient-unknown: No session is called "api-refacter". There is api-refactor',
  )
  expect(asked).toMatchObject({ code: 1, stderr: several.stderr })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--to and --scope') })
  expect((await client.history()).items).toHaveLength(0)
})

test('a scope that names nobody is told with the names that are near', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await client.session({ instrument: 'cc', title: 'API refactor' })

  for (const run of [agentd, fullAgentd]) {
    expect(await run(daemon.env, ['advise', 'a', '--scope', '~alice/api-refact*'])).toEqual({
      code: 0,
      stdout: 'sent agent_advisory; nobody is called that; there is api-refactor\n',
      stderr: '',
    })
  }
})

test('the roster shows the name first and status, history, receipts and inbox say who is meant', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const api = await client.session({
    instrument: 'cc',
    sessionId: 's1',
    title: 'API refactor',
    mailbox: true,
  })
  const docs = await client.session({ instrument: 'cc', sessionId: 's2', title: 'docs' })
  const { frameId } = await docs.advise('hello', { to: 'api' })

  const roster = await agentd(daemon.env, ['roster'])
  const receipts = await agentd(daemon.env, ['receipts', frameId])

  expect(roster.stdout).toMatch(
    /^NAME +ADDRESS .*\napi-refactor +~alice\/cc@s1 +other .*\ndocs +~alice\/cc@s2 +other .*\n$/,
  )
  expect((await agentd(daemon.env, ['status'])).stdout).toMatch(/\n {2}called +api-refactor, docs\n/)
  expect((await agentd(daemon.env, ['history'])).stdout).toMatch(/\n\S+ +docs +advisory +hello\n$/)
  expect(receipts.stdout).toMatch(/ api-refactor \(~alice\/cc@s1\)\n$/)
  expect((await agentd({ ...daemon.env, AGENTD_TOKEN: api.token }, ['inbox'])).stdout).toMatch(
    /^\S+ docs +advisory/,
  )
  expect(await agentd(daemon.env, ['roster', '--end', 'api'])).toMatchObject({
    code: 0,
    stdout: 'ended ~alice/cc@s1\n',
  })
})

test('tail names who sent a frame, those of a burst too, and the principal as itself', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const api = await client.session({ instrument: 'cc', title: 'API refactor' })
  for (let i = 0; i < 120; i += 1) await api.advise(`before ${i}`)
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '120'])
  await tail.untilSaid(/before 119\n/)

  const docs = await client.session({ instrument: 'cc', title: 'docs' })
  await docs.advise('from docs')
  await client.advise('from the person')
  await tail.untilSaid(/from the person\n/)

  expect(tail.stdout().match(/ api-refactor +advisory +before/g)).toHaveLength(120)
  expect(tail.stdout()).toMatch(/ docs +advisory +from docs\n\S+ ~alice +advisory +from the person\n$/)
})

test.runIf(hasProgram('script'))('on a terminal of 80 columns the longest name is whole', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const title = 'x'.repeat(60)
  const session = await client.session({
    instrument: 'cc-opus-4-6',
    title,
    tool: 'cc-runtime',
    mailbox: true,
  })
  await session.advise('hello '.repeat(30))

  for (const command of ['roster', 'history']) {
    await using running = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, [command])
    const { stdout } = await running.ended
    expect(stdout).toContain(session.facts.name)
    for (const line of stdout.trimEnd().split('\r\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  }
  expect(session.facts.name).toHaveLength(24)
})

test('receipts say agents and the person apart, as what was sent did (SEAT-23)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  for (const [instrument, sessionId] of [
    ['cc', 's1'],
    ['codex', 's2'],
    ['human', 's3'],
  ] as const)
    await client.session({ instrument, sessionId, mailbox: true })

  const sent = JSON.parse((await agentd(daemon.env, ['advise', 'hello', '--json'])).stdout)
  const receipts = await agentd(daemon.env, ['receipts', sent.frame_id])
  const told = JSON.parse((await agentd(daemon.env, ['receipts', sent.frame_id, '--json'])).stdout)

  expect(receipts.stdout).toMatch(/^frame \S+ was sent to 2 agents and you \(waiting in their mailboxes\)\n/)
  expect(told).toMatchObject({ queued_count: 3, people_count: 1 })
})
