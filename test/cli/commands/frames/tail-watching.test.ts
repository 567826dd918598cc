/** `agentd tail` looks on: whatever passes is shown, and nobody counts it as reached (W-1, SEAT-06). */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { FakeDaemon } from '../../../support/fake-daemon.ts'
import { agentd, startAgentd } from '../../support.ts'

test('who asks with only a tail open hears at once that nobody is there, and tail shows the question', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'begun'])
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '1'])
  await tail.untilSaid(/begun\n/)

  const asked = await agentd(daemon.env, ['ask', 'anybody?', '--timeout', '30s'])
  const sent = await agentd(daemon.env, ['advise', 'to nobody'])
  await tail.untilSaid(/to nobody\n/)

  expect(asked.code).toBe(3)
  expect(sent.stdout).toBe('sent agent_advisory; nobody is listening just now\n')
  expect(tail.stdout()).toContain('anybody?')
})

test('tail shows what is for one session, and envelopes, unless a filter or --entities leaves them out', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', tool: 'cc', mailbox: true, entities: ['agent.a'] })
  const { address } = session
  for (const text of ['one', 'two', 'three']) await client.advise(text, { scope: address })
  await session.broadcast('four', { scope: address })
  await client.sendEnvelope({ from: 'agent.b', to: 'agent.a', intent: 'ops.x.y', type: 'event', payload: {} })
  const lines = async (...options: readonly string[]): Promise<number> => {
    await using tail = startAgentd(daemon.env, ['tail', '--replay', '3', ...options])
    await tail.untilSaid(/\n.*\n.*\n|from cc\n/)
    return tail.stdout().split('\n').length - 1
  }
  await session.advise('from cc', { scope: address })

  expect(await lines()).toBe(3)
  expect(await lines('--filter', 'kind:agent_advisory,sender:~alice')).toBe(3)
  expect(await lines('--filter', 'tool:cc,kind:agent_advisory')).toBe(1)
  expect(await lines('--filter', 'kind:agent_advisory', '--entities', 'agent.a')).toBe(3)
  expect(await lines('--entities', 'agent.other')).toBe(3)
})

test('a daemon that is older is listened to as before, with a word on stderr', async () => {
  await using daemon = await FakeDaemon.start()
  const env = { ...process.env, AGENTD_SOCKET: daemon.socketPath, AGENTD_NO_START: '1' }
  await using tail = startAgentd(env, ['tail'])

  const watch = await daemon.next('GET /v1/watch')
  watch.answer(404, { code: 'not-found', message: 'There is nothing at this path.' })
  const stream = await daemon.next('GET /v1/handles/~alice/stream')
  stream.beginStream(': agentd e1-0\n\n')
  tail.signal('SIGINT')

  expect(await tail.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('older') })
})

test('where as many watch as may, it says so once, and goes on trying until there is room (W-1)', async () => {
  await using daemon = await FakeDaemon.start()
  const env = { ...process.env, AGENTD_SOCKET: daemon.socketPath, AGENTD_NO_START: '1' }
  await using tail = startAgentd(env, ['tail'])

  for (let i = 0; i < 2; i += 1) {
    const refused = await daemon.next('GET /v1/watch')
    refused.answer(503, { code: 'busy', message: 'As many watch as may.' }, { 'retry-after': '0' })
  }
  const watch = await daemon.next('GET /v1/watch')
  watch.beginStream(': agentd e1-0\n\n')
  tail.signal('SIGINT')

  const { code, stderr } = await tail.ended
  expect(code).toBe(0)
  expect(stderr.split('As many watch as may. It goes on trying; Ctrl-C ends.')).toHaveLength(2)
})

test('one watch more than the daemon may have waits for the end of another one (W-1, SEAT-06)', async () => {
  await using daemon = await startTestDaemon({ config: { limits: { watchers: 1 } } })
  await agentd(daemon.env, ['advise', 'begun'])
  const first = startAgentd(daemon.env, ['tail', '--replay', '1'])
  await first.untilSaid(/begun/)
  await using second = startAgentd(daemon.env, ['tail', '--replay', '1'])
  await second.untilSaid(/limits\.watchers.*It goes on trying/)

  await first[Symbol.asyncDispose]()

  await second.untilSaid(/begun/)
})
