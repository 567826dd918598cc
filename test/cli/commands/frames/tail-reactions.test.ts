/** `agentd tail --exec` and `--notify`: what else is done with what passes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { hasProgram } from '../../../support/needs.ts'
import { installRecorder } from '../../../ui/serve/alerts/recorder.ts'
import { agentd, startAgentd, startOnTerminal, words } from '../../support.ts'

const HOSTILE = '--help $(touch "$DIR/pwned"); `touch pwned` \u001b[2J <b>&lt; "quoted" \\n'

/** The newest, with a line for a shell. */
const TAIL = words('tail --replay 1 --exec -- sh -c')

const lines = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

test('tail --exec runs the command for what its filter admits: all of it on stdin, who and what in variables', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({
    instrument: 'cc',
    title: 'api',
    mailbox: true,
    entities: ['agent.a'],
  })
  const out = daemon.dir.file('out')
  const env = { ...daemon.env, OUT: out }
  const script = 'env | grep ^AGENTD_ITEM_ | sort >>"$OUT"; cat >>"$OUT"'
  await using tail = startAgentd(env, [
    'tail',
    '--filter',
    'kind:query',
    '--entities',
    'agent.a',
    '--exec',
    '--',
    'sh',
    '-c',
    script,
  ])
  await agentd(daemon.env, ['advise', 'not this'])
  await vi.waitFor(async () => {
    await session.verb('agent_query', { text: HOSTILE })
    expect(lines(out).length).toBeGreaterThan(0)
  }, 15_000)
  await tail.untilSaid(/ query /)

  await client.sendEnvelope({
    from: 'agent.b',
    to: 'agent.a',
    intent: 'ops.x.y',
    type: 'event',
    payload: { n: 1 },
  })
  await vi.waitFor(() => expect(lines(out).join('\n')).toContain('"intent":"ops.x.y"'), 15_000)
  tail.signal('SIGINT')

  expect((await tail.ended).code).toBe(0)
  const said = lines(out)
  const at = said.findIndex((line) => line.startsWith('{'))
  const item: unknown = JSON.parse(said[at]!)
  expect(item).toMatchObject({
    type: 'frame',
    frame: { kind: 'agent_query', payload: { query_text: HOSTILE } },
  })
  expect(said.slice(0, at)).toEqual([
    expect.stringMatching(/^AGENTD_ITEM_EVENT_ID=[0-9a-f]{8}-\d+$/),
    expect.stringMatching(/^AGENTD_ITEM_ID=[0-9a-f-]{36}$/),
    'AGENTD_ITEM_KIND=agent_query',
    'AGENTD_ITEM_NAME=api',
    expect.stringMatching(/^AGENTD_ITEM_QUERY_ID=[0-9a-f-]{36}$/),
    expect.stringMatching(/^AGENTD_ITEM_SCOPE=~alice/),
    `AGENTD_ITEM_SENDER=${session.address}`,
    'AGENTD_ITEM_TYPE=frame',
  ])
  expect(said.join('\n')).toContain('AGENTD_ITEM_INTENT=ops.x.y')
  expect(existsSync(daemon.dir.file('pwned'))).toBe(false)
  expect(existsSync('pwned')).toBe(false)
})

test('a command that answers reaches the daemon it heard of the question from', async () => {
  await using daemon = await startTestDaemon()
  const { AGENTD_SOCKET, ...elsewhere } = daemon.env
  const script = 'agentd --no-start respond "$AGENTD_ITEM_QUERY_ID" "by a script"'
  const env = { ...elsewhere, PATH: `${process.cwd()}/bin:${process.env['PATH']}` }
  await using tail = startAgentd(env, [
    '--socket',
    AGENTD_SOCKET!,
    ...words('tail --listen --quiet --filter kind:query --exec --'),
    'sh',
    '-c',
    script,
  ])
  await using client = await connect({ socket: daemon.socket })
  await vi.waitFor(async () => expect(await client.roster()).toHaveLength(1), 15_000)

  const asked = await agentd(daemon.env, ['ask', 'anybody?', '--people', '--timeout', '10s'])

  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('by a script') })
  tail.signal('SIGINT')
  await tail.ended
})

test('a command that fails is told on stderr, and tail goes on; --quiet leaves stdout to the commands', async () => {
  await using daemon = await startTestDaemon()
  for (const text of ['one', 'two']) await agentd(daemon.env, ['advise', text])
  const script = 'echo "$AGENTD_ITEM_KIND"; exit 7'
  await using tail = startAgentd(daemon.env, [
    'tail',
    '--replay',
    '2',
    '--quiet',
    '--exec',
    '--',
    'sh',
    '-c',
    script,
  ])

  await tail.untilSaid(/(?:exit code 7[^]*){2}/)
  await agentd(daemon.env, ['advise', 'three'])
  await tail.untilSaid(/(?:exit code 7[^]*){3}/)
  tail.signal('SIGTERM')

  const { code, stdout, stderr } = await tail.ended
  expect(code).toBe(0)
  expect(stdout).toBe('agent_advisory\n'.repeat(3))
  expect(stderr).toBe('agentd: exec: "sh" ended with exit code 7, for the advisory of ~alice.\n'.repeat(3))
})

test.runIf(hasProgram('script'))(
  'Ctrl-C lets a command that runs finish, and says what it waits for; a second one ends it',
  async () => {
    await using daemon = await startTestDaemon()
    await agentd(daemon.env, ['advise', 'one'])
    const go = daemon.dir.file('go')
    const script = `trap 'echo heard' INT; echo begun; while [ ! -e ${go} ]; do sleep 0.05; done; echo finished`
    await using tail = startOnTerminal(daemon.env, [...TAIL, script])
    await tail.untilSaid(/begun/)
    tail.type('\u0003')
    await tail.untilSaid(/waits for the commands that run; Ctrl-C ends them/)
    writeFileSync(go, '')

    const { code, stdout } = await tail.ended
    expect({ code, isFinished: stdout.includes('finished'), isHeard: stdout.includes('heard') }).toEqual({
      code: 0,
      isFinished: true,
      isHeard: false,
    })

    await using again = startOnTerminal(daemon.env, [...TAIL, 'echo begun; exec sleep 600'])
    await again.untilSaid(/begun/)
    again.type('\u0003')
    await again.untilSaid(/Ctrl-C ends them/)
    again.type('\u0003')
    const ended = await again.ended
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('was ended by SIGTERM (it was not done when tail ended)')
  },
)

test.each([
  [['--exec'], '--exec wants a command behind it'],
  [['--exec', '--', './nowhere.sh'], '"./nowhere.sh" is no program that can be run.'],
  [['--exec', 'echo hi'], "No shell reads it; to have one, write: --exec -- sh -c 'echo hi'"],
  [['--', 'echo', 'hi'], 'A command goes with --exec: --exec -- echo hi'],
  [['--jobs', '2'], '--jobs goes with --exec.'],
  [['--jobs', '17', '--exec', '--', 'true'], '--jobs is "17"; it must be from 1 to 16.'],
  [['--jobs', '0', '--exec', '--', 'true'], '--jobs is "0"; it must be from 1 to 16.'],
])('tail %j is wrong usage, told before anything is watched', async (args, message) => {
  const { code, stderr } = await agentd({ PATH: process.env['PATH']!, AGENTD_NO_START: '1' }, [
    'tail',
    ...args,
  ])

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})

test('tail --notify hands the desktop a title and a line, whatever the text is (SEAT-43)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  const recorder = installRecorder(dir, process.platform === 'darwin' ? 'osascript' : 'notify-send')
  await agentd(daemon.env, ['advise', '--', HOSTILE])
  await using tail = startAgentd({ ...daemon.env, ...recorder.env }, ['tail', '--replay', '1', '--notify'])
  await vi.waitFor(() => expect(recorder.calls()).toHaveLength(1), 15_000)
  tail.signal('SIGINT')

  expect(await tail.ended).toMatchObject({ code: 0, stderr: '' })
  const [title, body] = recorder.calls()[0]!.slice(-2)
  expect(title).toBe('~alice · advisory')
  expect(body).toContain('--help $(touch')
  for (const foreign of ['\u001b', '<b>']) expect(body).not.toContain(foreign)
})

test('where nothing shows notifications, tail says so once and shows what passes all the same', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  await agentd(daemon.env, ['advise', 'one'])
  await using tail = startAgentd({ ...daemon.env, PATH: dir.path }, ['tail', '--replay', '1', '--notify'])
  await tail.untilSaid(/one\n/)
  tail.signal('SIGINT')

  const { code, stderr } = await tail.ended
  expect(code).toBe(0)
  expect(stderr).toMatch(/^agentd: desktop: Nothing is shown on the desktop: "\S+" is not installed\.\n$/)
})
