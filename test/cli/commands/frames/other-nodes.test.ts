import { expect, test } from 'vitest'
import type { RemoteNode } from '../../../../src/broker/remote/remote.ts'
import { startInProcess } from '../../../server/in-process.ts'
import { FilledRemote, remoteNode } from '../../../support/other-nodes.ts'
import { hasProgram } from '../../../support/needs.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { agentd, fullAgentd, startOnTerminal, type Env } from '../../support.ts'

const AWAY = remoteNode('ci', ['~alice/cc@s9'], { state: 'away' })

/** Somebody whose daemon is linked with these nodes. */
async function linkedWith(...nodes: readonly RemoteNode[]) {
  const home = await createTempDir()
  const remote = new FilledRemote(...nodes)
  const server = await startInProcess({ remote })
  const env: Env = { PATH: process.env['PATH'] ?? '', HOME: home.file(''), AGENTD_SOCKET: server.socket }
  return {
    env,
    remote,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('what is sent is told with the sessions here, those on each node, and who is away (FED-50)', async () => {
  await using user = await linkedWith(remoteNode('devbox', ['~alice/codex@s2']), AWAY)
  const { session } = user.server.broker.sessions.open(
    { instrument: 'cc', session_id: 's1', mailbox: true },
    undefined,
    undefined,
  )
  expect(session.mailbox).toBeDefined()

  const words = 'sent agent_advisory to 1 session here (waiting in its mailbox), 1 on devbox; ci is away\n'
  expect((await agentd(user.env, ['advise', 'editing'])).stdout).toBe(words)
  expect((await fullAgentd(user.env, ['advise', 'editing'])).stdout).toBe(words)
  expect((await agentd(user.env, ['advise', 'editing', '--scope', '~alice/codex*'])).stdout).toBe(
    'sent agent_advisory to 1 session on devbox; ci is away\n',
  )
  expect(JSON.parse((await agentd(user.env, ['advise', 'x', '--json'])).stdout).remote).toEqual({
    sessions: 1,
    nodes: ['devbox'],
    away: ['ci'],
    as_of: '2026-01-01T00:00:00.000Z',
  })
})

test.runIf(hasProgram('script'))(
  'a question that nobody here or elsewhere hears ends at once on a terminal, and names who is away (FED-53)',
  async () => {
    await using user = await linkedWith(AWAY)

    await using asking = startOnTerminal(user.env, ['ask', 'who is there?'])
    const { stdout, code } = await asking.ended

    expect(code).toBe(3)
    expect(stdout).toContain('Nobody is listening just now; ci is away, so no answer is waited for')
    expect(stdout).toContain('the question stays, and goes there when the link is back')
  },
)
