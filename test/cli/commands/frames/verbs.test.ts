import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { VERB_COMMANDS } from '../../../../src/cli/verbs/flags.ts'
import type { VerbCommand } from '../../../../src/cli/verbs/verb-command.ts'
import { KINDS, KIND_NAMES } from '../../../../src/protocol/frame/kinds.ts'
import { VERBS, isVerb } from '../../../../src/protocol/verb/verbs.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { post } from '../../../support/http.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { AGENTD, agentd, fullAgentd } from '../../support.ts'

const LEASE = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c'

const COMMANDS: readonly (readonly string[])[] = [
  ['advise', 'editing', '--file-ref', 'src/a.ts', '--file-ref=src/b.ts', '--branch', 'main', '--worktree=/w'],
  ['broadcast', 'main moved', '--class', 'merged', '--ref', 'pull/17'],
  ['handover', 'take over', '--pointer', 'notes.md', '--next-session', 's2'],
  ['respond', LEASE, 'I do'],
  ['unlock', LEASE],
  ['extend', LEASE, '--by', '10m'],
  ['send', '--kind', 'agent_advisory', '{"advisory_text":"t"}'],
  ['send', '--kind', 'agent_advisory', '{"advisory_text":7}'],
  ['send', '--kind', 'agent_advisory', '{"advisory_text":"t"}', '--scope', '~alice/cc-*'],
  ['advise', '--', '--looks-like-an-option'],
  ['advise', ''],
]

/** Ids differ between two runs; everything else must not. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g, '<uuid>')
    .replaceAll(/"event_id":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<changes>')
}

test.each(COMMANDS.map((args) => [args]))(
  'the short way and the full way say the same to %j',
  async (args) => {
    await using daemon = await startTestDaemon()

    for (const manner of [[], ['--json'], ['--quiet']]) {
      // Before `--`, after which nothing is an option.
      const words = [...args.slice(0, 1), ...manner, ...args.slice(1)]
      const fast = await agentd(daemon.env, words)
      const full = await fullAgentd(daemon.env, words)
      expect(withoutIds(fast.stdout)).toBe(withoutIds(full.stdout))
      expect({ code: fast.code, stderr: fast.stderr }).toEqual({ code: full.code, stderr: full.stderr })
    }
  },
)

test('the short way loads nothing but the built-ins it needs', () => {
  const bundle = readFileSync(new URL('../../../../dist/cli/fast/fast.cjs', import.meta.url), 'utf8')

  const required = [...bundle.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)

  expect(new Set(required)).toEqual(new Set(['node:fs', 'node:net', 'node:os', 'node:path']))
  // The property classes of safe-text cost more to compile than the rest of the bundle together.
  expect(bundle).not.toContain('Default_Ignorable_Code_Point')
})

test('the options reach the frame', async () => {
  await using daemon = await startTestDaemon()

  for (const args of COMMANDS.slice(0, 3)) await agentd(daemon.env, args)
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  const [advisory, broadcast, handover] = JSON.parse(stdout).items.map(
    ({ frame }: { frame: { payload: unknown } }) => frame.payload,
  )
  expect(advisory).toEqual({
    advisory_text: 'editing',
    file_refs: ['src/a.ts', 'src/b.ts'],
    branch: 'main',
    worktree: '/w',
  })
  expect(broadcast).toEqual({ broadcast_text: 'main moved', event_class: 'merged', refs: ['pull/17'] })
  expect(handover).toEqual({
    previous_session_id: 'shell',
    handover_body: 'take over',
    // And the work tree that the tests run in.
    pointer_refs: expect.arrayContaining(['notes.md']),
    next_session_id: 's2',
  })
})

test('a handover points to what is there by its full path, and to anything else as it was written (OP-25)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  const long = 'x'.repeat(200)
  const deep = [long, long, long, long, 'y'.repeat(216)].join('/')
  mkdirSync(dir.file(deep), { recursive: true })
  writeFileSync(dir.file('notes.md'), '')
  const refs = ['notes.md', './notes.md:80', 'notes.md:80-92', 'gone.md', '/etc', 'https://a/b', deep]
  const pointers = refs.flatMap((ref) => ['--pointer', ref])

  execFileSync(process.execPath, [AGENTD, 'handover', 'take over', ...pointers], {
    cwd: dir.path,
    env: daemon.env,
  })
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  const full = join(realpathSync(dir.path), 'notes.md')
  expect(JSON.parse(stdout).items[0].frame.payload.pointer_refs).toEqual([
    full,
    `${full}:80`,
    `${full}:80-92`,
    'gone.md',
    '/etc',
    'https://a/b',
    deep,
  ])
})

test('a handover that points nowhere points to the work tree it is written in, but not that of a session (OP-25)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  mkdirSync(dir.file('.git'))
  const { body } = await post(daemon.socket, '/v1/sessions', { instrument: 'cc' })
  const session = { ...daemon.env, AGENTD_TOKEN: body.token }

  for (const env of [daemon.env, session])
    execFileSync(process.execPath, [AGENTD, 'handover', 'take over'], { cwd: dir.path, env })
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  expect(
    JSON.parse(stdout).items.map(({ frame }: { frame: { payload: object } }) => frame.payload),
  ).toMatchObject([{ pointer_refs: [realpathSync(dir.path)] }, { handover_body: 'take over' }])
  expect(JSON.parse(stdout).items[1].frame.payload).not.toHaveProperty('pointer_refs')
})

test('who was reached is told, and who waits in a mailbox', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const listener = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  const stream = listener.stream()
  await stream.opened

  const one = await agentd(daemon.env, ['advise', 'a'])
  await client.session({ instrument: 'gpt', sessionId: 's2', mailbox: true })
  const two = await agentd(daemon.env, ['advise', 'b'])
  await stream.return()
  await listener.close()
  const waiting = await agentd(daemon.env, ['advise', 'c'])

  expect(one.stdout).toBe('sent agent_advisory to 1 session\n')
  expect(two.stdout).toBe('sent agent_advisory to 2 sessions (1 waiting in a mailbox)\n')
  expect(waiting.stdout).toBe('sent agent_advisory to 1 session (waiting in its mailbox)\n')
})

test('terminals are counted apart from agents, by Node and by the shell (docs/http.md §5)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const terminal = client.stream({ instrument: 'terminal' })
  await terminal.opened
  await client.session({ instrument: 'cc-opus', mailbox: true })

  const full = await fullAgentd(daemon.env, ['advise', 'a'])
  const short = await agentd(daemon.env, ['advise', 'b'])
  const object = JSON.parse((await agentd(daemon.env, ['advise', 'c', '--json'])).stdout)

  expect(full.stdout).toBe('sent agent_advisory to 1 agent and 1 terminal (1 waiting in a mailbox)\n')
  expect(short.stdout).toBe(full.stdout)
  expect(object).toMatchObject({ recipient_count: 1, queued_count: 1, terminal_count: 1 })
})

test('lock prints the lease, alone with --quiet; extend and unlock take it', async () => {
  await using daemon = await startTestDaemon()

  const loud = await agentd(daemon.env, ['lock', 'src/a.ts'])
  const quiet = await agentd(daemon.env, ['lock', 'src/a.ts', '--quiet'])
  const lease = quiet.stdout.trim()
  const extended = await agentd(daemon.env, ['extend', lease, '--by', '1h'])
  const unlocked = await agentd(daemon.env, ['unlock', lease, '--quiet'])

  expect(loud.stdout).toMatch(
    /^sent agent_lock_request; nobody is listening just now\nlease [0-9a-f-]{36}\n$/,
  )
  expect(quiet.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  expect(extended).toMatchObject({ code: 0 })
  expect(unlocked).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('content comes from an argument, a file or stdin, and from one of them only', async () => {
  await using daemon = await startTestDaemon()
  const file = daemon.dir.file('notes.md')
  writeFileSync(file, 'from a file\n')

  const outcomes = [
    await agentd(daemon.env, ['handover', '--file', file]),
    await agentd(daemon.env, ['handover', '-'], 'from stdin ⏎ é'),
    await agentd(daemon.env, ['advise', '-'], 'piped'),
    await agentd(daemon.env, ['send', '--kind', 'agent_advisory', '-'], '{"advisory_text":"json"}'),
  ]
  const both = await agentd(daemon.env, ['handover', 'text', '--file', file])
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(both).toMatchObject({ code: 2 })
  const payloads = JSON.parse(stdout).items.map(({ frame }: { frame: { payload: object } }) => frame.payload)
  expect(payloads).toMatchObject([
    { handover_body: 'from a file\n' },
    { handover_body: 'from stdin ⏎ é' },
    { advisory_text: 'piped' },
    { advisory_text: 'json' },
  ])
})

test('content over the limit of a frame, or no UTF-8, is a wrong usage', async () => {
  await using daemon = await startTestDaemon()
  writeFileSync(daemon.dir.file('latin1'), Buffer.from([0xe9]))

  const large = await agentd(daemon.env, ['handover', '-'], 'x'.repeat(65_537))
  const broken = await agentd(daemon.env, ['handover', '--file', daemon.dir.file('latin1')])

  expect(large).toMatchObject({ code: 2, stderr: expect.stringContaining('65536 octets') })
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('UTF-8') })
})

test('stdin that is read survives the start of the daemon', async () => {
  await using daemon = await startTestDaemon()
  await daemon.stop()

  const sent = await agentd(daemon.env, ['handover', '-'], 'kept')
  const { stdout } = await agentd(daemon.env, ['history', '--filter', 'kind:agent_handover', '--json'])
  await agentd(daemon.env, ['stop'])

  expect(sent).toMatchObject({ code: 0 })
  expect(stdout).toContain('"handover_body":"kept"')
})

test('a token speaks for its session, from the option and from the environment', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', tool: 'cc' })

  await agentd(daemon.env, ['advise', 'a', '--token', session.token])
  await agentd({ ...daemon.env, AGENTD_TOKEN: session.token }, ['advise', 'b'])
  await agentd({ ...daemon.env, AGENTD_TOKEN: '' }, ['advise', 'c'])
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  expect(
    JSON.parse(stdout).items.map(({ frame }: { frame: { drafted_with: string } }) => frame.drafted_with),
  ).toEqual(['~cc-opus', '~cc-opus', '~agentd-cli'])
})

test('send --wait seen tells who has seen it', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
  const sending = agentd(daemon.env, [
    'send',
    '--kind',
    'agent_advisory',
    '{"advisory_text":"t"}',
    '--wait',
    'all',
    '--timeout',
    '10s',
  ])
  await session.inbox.wait(10_000)
  await session.inbox.drain()

  const { code, stdout } = await sending

  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^sent .*\nSTATE {2}AFTER {2}VIA {4}RECIPIENT\nseen {3}\w+ +inbox {2}cc-opus \(~alice\/cc-opus@s1\)\n$/,
  )
})

test('the table of the one-shot commands agrees with the protocol', () => {
  const rows = Object.values<VerbCommand>(VERB_COMMANDS)
  expect(rows.length).toBeGreaterThan(0)
  for (const { verb, args, flags } of rows) {
    expect(isVerb(verb)).toBe(true)
    if (!isVerb(verb)) continue
    const members = [...args, ...flags].flatMap(({ member }) => (member === undefined ? [] : [member]))
    const known = VERBS[verb].args.safeParse(Object.fromEntries(members.map((name) => [name, {}])))
    const unknown = known.error?.issues.filter(({ code }) => code === 'unrecognized_keys')
    expect(unknown, verb).toEqual([])
  }
  expect(choices(VERB_COMMANDS.send, 'kind')).toEqual(KIND_NAMES)
  expect(choices(VERB_COMMANDS.broadcast, 'class')).toEqual(
    KINDS.agent_broadcast.payload.shape.event_class.options,
  )
})

function choices(command: VerbCommand, name: string): readonly string[] | undefined {
  return command.flags.find((flag) => flag.name === name)?.choices
}
