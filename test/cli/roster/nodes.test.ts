import { expect, test } from 'vitest'
import { startInProcess } from '../../server/in-process.ts'
import { hasProgram } from '../../support/needs.ts'
import { FilledRemote, remoteNode, remoteSession } from '../../support/other-nodes.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { agentd, startOnTerminal, type Env } from '../support.ts'

const LONG = '01JD7Z9ZK2M4Q8R6T0V3X5Y7AB'

/** A daemon with one session, linked with two nodes of which one is away. */
async function linked(remote?: FilledRemote) {
  const home = await createTempDir()
  const server = await startInProcess(remote === undefined ? {} : { remote })
  server.broker.sessions.open(
    { instrument: 'cc-opus', session_id: 's1', mailbox: true, title: 'api' },
    undefined,
    undefined,
  )
  const env: Env = { PATH: process.env['PATH'] ?? '', HOME: home.file(''), AGENTD_SOCKET: server.socket }
  return {
    env,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

function twoNodes(): FilledRemote {
  const reviewer = remoteSession(`~alice/codex-reviewer@${LONG}`, {
    tool: 'codex',
    title: 'reviews',
    branch: 'main',
  })
  const asOfMs = Date.now()
  return new FilledRemote(
    remoteNode('devbox', [reviewer, '~alice/cc-opus@s1'], { asOfMs }),
    remoteNode('ci', ['~alice/cc@s9'], { state: 'away', asOfMs: asOfMs - 180_000 }),
  )
}

test.runIf(hasProgram('script'))(
  'the roster has a column of nodes and their state, within 80 columns (FED-51, FED-54)',
  async () => {
    await using user = await linked(twoNodes())

    await using running = startOnTerminal({ ...user.env, NO_COLOR: '1' }, ['roster'])
    const { stdout, code } = await running.ended
    const lines = stdout.replaceAll('\r', '').trimEnd().split('\n')

    expect(code).toBe(0)
    expect(lines[0]).toMatch(/^NAME +NODE +TOOL +STATE +SEEN +ABOUT$/)
    expect(lines[1]).toMatch(/ here +other +mailbox .*also on devbox/)
    expect(lines[2]).toMatch(/^codex-reviewer@\S+ +devbox +codex +listening .*reviews, main$/)
    expect(lines[4]).toMatch(/^cc@s9 +ci +- +away/)
    expect(lines[5]).toMatch(/^node devbox is here, heard of (?:just now|\S+ ago)$/)
    expect(lines[6]).toMatch(/^node ci is away, heard of 3m ago; what is sent waits for it$/)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  },
)

test('--here is this machine alone, as is the roster without a link (FED-01)', async () => {
  await using user = await linked(twoNodes())
  await using alone = await linked()

  const here = await agentd(user.env, ['roster', '--here'])
  const unlinked = await agentd(alone.env, ['roster'])

  expect(here.stdout).not.toContain('codex-reviewer')
  expect(here.stdout.split('\n')[0]).not.toContain('NODE')
  expect(unlinked.stdout.split('\n')[0]).not.toContain('NODE')
  expect(JSON.parse((await agentd(alone.env, ['roster', '--json'])).stdout)).not.toHaveProperty('nodes')
})

test('resolve says on which nodes a handle lives, and status which nodes are there', async () => {
  await using user = await linked(twoNodes())
  await using alone = await linked()

  const resolved = await agentd(user.env, ['resolve', '~alice'])
  const status = await agentd(user.env, ['status'])

  expect(resolved.stdout).toMatch(/node devbox is here/)
  expect(resolved.stdout).toMatch(/codex-reviewer@/)
  expect(status.stdout).toMatch(/linked with +devbox here, ci away/)
  expect((await agentd(alone.env, ['status'])).stdout).not.toContain('linked with')
})
