/**
 * Words that a shell asks for when a key is pressed: of the daemon that runs, and of this person's own files.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { findCandidates, MAX_CANDIDATES } from '../../../src/cli/completion/candidates.ts'

import { readEnvironment } from '../../../src/host/config/paths.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { hasProgram } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { agentd, createUser } from '../support.ts'
import { SHELLS, offered, writeScripts } from './shells.ts'

const INSTALLED = SHELLS.filter((shell) => shell === 'bash' || hasProgram(shell))

/** What a shell would do something with, were it not kept from it. */
const HOSTILE = `$(touch pwned) \`touch pwned\`; touch pwned | 'x' "y" \u001b[31m\u202e\ttab\nline`

let dir: TempDir
let daemon: TestDaemon

beforeAll(async () => {
  dir = await createTempDir()
  await writeScripts(dir)
  daemon = await startTestDaemon()
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

test.each(INSTALLED)(
  '%s offers sessions, leases, questions and frames as they can be typed',
  async (shell) => {
    await using client = await connect({ socket: daemon.socket })
    await using session = await client.session({ instrument: 'cc-opus', tool: 'cc', title: 'api refactor' })
    const { leaseId } = await session.lock('src/auth.ts')
    const queryId = randomUUID()
    const question = { query_id: queryId, query_text: HOSTILE, response_scope: '~alice', timeout_ms: 60_000 }
    await agentd(daemon.env, ['send', '--kind', 'agent_query', JSON.stringify(question)])
    const { frameId } = await session.handover('take it')
    const name = (await client.roster())[0]?.name ?? ''
    expect(name).not.toBe('')

    const complete = (...words: readonly string[]): readonly string[] =>
      offered(shell, dir.file(shell), daemon.env, words)

    expect(complete('advise', 'text', '--to', name.slice(0, 2))).toContain(name)
    expect(complete('unlock', leaseId.slice(0, 6))).toEqual([leaseId])
    expect(complete('respond', queryId.slice(0, 6))).toEqual([queryId])
    expect(complete('approve', '')).toEqual([])
    expect(complete('takeover', frameId.slice(0, 6))).toEqual([frameId])
    expect(complete('receipts', '--wait', 'seen', frameId.slice(0, 6))).toEqual([frameId])
  },
)

test.each(INSTALLED)(
  '%s offers what your own leases are on, as it is written here, and what a filter takes',
  async (shell) => {
    await using client = await connect({ socket: daemon.socket })
    await using session = await client.session({ instrument: 'cc-opus', tool: 'cc' })
    await session.lock('held/by-another')
    for (const resource of [dir.file('empty', 'src', 'held.ts'), 'held-name'])
      await agentd(daemon.env, ['lock', resource])

    const complete = (...words: readonly string[]): readonly string[] =>
      offered(shell, dir.file(shell), daemon.env, words)
    const offers = { unlock: complete('unlock', 'held'), extend: complete('extend', 'src/') }
    for (const resource of [dir.file('empty', 'src', 'held.ts'), 'held-name'])
      await agentd(daemon.env, ['unlock', resource])

    expect(offers).toEqual({ unlock: ['held-name'], extend: ['src/held.ts'] })
    const filters = ['history', 'tail'].map((command) => complete(command, '--filter', 'kind:agent_q'))
    // Readline replaces what stands behind the colon.
    expect(filters.map(([first]) => first)).toEqual(
      [0, 1].map(() => (shell === 'bash' ? '' : 'kind:') + 'agent_query'),
    )
    expect(complete('history', '--filter', 'sen')[0]).toMatch(/^sender:\\?~alice$/)
  },
)

test('bash keeps a tilde from being a home, and completes an address behind its at sign', async () => {
  await using client = await connect({ socket: daemon.socket })
  await using session = await client.session({ instrument: 'codex', tool: 'codex', sessionId: 's7' })

  const begun = offered('bash', dir.file('bash'), daemon.env, ['ask', 'who?', '--scope', '~alice/cod'])
  const behind = offered('bash', dir.file('bash'), daemon.env, ['ask', 'who?', '--scope', '~alice/codex@s'])

  expect(session.address).toBe('~alice/codex@s7')
  expect(begun).toEqual([String.raw`\~alice/codex@s7`])
  // Readline replaces what stands behind the at sign.
  expect(behind).toEqual(['s7'])
})

test.each(INSTALLED)('%s does nothing with what others have written', async (shell) => {
  await using client = await connect({ socket: daemon.socket })
  await using session = await client.session({ instrument: 'evil', tool: 'cc', title: HOSTILE })
  await session.lock(HOSTILE)
  await session.advise(HOSTILE)

  for (const words of [
    ['advise', '--to', ''],
    ['unlock', ''],
    ['receipts', ''],
    ['history', '--after', ''],
  ])
    for (const word of offered(shell, dir.file(shell), { ...daemon.env, PWD: dir.path }, words))
      expect(word).toMatch(/^\\?[A-Za-z0-9~][A-Za-z0-9~@:._/+*-]*$/)
  const said = await agentd(daemon.env, ['complete', 'leases'])

  expect(said.stderr).toBe('')
  for (const line of said.stdout.trimEnd().split('\n')) {
    expect(line.split('\t')).toHaveLength(2)
    // oxlint-disable-next-line no-control-regex -- what a terminal obeys is what is looked for
    expect(line.replace('\t', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
  }
})

test('names of keys, links and handles are read from files, with no daemon', async () => {
  await using user = await createUser()
  await agentd(user.env, ['keys', 'new', 'agent.reviewer', '--kid', 'alice-2027'])
  await agentd(user.env, ['stop'])

  for (const shell of INSTALLED) {
    expect(offered(shell, dir.file(shell), user.env, ['keys', 'revoke', ''])).toEqual(['alice-2027'])
    expect(offered(shell, dir.file(shell), user.env, ['envelope', 'send', '--sign', 'al'])).toEqual([
      'alice-2027',
    ])
    expect(offered(shell, dir.file(shell), user.env, ['link', 'remove', ''])).toEqual([])
    expect(offered(shell, dir.file(shell), user.env, ['handles', 'remove', ''])).toEqual(
      shell === 'bash' ? [String.raw`\~alice`] : ['~alice'],
    )
  }
})

test('no source fails or starts a daemon: without one, with one that says nothing, for a word that is none', async () => {
  await using user = await createUser()
  mkdirSync(user.dir.file('state'), { mode: 0o700, recursive: true })
  const silent = createServer((socket) => socket.resume())
  const silentSocket = user.dir.file('silent.sock')
  await new Promise<void>((resolve) => silent.listen(silentSocket, resolve))

  // One that asks the daemon, and one that reads a file.
  const absent = [
    await agentd(user.env, ['complete', 'sessions']),
    await agentd(user.env, ['complete', 'links']),
  ]
  const hung = await agentd({ ...user.env, AGENTD_SOCKET: silentSocket }, ['complete', 'sessions'])
  const unknown = await agentd(user.env, ['complete', 'passwords'])
  await new Promise((resolve) => silent.close(resolve))

  for (const { code, stderr } of absent) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const one of [hung, unknown]) expect(one).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await agentd(user.env, ['status'])).code).toBe(69)
})

test('a shell is given two hundred words at the most', async () => {
  await using client = await connect({ socket: daemon.socket })
  const sessions = []
  for (let i = 0; i <= MAX_CANDIDATES; i += 1)
    sessions.push(await client.session({ instrument: `many-${i}`, tool: 'cc' }))

  const found = await findCandidates('scopes', {
    environment: readEnvironment(),
    connect: () => connect({ socket: daemon.socket }),
  })

  for (const session of sessions) await session[Symbol.asyncDispose]()

  expect(found).toHaveLength(MAX_CANDIDATES)
})
