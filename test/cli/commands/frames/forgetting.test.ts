/**
 * Forgetting from a shell: counted before, asked about on a terminal, and never more than was counted (W-8, SEAT-23).
 */
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, startOnTerminal, words, type Outcome } from '../../support.ts'

const forget = (daemon: TestDaemon, line: string): Promise<Outcome> =>
  agentd(daemon.env, ['history', '--forget', ...words(line)])

async function kindsLeft(daemon: TestDaemon): Promise<readonly string[]> {
  const { items } = JSON.parse((await agentd(daemon.env, ['history', '--json'])).stdout)
  return items.map(({ frame }: { frame: { kind: string } }) => frame.kind)
}

/** Two advisories and a broadcast. */
async function speak(daemon: TestDaemon): Promise<void> {
  for (const [verb = '', text = ''] of [
    ['advise', 'one'],
    ['advise', 'two'],
    ['broadcast', 'three'],
  ])
    await agentd(daemon.env, [verb, text])
}

test('--dry-run counts, --yes forgets what that is and says how much, and one criterion is needed at the least (AC-192)', async () => {
  await using daemon = await startTestDaemon()
  await speak(daemon)

  expect(await agentd(daemon.env, ['history', '--forget'])).toMatchObject({ code: 2, stdout: '' })
  expect(await forget(daemon, '--kind agent_advisory --dry-run')).toEqual({
    code: 0,
    stdout: 'would forget 2 items for good\n',
    stderr: '',
  })
  const counted = JSON.parse((await forget(daemon, '--kind agent_advisory --dry-run --json')).stdout)
  expect(counted).toEqual({ forgotten: 0, would_forget: 2, up_to: expect.any(String) })
  expect(await kindsLeft(daemon)).toHaveLength(3)

  expect(await forget(daemon, '--kind agent_advisory --yes')).toEqual({
    code: 0,
    stdout: 'forgot 2 items\n',
    stderr: '',
  })
  expect(await forget(daemon, '--kind agent_query --everywhere --yes')).toMatchObject({
    stdout: 'nothing to forget\n',
  })
  expect(await forget(daemon, '--sender ~bob --yes --json')).toMatchObject({
    code: 0,
    stdout: '{"forgotten":0}\n',
  })
  expect(await kindsLeft(daemon)).toEqual(['agent_broadcast'])
})

test('an age may be said as how long ago: what is younger stays', async () => {
  await using daemon = await startTestDaemon()
  await speak(daemon)

  expect(await forget(daemon, '--before 1h --yes')).toMatchObject({ stdout: 'nothing to forget\n' })
  expect(await forget(daemon, '--before 2100-01-01T00:00:00Z --yes')).toMatchObject({
    stdout: 'forgot 3 items\n',
  })
  expect(await forget(daemon, '--before 5 --yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--before is "5"; write how long ago, such as 2h'),
  })
  expect(await forget(daemon, '--before soon --yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--before is "soon"; write how long ago, such as 2h'),
  })
})

test('where nobody can be asked nothing is forgotten without --yes, and nothing that says too little (SEAT-23)', async () => {
  await using daemon = await startTestDaemon()
  await speak(daemon)

  expect(await forget(daemon, '--kind agent_advisory')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('look with --dry-run, then repeat with --yes'),
  })
  for (const option of ['--grep one', '--since 2h', '--limit 1', '--filter kind:agent_advisory', '--after x'])
    expect(await forget(daemon, `--kind agent_advisory --yes ${option}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${words(option)[0]} does not go with --forget.`),
    })
  for (const option of ['--event e1-1', '--dry-run', '--yes'])
    expect(await agentd(daemon.env, ['history', ...words(option)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${words(option)[0]} goes with --forget.`),
    })
  expect(await kindsLeft(daemon)).toHaveLength(3)
})

test.runIf(hasProgram('script')).each([
  ['n', 'Nothing was forgotten', 3],
  ['y', 'forgot 2 items', 1],
])('on a terminal it counts, asks, and heeds %j (SEAT-23)', async (reply, said, left) => {
  await using daemon = await startTestDaemon()
  await speak(daemon)
  await using asked = startOnTerminal(daemon.env, ['history', '--forget', '--kind', 'agent_advisory'])
  await asked.untilSaid(/Forget 2 items for good\? \[y\/N\]/)
  // What comes between the question and the yes is not part of either.
  await agentd(daemon.env, ['broadcast', 'late'])
  asked.type(`${reply}\n`)

  expect((await asked.ended).stdout).toContain(said)
  expect(await kindsLeft(daemon)).toHaveLength(left + 1)
})

test('history narrows by kind, sender, time and words, all of which have to fit', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1', title: 'docs' })
  await speak(daemon)
  await session.advise('the Token refresh')
  const texts = async (line: string): Promise<string> =>
    (await agentd(daemon.env, ['history', '--quiet', ...words(line)])).stdout.trimEnd()

  expect(await texts('--kind agent_broadcast')).toMatch(/three$/)
  expect(await texts('--kind agent_advisory --limit 1')).toMatch(/the Token refresh$/)
  for (const sender of ['docs', '~alice/cc@s1'])
    expect((await texts(`--sender ${sender}`)).split('\n').slice(1)).toEqual([
      expect.stringContaining('Token'),
    ])
  expect((await texts('--sender ~alice')).split('\n')).toHaveLength(5)
  expect((await texts('--grep token --since 1h')).split('\n')).toHaveLength(2)
  expect(await texts('--grep token --kind agent_broadcast')).toBe('')
  expect(await texts('--before 1h')).toBe('')
})
