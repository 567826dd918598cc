/**
 * Two organisations over a hub of one of them: each founder's commands alone, two daemons, and what both have signed
 * (FED-40, FED-57, FED-58).
 */
import { writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { post } from '../../../support/http.ts'
import { agentd, createUser, words } from '../../support.ts'
import { addedUnasked, said, type Person } from './acme.ts'
import { makeHub, startHub } from './hub-support.ts'

/** Bridges begin, connect and are told of one another within a second or two; a busy machine takes more. */
const SETTLED = { timeout: 60_000, interval: 200 }
const SUPPORT = 'accord:~globex/grant:support'
const GRANT =
  '--grant support --reach role:support --kinds agent_query,agent_response --until 2999-01-01T00:00:00Z'

interface Side extends Person, AsyncDisposable {}

async function personOf(principal: string): Promise<Side> {
  const user = await createUser()
  return {
    env: { ...user.env, AGENTD_PRINCIPAL: principal },
    file: (...names) => user.dir.file(...names),
    [Symbol.asyncDispose]: () => user[Symbol.asyncDispose](),
  }
}

async function linesOf({ env }: Person, command: string, more: object = {}): Promise<string> {
  const { stdout, stderr } = await agentd({ ...env, ...more }, words(command))
  return stdout + stderr
}

/** A session with a mailbox. @returns its socket and what shows it to be that one */
async function sessionOf(person: Person, instrument: string) {
  const { stdout } = await agentd(person.env, words('status --quiet'))
  const wish = { instrument, session_id: 's1', mailbox: true }
  const { token } = (await post(stdout.trim(), '/v1/sessions', wish)).body
  return { socket: stdout.trim(), token: String(token), env: { AGENTD_TOKEN: String(token) } }
}

/** Each takes the other's key and the accord that both have signed. */
async function agree(alice: Person, bob: Person): Promise<void> {
  for (const [one, org, other] of [
    [alice, '~acme', bob],
    [bob, '~globex', alice],
  ] as const) {
    const { keys } = JSON.parse((await agentd(one.env, words('keys list --json'))).stdout)
    const { kid } = keys.find(({ entities }: { entities: string[] }) => entities.includes(org))
    const { stdout } = await agentd(one.env, ['keys', 'export', kid])
    writeFileSync(other.file('theirs.json'), stdout, { mode: 0o600 })
    await said(other, ['keys', 'trust', other.file('theirs.json')])
  }
  const { stdout } = await agentd(alice.env, words(`accord draft --with ~globex ${GRANT}`))
  const paper = alice.file('accord.json')
  writeFileSync(paper, stdout, { mode: 0o600 })
  await said(alice, ['accord', 'sign', paper])
  await said(bob, ['accord', 'sign', paper])
  for (const side of [alice, bob]) await said(side, ['accord', 'install', paper])
}

/** A machine of one of them asks the hub of bob, and is let in. */
async function link(who: Person, bob: Person, label: string): Promise<void> {
  const [request, invitation] = [who.file('a.request'), who.file('a.invitation')]
  await said(who, ['accord', 'request', 'acme_globex', '--node', label, '--to', request])
  await said(bob, ['accord', 'invite', request, '--to', invitation])
  // The charter that it brings is that of bob's organisation.
  if (who === bob) await addedUnasked(who, [invitation, '--allow', 'all'])
  else await said(who, ['link', 'add', invitation, '--allow', 'all'])
}

test.runIf((['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name)))(
  'a question under a grant is answered across, to the session that asked, and a revoked accord ends it (FED-43, FED-57, FED-58)',
  { timeout: 240_000 },
  async () => {
    await using alice = await personOf('~alice')
    await using bob = await personOf('~bob')
    await makeHub(bob.env)
    await said(alice, ['org', 'init', '~acme'])
    await said(bob, ['org', 'init', '~globex', '--role', 'support'])
    await agree(alice, bob)
    await using _ = await startHub(bob.env)
    await link(bob, bob, 'laptop')
    await link(alice, bob, 'home')
    const [cc, codex] = [await sessionOf(alice, 'cc'), await sessionOf(bob, 'codex')]
    await sessionOf(alice, 'other')
    await vi.waitUntil(async () => (await linesOf(alice, 'roster')).includes('~bob/codex@s1'), SETTLED)

    const asked = await post(
      cc.socket,
      '/v1/verbs/agent_query',
      { text: 'is it you?', recipient_scope: SUPPORT },
      cc.token,
    )
    const advice = await agentd(alice.env, ['advise', 'no', '--scope', SUPPORT])
    await vi.waitUntil(async () => (await linesOf(bob, 'history')).includes('is it you?'), SETTLED)
    const query_id: unknown = asked.body.frame.payload.query_id
    const answered = await post(
      codex.socket,
      '/v1/verbs/agent_respond',
      { query_id, text: 'it is' },
      codex.token,
    )
    await vi.waitUntil(async () => (await linesOf(alice, 'inbox', cc.env)).includes('it is'), SETTLED)

    expect(asked.body).toMatchObject({
      recipient_count: 0,
      remote: { sessions: 1, nodes: ['~bob/laptop'] },
      frame: { payload: { response_scope: 'accord:~acme/grant:support' } },
    })
    expect(advice.stderr).toContain('grants agent_query, agent_response, and no agent_advisory')
    expect(answered.body).toMatchObject({ remote: { nodes: ['~alice/home'] } })
    const receipts = () => linesOf(alice, `receipts ${asked.body.frame_id}`)
    await vi.waitUntil(async () => (await receipts()).includes('~bob on ~bob/laptop'), SETTLED)
    expect(await receipts()).toContain('was sent; nobody here was listening')
    expect(await linesOf(alice, 'link status')).not.toContain('refused')

    // The command asks from a session of its own, and waits for what comes back to that.
    const command = agentd(alice.env, ['ask', 'and now?', '--scope', SUPPORT, '--timeout', '60s'])
    await vi.waitUntil(async () => (await linesOf(bob, 'history')).includes('and now?'), SETTLED)
    const { items } = JSON.parse((await agentd(bob.env, words('history --json'))).stdout)
    const question = items.find(
      (item: { frame: { payload: { query_text?: string } } }) => item.frame.payload.query_text === 'and now?',
    )
    const again = { query_id: question.frame.payload.query_id, text: 'still' }
    await post(codex.socket, '/v1/verbs/agent_respond', again, codex.token)
    expect(await command).toMatchObject({ code: 0, stdout: expect.stringContaining('still') })

    await said(bob, ['accord', 'revoke', 'acme_globex'])
    await vi.waitUntil(async () => (await linesOf(alice, 'link status')).includes('refused'), SETTLED)
    expect(await linesOf(bob, 'link hub list')).toMatch(/~alice\/home +no member/)
  },
)
