/** A daemon that is there and does not answer, as a stopped process is (OP-29). */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ANSWER_MS } from '../../../../src/client/http/one-call.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { agentd, fullAgentd, type Outcome } from '../../support.ts'

/** A daemon that hangs. It ends with the scope all the same. */
async function startHung(): Promise<TestDaemon> {
  const daemon = await startTestDaemon()
  process.kill(daemon.pid, 'SIGSTOP')
  return daemon
}

/** What everybody says of it. */
function silenceOf({ pid }: TestDaemon): Partial<Outcome> {
  return {
    code: 69,
    stdout: '',
    stderr: `agentd does not answer, pid ${pid}. To end it: agentd stop --force.\n`,
  }
}

test('every command that asks a daemon that hangs says which process it is, and starts no other (OP-29)', async () => {
  await using daemon = await startHung()
  const commands = [['stop'], ['status'], ['start'], ['roster'], ['inbox', '--token', 'x']]

  const outcomes = await Promise.all(commands.map((words) => fullAgentd(daemon.env, words)))

  expect(outcomes).toEqual(commands.map(() => silenceOf(daemon)))
  process.kill(daemon.pid, 'SIGCONT')
  expect(await agentd(daemon.env, ['status', '--quiet'])).toMatchObject({ code: 0 })
})

test('a verb says which process it is as well, and that its frame may have been accepted (OP-29)', async () => {
  await using daemon = await startHung()

  const outcomes = await Promise.all([
    agentd(daemon.env, ['advise', 'a']),
    fullAgentd(daemon.env, ['advise', 'a']),
  ])

  const how = `it has said nothing for ${ANSWER_MS / 1_000} seconds`
  const stderr = `agentd does not answer, pid ${daemon.pid}: ${how}. Whether the frame was accepted is not known.\n`
  expect(outcomes).toEqual([
    { code: 69, stdout: '', stderr },
    { code: 69, stdout: '', stderr },
  ])
})

test('doctor names the process of a daemon that hangs, and what ends it (OP-29)', async () => {
  await using daemon = await startHung()

  const { code, stdout } = await agentd(daemon.env, ['doctor', '--live', '--json'])

  const findings: readonly object[] = JSON.parse(stdout).findings
  expect(code).toBe(1)
  expect(findings).toContainEqual(
    expect.objectContaining({
      state: 'fail',
      sentence: `agentd does not answer, pid ${daemon.pid}.`,
      fix: 'agentd stop --force',
    }),
  )
  expect(findings).toContainEqual(
    expect.objectContaining({
      area: 'live',
      sentence: `Nobody could be probed: agentd does not answer, pid ${daemon.pid}. To end it: agentd stop --force.`,
    }),
  )
})

test('stop --force kills it, and the next command finds a daemon again (OP-29)', async () => {
  await using daemon = await startHung()

  const outcome = await agentd(daemon.env, ['stop', '--force'])
  const { signal } = await daemon.exited
  await using next = await startTestDaemon({ dir: daemon.dir })

  expect(outcome).toEqual({
    code: 0,
    stdout: `agentd did not answer and was killed, pid ${daemon.pid}\n`,
    stderr: '',
  })
  expect(signal).toBe('SIGKILL')
  expect(await agentd(next.env, ['status', '--quiet'])).toMatchObject({ code: 0 })
})

test('stop --force ends a daemon that answers as ever, and none where none runs (OP-29)', async () => {
  await using daemon = await startTestDaemon()

  const first = await agentd(daemon.env, ['stop', '--force'])
  const second = await agentd(daemon.env, ['stop', '--force'])

  expect(first.stdout).toBe(`agentd stopped, pid ${daemon.pid}\n`)
  expect(await daemon.exited).toEqual({ code: 0, signal: null })
  expect(second.stdout).toBe('agentd is not running\n')
})

test.each([
  ['nothing', () => undefined],
  ['another start time', (text: string) => `${text}0`],
  ['a number that means everybody', (text: string) => text.replace(/^\d+/, '-1')],
  ['the first process', (text: string) => text.replace(/^\d+/, '1')],
])('nobody is killed on %s (HD-20, OP-29)', async (_, change) => {
  await using daemon = await startHung()
  const path = `${daemon.socket}.owner`
  const text = change(readFileSync(path, 'utf8'))
  if (text === undefined) rmSync(path)
  else writeFileSync(path, text)

  const { code, stderr } = await agentd(daemon.env, ['stop', '--force'])

  expect({ code, stderr }).toEqual({
    code: 78,
    stderr:
      `agentd: what listens at ${daemon.socket} does not answer, and nothing says which process it is. ` +
      'To end it: stop it where it was started, or give agentd another place with AGENTD_SOCKET.\n',
  })
  process.kill(daemon.pid, 'SIGCONT')
  expect(await agentd(daemon.env, ['status', '--quiet'])).toMatchObject({ code: 0 })
})
