/** What is said to an organisation is heard by its members on their own machines: two people, two daemons, one hub. */
import { expect, test, vi } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { post } from '../../../support/http.ts'
import { agentd, words } from '../../support.ts'
import { addedUnasked, foundAcme, invited, said, type Person } from './acme.ts'
import { startHub } from './hub-support.ts'

/** Bridges begin, connect and are told of one another within a second or two; a busy machine takes more. */
const SETTLED = { timeout: 60_000, interval: 200 }

async function linesOf({ env }: Person, command: string, more: object = {}): Promise<string> {
  return (await agentd({ ...env, ...more }, words(command))).stdout
}

/** A session with a mailbox. @returns what shows it to be that one */
async function sessionOf(person: Person, instrument: string): Promise<object> {
  const socket = (await linesOf(person, 'status --quiet')).trim()
  const wish = { instrument, session_id: 's1', mailbox: true }
  const { token } = (await post(socket, '/v1/sessions', wish)).body
  return { AGENTD_TOKEN: String(token) }
}

async function advise({ env }: Person, text: string, scope: string): Promise<string> {
  const { stdout, stderr } = await agentd(env, ['advise', text, '--scope', scope])
  return stdout + stderr
}

test.runIf((['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name)))(
  'a role and a member are heard by whoever they name and nobody else, and the sender is told (FED-03, FED-52, FED-55, FED-56)',
  { timeout: 180_000 },
  async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    await using _ = await startHub(alice.env)
    for (const [who, roles] of [
      [alice, 'dev,ops'],
      [bob, 'dev'],
    ] as const) {
      const args = ['acme', await invited(acme, who, roles), '--allow', 'all']
      if (who === alice) await addedUnasked(who, args)
      else await said(who, ['link', 'add', ...args])
    }
    const [cc, codex] = [await sessionOf(alice, 'cc'), await sessionOf(bob, 'codex')]
    await vi.waitUntil(async () => (await linesOf(alice, 'roster')).includes('~bob/codex@s1'), SETTLED)
    await vi.waitUntil(async () => (await linesOf(bob, 'roster')).includes('~alice/cc@s1'), SETTLED)

    const toDev = await advise(bob, 'for dev', 'org:~acme/members/dev/*')
    await advise(bob, 'for ops', 'org:~acme/members/ops/*')
    await advise(alice, 'for bob', '~bob/*')
    await advise(alice, 'for ops alone', 'org:~acme/members/ops/*')

    expect(toDev).toContain('1 on ~alice/laptop')
    await vi.waitUntil(async () => (await linesOf(bob, 'history')).includes('for bob'), SETTLED)
    await vi.waitUntil(async () => (await linesOf(alice, 'history')).includes('for ops\n'), SETTLED)
    const [heard, here] = [await linesOf(alice, 'inbox', cc), await linesOf(bob, 'inbox', codex)]
    expect(heard).toMatch(/for dev[^]*for ops/)
    expect(here).toMatch(/for dev[^]*for bob/)
    expect(here).not.toContain('for ops')
    // Whose sessions of another person's they were is nobody else's business (FED-59).
    const [frame] = JSON.parse(await linesOf(bob, 'history --json')).items
    const receipts = async () => linesOf(bob, `receipts ${frame.frame.frame_id}`)
    await vi.waitUntil(async () => /seen .*~alice on ~alice\/laptop/.test(await receipts()), SETTLED)
    expect(await linesOf(bob, 'link status')).not.toContain('refused')
    expect(await advise(bob, 'x', '~carol/*')).toContain('scope-unauthorised')
  },
)
