/** `agentd lock RESOURCE -- command`: as flock(1), for an announcement. */
import { chmodSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, startAgentd, startOnTerminal } from '../../support.ts'

/** Node, which runs a script until it is ended. */
const script = (text: string): readonly string[] => [process.execPath, '-e', text]

const FOR_EVER = `console.log('runs'); setInterval(() => {}, 1e9);`

/** What is retained of leases, as kind and resource. */
async function leaseFrames({ socket }: TestDaemon): Promise<readonly unknown[]> {
  await using client = await connect({ socket })
  const { items } = await client.history()
  return items.map(({ frame }) => [
    frame.kind,
    'resource' in frame.payload ? frame.payload.resource : undefined,
  ])
}

const BOTH = [
  ['agent_lock_request', 'src/a.ts'],
  ['agent_lock_release', 'src/a.ts'],
]

test('a command has our stdin, stdout and stderr, and its code is ours; the lease ends with it', async () => {
  await using daemon = await startTestDaemon()
  const text = `process.stdin.on('data', (d) => { process.stdout.write(d); console.error('told'); process.exitCode = 7 })`

  const outcome = await agentd(daemon.env, ['lock', 'src/a.ts', '--', ...script(text)], 'words')

  expect(outcome).toEqual({ code: 7, stdout: 'words', stderr: 'told\n' })
  expect(await leaseFrames(daemon)).toEqual(BOTH)
})

test('who else is at it is said on stderr, and with --quiet not at all', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', title: 'api' })
  await session.lock('deploy', { ttlMs: 3_600_000 })

  const loud = await agentd(daemon.env, ['lock', 'deploy', '--', ...script('')])
  const quiet = await agentd(daemon.env, ['lock', 'deploy', '--quiet', '--', ...script('')])

  expect(loud).toMatchObject({ code: 0, stdout: '' })
  expect(loud.stderr).toMatch(/^also announced by api .* left\n$/)
  expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' })
})

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)('%s is passed on; a command that dies of it gives 128 and its number', async (signal, code) => {
  await using daemon = await startTestDaemon()
  await using held = startAgentd(daemon.env, ['lock', 'src/a.ts', '--', ...script(FOR_EVER)])
  await held.untilSaid(/runs/)
  expect(await leaseFrames(daemon)).toEqual(BOTH.slice(0, 1))

  held.signal(signal)

  expect(await held.ended).toMatchObject({ code, stderr: '' })
  expect(await leaseFrames(daemon)).toEqual(BOTH)
})

test('a command that takes a signal ends as it likes', async () => {
  await using daemon = await startTestDaemon()
  const text = `process.on('SIGTERM', () => process.exit(3)); ${FOR_EVER}`
  await using held = startAgentd(daemon.env, ['lock', 'src/a.ts', '--', ...script(text)])
  await held.untilSaid(/runs/)

  held.signal('SIGTERM')

  expect(await held.ended).toMatchObject({ code: 3 })
})

test.runIf(hasProgram('script'))('Ctrl-C reaches a command on a terminal once', async () => {
  await using daemon = await startTestDaemon()
  // A second one would come before the third of a second is over.
  const text = `let n = 0; process.on('SIGINT', () => { n += 1; setTimeout(() => process.exit(40 + n), 300) }); ${FOR_EVER}`
  await using held = startOnTerminal(daemon.env, ['lock', 'src/a.ts', '--', ...script(text)])
  await held.untilSaid(/runs/)

  held.type('\u0003')

  expect(await held.ended).toMatchObject({ code: 41 })
  expect(await leaseFrames(daemon)).toEqual(BOTH)
})

test('what cannot be started is said as a shell says it, and the lease is over at once', async () => {
  await using daemon = await startTestDaemon()
  const plain = daemon.dir.file('plain')
  writeFileSync(plain, 'no program\n')
  chmodSync(plain, 0o600)

  const absent = await agentd(daemon.env, ['lock', 'src/a.ts', '--', 'no-such-program'])
  const barred = await agentd(daemon.env, ['lock', 'src/a.ts', '--', plain])

  expect(absent).toEqual({
    code: 127,
    stdout: '',
    stderr: 'agentd: "no-such-program" cannot be started: there is no such program.\n',
  })
  expect(barred.code).toBe(126)
  expect(barred.stderr).toMatch(/cannot be started: it is nothing that you may run\.\n$/)
  expect(await leaseFrames(daemon)).toEqual([...BOTH, ...BOTH])
})

test('a release that cannot be sent is said, and the code is the command’s', async () => {
  await using daemon = await startTestDaemon()
  await using held = startAgentd(daemon.env, [
    'lock',
    'src/a.ts',
    '--',
    ...script(`console.log('runs'); process.stdin.once('data', () => process.exit(5))`),
  ])
  await held.untilSaid(/runs/)
  await daemon.stop()

  held.type('go on\n')

  const { code, stderr } = await held.ended
  expect(code).toBe(5)
  expect(stderr).toMatch(
    /^agentd: That the lease is over could not be said, it ends by itself in 4m \d+s: agentd does not answer at /,
  )
})

test('without a daemon, or refused by it, the command does not run', async () => {
  await using daemon = await startTestDaemon()
  const says = script(`console.log('ran')`)

  const refused = await agentd(daemon.env, ['lock', 'src/a.ts', '--ttl', '2h', '--', ...says])
  await daemon.stop()
  const absent = await agentd({ ...daemon.env, AGENTD_NO_START: '1' }, ['lock', 'src/a.ts', '--', ...says])

  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(absent).toMatchObject({ code: 69, stdout: '' })
})

test.each([
  [['src/a.ts', 'src/b.ts'], 'One resource at a time; a command stands behind --'],
  [['src/a.ts', 'make', '--', 'all'], 'One resource at a time; a command stands behind --'],
  [['src/a.ts', '--', ''], 'The command behind -- has no name'],
  [['src/a.ts', '--json', '--', 'true'], '--json does not go with a command'],
  [['src/a.ts', '--ttl', '9999ms', '--', 'true'], '--ttl is at least 10s with a command'],
])('%j is refused before anything was announced', async (given, says) => {
  await using daemon = await startTestDaemon()

  const { code, stderr } = await agentd(daemon.env, ['lock', ...given])

  expect(code).toBe(2)
  expect(stderr).toContain(says)
  expect(await leaseFrames(daemon)).toEqual([])
})
