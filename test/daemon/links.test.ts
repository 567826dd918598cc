/**
 * Links of a real daemon: nothing of them without one, and with one a process that lives and dies with the daemon (FED-01,
 * FED-07).
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readKey } from '../../src/aee/keys/key.ts'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readEnvironment } from '../../src/host/config/paths.ts'
import { addLink, removeLink } from '../../src/host/links/link-folders.ts'
import { processExists } from '../../src/host/process/processes.ts'
import { encodeLink } from '../../src/link/link-file.ts'
import { RealmOfAcme } from '../gateway/realm-of-acme.ts'
import { RealmOfAlice } from '../gateway/realm-of-alice.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { runsOnLinux } from '../support/needs.ts'

/** Nobody listens there: the bridge stays away. */
const NOWHERE = ['nats://127.0.0.1:1']

function addHome({ dir }: Pick<TestDaemon, 'dir'>, realm = new RealmOfAlice('laptop', 'devbox')): void {
  const text = encodeLink(realm.linkFile('laptop', { urls: NOWHERE }))
  addLink(dir.file('state'), { name: 'home', text }, readEnvironment())
}

/** A link of ~acme whose charter comes with it, and the key that the person trusts for ~acme. */
function addAcme({ dir }: Pick<TestDaemon, 'dir'>): void {
  const { kid, text: key } = createKey({ alg: 'ed25519', entities: ['~acme'], nowMs: Date.now() })
  mkdirSync(dir.file('state', 'keys'), { mode: 0o700, recursive: true })
  writeFileSync(dir.file('state', 'keys', `${kid}.json`), key, { mode: 0o600 })
  const text = encodeLink(new RealmOfAcme(readKey(key)).linkFile('box', { urls: NOWHERE }))
  addLink(dir.file('state'), { name: 'acme', text }, readEnvironment())
}

/** The processes it has started. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text
    .split(' ')
    .filter((one) => one !== '')
    .map(Number)
}

async function childOf({ pid }: TestDaemon): Promise<number> {
  await expect.poll(() => childrenOf(pid).length, { timeout: 20_000 }).toBe(1)
  return childrenOf(pid)[0] ?? 0
}

test.runIf(runsOnLinux('the children of a process'))(
  'without a link there is no path of links, and no process (FED-01)',
  async () => {
    await using daemon = await startTestDaemon()

    const nowhere = await request(daemon.socket, '/v1/nowhere')
    const links = await request(daemon.socket, '/v1/links')
    const metrics = await request(daemon.socket, '/v1/metrics')
    const advice = await request(daemon.socket, '/v1/verbs/agent_advise', { json: { text: 'x' } })

    expect(links).toMatchObject({ status: 404, text: nowhere.text })
    expect(metrics.text).not.toContain('link')
    expect(advice.body).not.toHaveProperty('remote')
    expect(childrenOf(daemon.pid)).toEqual([])
  },
)

test.runIf(runsOnLinux('the children of a process'))(
  'a link that is added while the daemon runs is served when somebody asks, and not any more when it is gone (FED-01, FED-07)',
  async () => {
    await using daemon = await startTestDaemon()
    addHome(daemon)

    const { body } = await request(daemon.socket, '/v1/links')
    const child = await childOf(daemon)
    removeLink(daemon.dir.file('state'), 'home')
    const gone = await request(daemon.socket, '/v1/links')

    expect(body.links).toMatchObject([
      {
        name: 'home',
        realm: 'p.alice',
        node: 'laptop',
        authority_epoch: 1,
        what_leaves: 'no frame; nobody is told who is here',
      },
    ])
    expect(gone.status).toBe(404)
    await expect.poll(() => processExists(child), { timeout: 20_000 }).toBe(false)
  },
)

test.runIf(runsOnLinux('the children of a process'))(
  'a bridge ends with its daemon, also when that is killed (FED-07)',
  async () => {
    const bridges: number[] = []
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await using daemon = await startTestDaemon()
      addHome(daemon)
      await request(daemon.socket, '/v1/links')
      bridges.push(await childOf(daemon))
      await daemon.stop(signal)
    }

    await expect.poll(() => bridges.filter(processExists), { timeout: 20_000 }).toEqual([])
  },
)

test('what may leave is read again with the configuration, and a link is found at the start (FED-06, FED-61)', async () => {
  await using first = await startTestDaemon({ config: {} })
  addHome(first)
  await first.stop()
  await using daemon = await startTestDaemon({ config: {}, dir: first.dir })
  const told = async (): Promise<string> => {
    const { body } = await request(daemon.socket, '/v1/links')
    return body.links[0].what_leaves
  }
  const before = await told()

  const config = { links: { home: { allow: { kinds: ['agent_advisory'], presence: 'full' } } } }
  writeFileSync(first.dir.file('config', 'agentd.json'), JSON.stringify(config), { mode: 0o600 })
  process.kill(daemon.pid, 'SIGHUP')

  await expect.poll(told).toBe('frames of agent_advisory; who is here (full)')
  expect(before).toBe('no frame; nobody is told who is here')
})

test('a link of somebody else is no link of this daemon, and the rest of it goes on (FED-41)', async () => {
  await using daemon = await startTestDaemon({ principal: '~bob' })
  addHome(daemon)

  const { body } = await request(daemon.socket, '/v1/links')
  const advice = await request(daemon.socket, '/v1/verbs/agent_advise', { json: { text: 'x' } })

  expect(body.links).toMatchObject([
    { name: 'home', state: 'refused', why: expect.stringContaining('~alice') },
  ])
  expect(advice.status).toBe(200)
})

test('a link of an organisation is served where no document was ever kept, and its charter is kept then (FED-40)', async () => {
  await using daemon = await startTestDaemon()
  addAcme(daemon)
  const folder = daemon.dir.file('state', 'authority')
  expect(existsSync(folder)).toBe(false)

  const { status, body } = await request(daemon.socket, '/v1/links')

  expect({ status, links: body.links }).toMatchObject({
    status: 200,
    links: [{ name: 'acme', realm: 'o.acme', authority_epoch: 1 }],
  })
  expect(existsSync(daemon.dir.file('state', 'authority', 'charter.acme.json'))).toBe(true)
  expect(daemon.stderr()).not.toContain('ENOENT')
})

test('a folder of documents that others can read is the trouble of that link alone (FED-40)', async () => {
  await using daemon = await startTestDaemon()
  addHome(daemon)
  mkdirSync(daemon.dir.file('state', 'authority'), { mode: 0o700 })
  chmodSync(daemon.dir.file('state', 'authority'), 0o755)
  addAcme(daemon)

  const { body } = await request(daemon.socket, '/v1/links')

  expect(body.links).toMatchObject([
    { name: 'acme', state: 'refused', why: expect.stringContaining('must be 0700') },
    { name: 'home', realm: 'p.alice', authority_epoch: 1 },
  ])
})
