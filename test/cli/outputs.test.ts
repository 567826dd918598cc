/**
 * What every command prints with `--json` has a published schema, and is what that says (docs/json.md).
 *
 * `agentd()` of these tests holds each line to the schemas of its command; so do all other tests that run one.
 */
import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { createProgram } from '../../src/cli/program.ts'
import { CLI_SCHEMA_NAMES, OUTPUTS, findCliSchema } from '../../src/cli/published/outputs.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { PUBLISHED_NAMES, strictAjv } from '../support/published.ts'
import { commandOf, holdToSchema } from './held-to-schema.ts'
import { agentd, createUser, type Env, type Outcome } from './support.ts'

/** Commands whose output other tests hold to its schema, and why they are not run here. */
const RUN_ELSEWHERE: ReadonlySet<string> = new Set([
  // They want a hub, two machines or documents of an organisation: test/cli/commands/link, test/cli/commands/authority.
  ...Object.keys(OUTPUTS).filter((name) =>
    /^(?:link hub|link add|link allow|link remove|org|accord) ?/.test(name),
  ),
  // They go on until they are ended: test/cli/commands/frames/tail.test.ts, test/cli/run.
  'serve',
  'tail',
  // A store that was set aside, an approval, a chain: test/cli/commands/{daemon,needs,audit}.
  'store adopt',
  'approve',
  'reject',
  'decide',
  'audit verify',
  'audit envelope',
  'audit tip',
  'audit bundle',
  'git verify',
  // It would take out, or open, what the test stands on: test/cli/commands/{daemon,seat}.
  'uninstall',
  'ui',
  // A file and a log of their own: test/cli/commands/daemon.
  ...Object.keys(OUTPUTS).filter((name) => /^(?:config |logs|report)/.test(name)),
])

function leavesOf(command: Command, path: readonly string[]): readonly string[] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help' || path.length === 0)
  const own = children.length === 0 ? [path.join(' ')] : []
  return [...own, ...children.flatMap((child) => leavesOf(child, [...path, child.name()]))]
}

test('every command says which schema its output has, and each of those is published and whole', () => {
  const leaves = leavesOf(createProgram([]), [])
  const named = Object.values(OUTPUTS).flat()
  const published = [...PUBLISHED_NAMES, ...CLI_SCHEMA_NAMES]

  expect(Object.keys(OUTPUTS).toSorted()).toEqual(leaves.toSorted())
  expect(named.filter((name) => !published.includes(name))).toEqual([])
  expect(CLI_SCHEMA_NAMES.filter((name) => !named.includes(name))).toEqual(['cli-error'])
  expect(CLI_SCHEMA_NAMES.filter((name) => PUBLISHED_NAMES.includes(name))).toEqual([])
  for (const name of CLI_SCHEMA_NAMES)
    expect(() => strictAjv().compile(findCliSchema(name) ?? {})).not.toThrow()
})

test('output that is none of its schemas is noticed', () => {
  expect(() => holdToSchema(['stop', '--json'], { stdout: '{"stopped":"yes"}\n', stderr: '' })).toThrow(
    'cli-stop',
  )
  expect(() => holdToSchema(['handles', 'add', '~x', '--json'], { stdout: '{}\n', stderr: '' })).toThrow(
    'none of',
  )
  expect(() => holdToSchema(['roster', '--json'], { stdout: '', stderr: '{"code":"usage"}\n' })).toThrow(
    'cli-error',
  )
  expect(() =>
    holdToSchema(['stop', '--json'], { stdout: '{"stopped":true,"more":1}\n', stderr: '' }),
  ).not.toThrow()
})

test('what commands print is what their schemas say', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { volt: true } } })
  await using user = await createUser()
  await using client = await connect({ socket: daemon.socket })
  await using session = await client.session({
    instrument: 'cc',
    tool: 'cc',
    title: 'docs',
    mailbox: true,
    entities: ['agent.a'],
  })
  const ran = new Set<string>()
  const run = async (env: Env, line: string, more: readonly string[] = []): Promise<Outcome> => {
    const words = [...line.split(' '), ...more, '--json']
    const outcome = await agentd(env, words)
    ran.add(commandOf(words) ?? line)
    return outcome
  }
  const json = async (
    env: Env,
    line: string,
    more: readonly string[] = [],
  ): Promise<Record<string, unknown>> => {
    const { stdout, stderr } = await run(env, line, more)
    expect([line, stderr, stdout.trim() !== '']).toEqual([line, '', true])
    return JSON.parse(stdout.split('\n')[0] ?? '')
  }

  const sent = await json(daemon.env, 'advise hello')
  await json(daemon.env, 'broadcast merged')
  await json(daemon.env, 'handover', ['take it over'])
  const { lease_id: lease } = await json(daemon.env, 'lock src/auth.ts')
  await json(daemon.env, 'extend', [String(lease)])
  await json(daemon.env, 'board')
  await json(daemon.env, 'locks')
  await json(daemon.env, 'unlock', [String(lease)])
  await json(daemon.env, 'send --kind agent_query', [JSON.stringify({ ...QUESTION, query_id: QUERY })])
  await json(daemon.env, 'needs')
  await json(daemon.env, 'needs --count')
  await json(daemon.env, 'respond', [QUERY, 'I am'])
  await json(daemon.env, 'send --kind agent_query', [JSON.stringify({ ...QUESTION, query_id: OTHER })])
  await json(daemon.env, 'dismiss', [OTHER])
  await json(daemon.env, 'takeover --latest')
  await json(daemon.env, 'takeover --latest --peek')
  await json(daemon.env, 'receipts', [String(sent['frame_id'])])
  await json(daemon.env, 'history')
  await json(daemon.env, 'history --forget --dry-run --kind', ['agent_broadcast'])
  await json(daemon.env, 'history --forget --yes --kind', ['agent_broadcast'])
  await json(daemon.env, 'roster')
  await json(daemon.env, 'resolve')
  await run(daemon.env, 'resolve ~nobody')
  await json({ ...daemon.env, AGENTD_TOKEN: session.token }, 'inbox')
  await json(daemon.env, 'status')
  await json(daemon.env, 'observe')
  await run(daemon.env, 'doctor')
  await json(daemon.env, 'setup claude-code --dry-run')
  await json(daemon.env, 'service install --print')
  await json(daemon.env, 'service uninstall --print')
  const envelope = await json(daemon.env, 'envelope send --from agent.b --to agent.a --intent demo.ping', [
    '{"x":1}',
  ])
  const { id, corr } = JSON.parse(JSON.stringify(envelope['envelope'] ?? {}))
  await json(daemon.env, 'envelope get', [String(id)])
  writeFileSync(daemon.dir.file('one.json'), JSON.stringify(envelope['envelope']))
  await json(daemon.env, 'envelope check', [daemon.dir.file('one.json')])
  await json(daemon.env, 'envelope thread', [String(corr)])
  await json(daemon.env, 'envelope threads')
  await run(daemon.env, 'envelope export', [String(corr), '--intents', '*'])
  const wrapped = ['wrap', '--from', 'agent.b', '--intent', 'demo.call', '--emit', '--json', '--', 'cat']
  expect(await agentd(daemon.env, wrapped, '{"q":1}')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('{'),
  })
  ran.add('wrap')
  await json(daemon.env, 'link status')
  const made = await json(user.env, 'keys new agent.reviewer --kid k1')
  await json(user.env, 'keys list')
  const { stdout: exported } = await run(user.env, 'keys export k1')
  writeFileSync(user.dir.file('k1.json'), exported, { mode: 0o600 })
  await json(daemon.env, 'keys trust', [user.dir.file('k1.json')])
  await json(user.env, 'keys revoke k1 --yes')
  await json(user.env, 'handles list')
  await run(user.env, 'handles add Nope')
  await run(user.env, 'handles remove ~nobody')
  await json(user.env, 'start')
  await json(user.env, 'stop')
  await json(user.env, 'stop')
  await json(user.env, 'version')
  await json(user.env, 'help scopes')
  await json(user.env, 'help topics')
  await json(user.env, 'completion bash')
  await run(daemon.env, 'ask nobody-listens? --timeout 1s')
  for (const silent of ['top', 'hook claude-code', 'git-hook post-commit', 'mcp --verbs none'])
    await run(user.env, silent)

  expect(made['kid']).toBe('k1')
  const missing = Object.keys(OUTPUTS).filter((name) => !ran.has(name) && !RUN_ELSEWHERE.has(name))
  expect(missing).toEqual([])
}, 180_000)

const QUERY = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c'
const OTHER = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3d'
const QUESTION = { query_text: 'who?', response_scope: '~alice', timeout_ms: 60_000 }
