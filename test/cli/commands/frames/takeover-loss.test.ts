/** `agentd takeover` that is cut off, or has nowhere to write: nothing of the work is lost (HO-05). */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { AGENTD, agentd, startAgentd } from '../../support.ts'

test('a pipe that is there takes the text, and is written after the claim (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['handover', 'work\n'])
  const pipe = daemon.dir.file('pipe')
  execFileSync('mkfifo', [pipe])
  const reader = spawn('cat', [pipe])
  reader.stdout.setEncoding('utf8')

  const taken = agentd(daemon.env, ['takeover', '--latest', '--to', pipe])

  expect((await reader.stdout.toArray()).join('')).toBe('work\n')
  expect(await taken).toMatchObject({ code: 0, stdout: '' })
})

test('killed between the claim and the print, it is read again by a look (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['handover', 'work\n'])
  const pipe = daemon.dir.file('pipe')
  execFileSync('mkfifo', [pipe])
  // Nobody reads it, so the command stands where the text is to be written.
  await using stuck = startAgentd(daemon.env, ['takeover', '--latest', '--to', pipe])
  await untilClaimed(daemon)
  stuck.signal('SIGKILL')
  await stuck.ended

  const after = await agentd(daemon.env, ['takeover', '--latest'])
  const looked = await agentd(daemon.env, ['takeover', '--latest', '--peek', '--quiet'])

  expect(after).toMatchObject({ code: 5, stdout: '' })
  expect(looked).toEqual({ code: 0, stdout: 'work\n', stderr: '' })
})

test('what standard output does not take is told, with how to read it again (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['handover', 'work\n'])

  const full = spawnSync('sh', ['-c', `"$0" "$1" takeover --latest > /dev/full`, process.execPath, AGENTD], {
    env: daemon.env,
    encoding: 'utf8',
  })
  const looked = await agentd(daemon.env, ['takeover', '--latest', '--peek', '--quiet'])

  expect(full.status).toBe(2)
  expect(full.stderr).toMatch(/ENOSPC.*It is yours, and agentd takeover [0-9a-f]{8} --peek prints it again/)
  expect(looked).toMatchObject({ code: 0, stdout: 'work\n' })
})

/** Until the daemon has a second frame of the kind. */
async function untilClaimed(daemon: TestDaemon): Promise<void> {
  await using client = await connect({ socket: daemon.socket })
  for await (const item of client.stream({ replay: 100, filter: 'kind:agent_handover' })) {
    if (
      item.type === 'frame' &&
      item.frame.kind === 'agent_handover' &&
      item.frame.payload.next_session_id === 'shell'
    )
      return
  }
}
