/** Under which of a person's handles the tools speak, where no hook has said (ACQ-13). */
import { expect, test } from 'vitest'
import { mkdirSync } from 'node:fs'
import { AGENTD, agentd } from '../cli/support.ts'
import { declare } from '../daemon/two-handles.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { beginClaude } from './support/hooks.ts'
import { hostOfProcess } from './support/host.ts'

const CLAUDE = { name: 'claude-code' }

/** A daemon of somebody who goes by `~alice-work` too. */
async function start() {
  const dir = await createTempDir()
  mkdirSync(dir.file('state', 'authority'), { mode: 0o700, recursive: true })
  declare(dir, '~alice-work')
  const daemon = await startTestDaemon({ dir })
  return {
    ...daemon,
    env: { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

test.each([
  ['AGENTD_AS', ['mcp'], { AGENTD_AS: '~alice-work' }, '~alice-work/cc@s1'],
  ['--as', ['mcp', '--as', '~alice-work'], {}, '~alice-work/cc@s1'],
  ['--as, whatever AGENTD_AS says', ['--as', '~alice', 'mcp'], { AGENTD_AS: '~alice-work' }, '~alice/cc@s1'],
  ['an empty AGENTD_AS', ['mcp'], { AGENTD_AS: '' }, '~alice/cc@s1'],
])('a session without hooks goes by what %s says (ACQ-13)', async (_, args, variables, address) => {
  await using daemon = await start()
  const env = { ...daemon.env, ...variables }
  await using host = hostOfProcess({ args: [AGENTD, ...args], env }, CLAUDE)

  expect((await host.call('agentd_roster')).facts['you']).toBe(address)
})

test('what it sends reaches the other sessions of that handle, and none of the principal’s (ACQ-41)', async () => {
  await using daemon = await start()
  const env = { ...daemon.env, AGENTD_AS: '~alice-work' }
  await using host = hostOfProcess({ args: [AGENTD, 'mcp'], env }, CLAUDE)
  await using home = hostOfProcess({ args: [AGENTD, 'mcp'], env: daemon.env }, CLAUDE)
  await using work = hostOfProcess(
    { args: [AGENTD, 'mcp'], env: { ...env, CLAUDE_CODE_SESSION_ID: 's2' } },
    CLAUDE,
  )
  const said = await home.call('agentd_roster')
  await work.call('agentd_roster')

  await host.call('agentd_send', { kind: 'advise', text: 'the branch is cut' })

  expect(said.facts['you']).toBe('~alice/cc@s1')
  expect((await work.call('agentd_inbox')).text).toContain('the branch is cut')
  expect((await home.call('agentd_inbox')).text).not.toContain('the branch is cut')
})

test('tools of a session that hooks have registered are that session’s, whatever they are started with', async () => {
  await using daemon = await start()
  await beginClaude(daemon.socket, 's1')
  const env = { ...daemon.env, AGENTD_AS: '~alice-work' }
  await using host = hostOfProcess({ args: [AGENTD, 'mcp'], env }, CLAUDE)

  expect((await host.call('agentd_roster')).facts['you']).toMatch(/^~alice\/cc[^@]*@s1$/)
})

test('commands go by AGENTD_AS as by --as, and a handle that nobody declared is refused (ACQ-13)', async () => {
  await using daemon = await start()
  const said = (variables: Record<string, string>, ...args: readonly string[]) =>
    agentd({ ...daemon.env, ...variables }, ['advise', '--json', 'x', ...args])

  const sent = await said({ AGENTD_AS: '~alice-work' }, '--scope', '~alice-work/*')
  const foreign = await said({ AGENTD_AS: '~alice-work' }, '--scope', '~alice/*')
  const unknown = await said({ AGENTD_AS: '~mallory' })

  expect(JSON.parse(sent.stdout)).toMatchObject({ frame: { sender_handle: '~alice-work' } })
  expect(foreign).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not a handle of this principal'),
  })
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('a handle you have declared') })
})
