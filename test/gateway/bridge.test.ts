/**
 * The process of a bridge: what it is given, how it is started again, and how it ends (FED-07).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { FIRST_BACK_OFF_MS, MAX_BACK_OFF_MS } from '../../src/gateway/bridge/supervisor.ts'
import { processExists } from '../../src/host/process/processes.ts'
import { encodeLink } from '../../src/link/link-file.ts'
import { LinkedNode, type NodeOptions } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

const start = (options: NodeOptions = {}): Promise<LinkedNode> =>
  LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop', options)

const stateOf = async (node: LinkedNode) => (await node.gateway.list()).links[0]

test('a bridge is given its link and a token on its standard input, and that token opens it (FED-07)', async () => {
  await using laptop = await start()

  const token = await laptop.token()
  const [errand] = laptop.errands()
  const { body } = await laptop.ask('/v1/link/state')

  expect(errand).toMatchObject({
    socket: laptop.socket,
    name: 'home',
    link: { node: 'laptop', realm: 'p.alice' },
  })
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(body.node).toBe('laptop')
})

test('a bridge that ends is started again after a second, and later each time, up to a minute (FED-07)', async () => {
  await using laptop = await start({ env: { EXIT_CODE: '1' } })
  const counts: number[] = []
  for (
    let delayMs = FIRST_BACK_OFF_MS, runs = 1;
    runs <= 8;
    runs += 1, delayMs = Math.min(2 * delayMs, MAX_BACK_OFF_MS)
  ) {
    await expect.poll(() => laptop.errands().length, { timeout: 20_000 }).toBe(runs)
    // It has ended, and its next start is set.
    await expect.poll(() => laptop.clock.pendingTimers, { timeout: 20_000 }).toBeGreaterThan(0)
    laptop.clock.advance(delayMs - 1)
    counts.push(laptop.errands().length)
    laptop.clock.advance(1)
  }

  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
}, 60_000)

test('a bridge that lacks something is refused, with its last word, and tried again every minute (FED-07)', async () => {
  await using laptop = await start({ env: { EXIT_CODE: '78' } })

  await expect.poll(async () => (await stateOf(laptop))?.state, { timeout: 20_000 }).toBe('refused')
  laptop.clock.advance(MAX_BACK_OFF_MS)
  await expect.poll(() => laptop.errands().length, { timeout: 20_000 }).toBe(2)

  expect((await stateOf(laptop))?.why).toBe('it lacks something')
})

test('what a bridge says of its link is told, with the figures it has counted (FED-65)', async () => {
  await using laptop = await start()
  const say = (json: Record<string, unknown>) => laptop.ask('/v1/link/condition', { json })

  await say({ state: 'up', server: '2.9.10', reconnects: 3 })
  const up = await stateOf(laptop)
  laptop.clock.advance(5_000)
  await say({ state: 'away', why: 'the hub does not answer' })
  const away = await stateOf(laptop)
  const unknown = await say({ state: 'sideways' })

  expect(up).toMatchObject({ state: 'up', why: null, server: '2.9.10', figures: { reconnects: 3 } })
  expect(away).toMatchObject({ state: 'away', why: 'the hub does not answer', server: '2.9.10' })
  expect((away?.since_ms ?? 0) - (up?.since_ms ?? 0)).toBe(5_000)
  expect(unknown).toMatchObject({ status: 400, body: { field: 'state' } })
})

test('a link that is taken away has its bridge ended and its token forgotten (FED-07)', async () => {
  await using laptop = await start()
  const token = await laptop.token()

  await laptop.gateway.have([])
  const refused = await laptop.anybody('/v1/link/state', { token })

  expect(refused.status).toBe(401)
  expect(laptop.gateway.count).toBe(0)
})

test('a link whose file says something else is opened anew, and others go on undisturbed', async () => {
  const realm = new RealmOfAlice('laptop', 'devbox')
  await using laptop = await LinkedNode.start(realm, 'laptop')
  await laptop.token()
  const text = encodeLink(realm.linkFile('laptop'))

  await laptop.gateway.have([{ name: 'home', text }])
  const same = laptop.errands().length
  await laptop.gateway.have([{ name: 'home', text: encodeLink(realm.linkFile('laptop', { since_ms: 5 })) }])
  await expect.poll(() => laptop.errands().length).toBe(2)

  expect(same).toBe(1)
})

test.each([
  ['is none', () => '{}'],
  ['is of another person', (realm: RealmOfAlice) => encodeLink(realm.linkFile('laptop', { realm: 'p.bob' }))],
  [
    'has an estate that somebody else signed',
    (realm: RealmOfAlice) =>
      encodeLink(realm.linkFile('laptop', { estate_key: new RealmOfAlice().estateKey })),
  ],
])('a link that %s is refused, told, and starts nothing (FED-41)', async (_, text) => {
  const realm = new RealmOfAlice('laptop')
  await using laptop = await LinkedNode.start(realm, 'laptop')
  await laptop.token()

  await laptop.gateway.have([{ name: 'other', text: text(realm) }])

  expect(await stateOf(laptop)).toMatchObject({
    name: 'other',
    state: 'refused',
    why: expect.stringMatching(/\.$/),
  })
  expect(laptop.errands()).toHaveLength(1)
})

test('an estate that was accepted outlives the daemon, and an older join file does not undo it (FED-40)', async () => {
  const realm = new RealmOfAlice('laptop', 'devbox')
  await using laptop = await LinkedNode.start(realm, 'laptop')
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(6) } })

  await laptop.gateway.have([])
  await laptop.gateway.have([{ name: 'home', text: encodeLink(realm.linkFile('laptop')) }])

  expect((await stateOf(laptop))?.authority_epoch).toBe(6)
})

test('the end of its standard input ends a bridge, so that none outlives a daemon that was killed (FED-07)', async () => {
  const child = spawn(process.execPath, [new URL('idle-bridge.mjs', import.meta.url).pathname], {
    env: { ERRANDS: '/dev/null' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end('{}\n')

  const [code] = await once(child, 'exit')

  expect(code).toBe(0)
  expect(processExists(child.pid ?? 0)).toBe(false)
})
