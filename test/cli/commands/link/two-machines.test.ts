/**
 * Two machines in five minutes, as docs/link.md has it: two homes, two daemons, one hub, and nothing but commands.
 */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, words, type Env } from '../../support.ts'
import { makeHub, startHub } from './hub-support.ts'

/** Bridges begin, connect and are told of one another within a second or two; a busy machine takes more. */
const SETTLED = { timeout: 60_000, interval: 200 }

async function statusOf(env: Env): Promise<string> {
  return (await agentd(env, words('link status'))).stdout
}

async function historyOf(env: Env): Promise<string> {
  return (await agentd(env, words('history'))).stdout
}

test.runIf((['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name)))(
  'what is said on one machine is heard on the other, and nothing is once it is revoked (FED-06, FED-43)',
  { timeout: 180_000 },
  async () => {
    await using laptop = await createUser()
    await using devbox = await createUser()
    await makeHub(laptop.env)
    await using _ = await startHub(laptop.env)
    const folder = laptop.dir.file('config', 'agentd', 'hub')
    const file = devbox.dir.file('devbox.link')
    await atTerminal(laptop.env, ['link', 'hub', 'invite', 'devbox', '--to', file])

    const added = [
      await agentd(laptop.env, ['link', 'add', `${folder}/laptop.link`, '--allow', 'all']),
      await agentd(devbox.env, ['link', 'add', file, '--allow', 'all']),
    ]
    await vi.waitUntil(async () => (await statusOf(laptop.env)).includes('devbox'), SETTLED)
    await agentd(devbox.env, ['advise', 'said on the devbox'])
    await vi.waitUntil(async () => (await historyOf(laptop.env)).includes('said on the devbox'), SETTLED)

    expect(added.map(({ code }) => code)).toEqual([0, 0])
    expect(added[1]?.stdout).toMatch(/as +devbox in p\.alice\n {2}leaves +frames of every kind/)
    await vi.waitUntil(async () => /^home up\n[^]*laptop +here/.test(await statusOf(devbox.env)), SETTLED)

    expect((await agentd(devbox.env, words('doctor'))).stdout).toContain(
      'The link "home" is up, as devbox in p.alice; its lane can be written and read.',
    )
    await agentd(devbox.env, words('link allow home --kinds none'))
    await agentd(devbox.env, ['advise', 'kept on the devbox'])
    await agentd(laptop.env, ['advise', 'said on the laptop'])
    await atTerminal(laptop.env, words('link hub revoke devbox'))
    await vi.waitUntil(async () => (await statusOf(devbox.env)).includes('home refused'), SETTLED)

    expect(await historyOf(laptop.env)).not.toContain('kept on the devbox')
    const examined = await agentd(devbox.env, words('doctor --quiet'))
    expect(examined.code).toBe(1)
    expect(examined.stdout).toMatch(/fail +The link "home" is refused: The hub does not know the credential/)
    const log = readFileSync(devbox.dir.file('state', 'agentd.log'), 'utf8')
    expect(log).not.toMatch(/SU[A-Z2-7]{56}|said on the/)
  },
)
