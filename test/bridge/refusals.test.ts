/**
 * A hub that does not serve a node: each reason is told in words, and nothing stops for good (FED-13, FED-14, FT-09, FT-16).
 */
import { once } from 'node:events'
import { copyFileSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCertificate } from '../../src/host/links/certificate.ts'
import { createNodeKey } from '../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { portOf } from '../support/cut-proxy.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { TestHub } from '../support/hub.ts'
import { hubVersion, mendsDisk } from '../support/hub-server.ts'
import { hasProgram } from '../support/needs.ts'
import { numbers, startNode, startPair, type Pair } from './pair.ts'

/** Of a disk that is damaged: a server that goes on without it is told of, and over one that mends it everything comes. */
async function expectToldOrMended({ laptop, devbox }: Pair, said: number): Promise<void> {
  if (mendsDisk()) return expect(await devbox.received(said)).toEqual(numbers(1, said))
  const { why } = await laptop.condition('refused')
  expect(why).toMatch(/disk of the hub is damaged/)
}

describe.runIf(hasProgram('nats-server'))('a bridge whose hub', () => {
  test('shows a certificate of another authority is refused, and sends it nothing (FED-14)', async () => {
    await using hub = await TestHub.start()
    await using laptop = await startNode(hub, 'laptop')
    const { authority } = createCertificate('agentd-hub', process.env['PATH'])

    laptop.startBridge({ ...hub.linkOf('laptop'), ca: authority })

    const { why } = await laptop.condition('refused')
    expect(why).toMatch(/^The certificate of the hub is not the one that was agreed: /)
  })

  test('speaks no TLS is refused, whoever answers there (FED-14)', async () => {
    await using hub = await TestHub.start({ withoutTls: true })
    await using laptop = await startNode(hub, 'laptop')

    laptop.startBridge(hub.linkOf('laptop'))

    const { why } = await laptop.condition('refused')
    expect(why).toBe('The hub does not speak TLS, and this link does not go without.')
  })

  test('closes each connection before it says a word is said not to answer, in words of our own (FED-23)', async () => {
    const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(closing, 'listening')
    await using hub = await TestHub.start()
    await using laptop = await startNode(hub, 'laptop')

    laptop.startBridge(hub.linkOf('laptop', portOf(closing)))

    const { why } = await laptop.condition('away')
    expect(why).toBe('The hub does not answer: the connection broke.')
    closing.close()
  })

  test('does not know its credential is refused (FED-43)', async () => {
    await using hub = await TestHub.start({ nodes: ['laptop'] })
    await using laptop = await startNode(hub, 'laptop')
    const link = hub.linkOf('laptop')
    await hub.revoke('laptop')

    laptop.startBridge(link)

    const { why } = await laptop.condition('refused')
    expect(why).toMatch(/^The hub does not know the credential of this node/)
  })

  test.each([
    ['write', 'agentd.v1.p.alice.f.laptop'],
    ['read', '$JS.API.DIRECT.GET.AGENTD_P_alice.agentd.v1.p.alice.f.laptop'],
  ])(
    'does not let it %s its own lane is refused before anything is to be said (FED-13)',
    async (_, without) => {
      await using hub = await TestHub.start({ without })
      await using laptop = await startNode(hub, 'laptop')

      laptop.startBridge(hub.linkOf('laptop'))

      const { why } = await laptop.condition('refused')
      expect(why).toMatch(/^The hub does not allow it: .*permissions violation/i)
      expect(why).toContain(without)
      expect(laptop.conditions.map(({ state }) => state)).not.toContain('up')
    },
  )

  test('revokes it under load is cut off, and the others go on (FED-43, FT-09)', async () => {
    await using pair = await startPair({ nodes: ['laptop', 'devbox', 'ci'] })
    const { hub, laptop, devbox } = pair
    await using ci = await startNode(hub, 'ci')
    ci.startBridge(hub.linkOf('ci'))
    await ci.condition('up')
    ci.say('before')
    await devbox.received(1)
    // Others may have it before its own node knows that the hub has.
    await ci.sentAll()

    await hub.revoke('ci')
    await ci.condition('refused')
    ci.say('after')
    laptop.say(...numbers(1, 100))

    expect(await devbox.received(101)).toEqual(['before', ...numbers(1, 100)])
    expect(ci.acked).toMatchObject({ last: 'ci1-1' })
  })

  test('keeps nothing for who is away is told apart from one that is away (FT-16)', async () => {
    await using hub = await TestHub.start({ withoutJetStream: true })
    await using laptop = await startNode(hub, 'laptop')

    laptop.startBridge(hub.linkOf('laptop'))

    const { why } = await laptop.condition('refused')
    expect(why).toMatch(/JetStream/)
  })

  test('has no stream for the realm says what makes one (FED-12)', async () => {
    await using hub = await TestHub.start({ withoutStreams: true })
    await using laptop = await startNode(hub, 'laptop')

    laptop.startBridge(hub.linkOf('laptop'))

    const { why } = await laptop.condition('refused')
    expect(why).toBe('The hub has no stream for this realm; start it with "agentd link hub run".')
  })

  test('takes a batch and does not find it, its disk being damaged, is told apart from one to try again (FED-20, FT-03)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair
    laptop.say(...numbers(1, 20))
    await devbox.received(20)
    await hub.kill()
    hub.damageDisk()

    await hub.run()
    laptop.say('21', '22')

    await expectToldOrMended(pair, 22)
  })

  test('allows it another lane alone is told with the subject that it wanted (FED-13)', async () => {
    await using hub = await TestHub.start()
    await using laptop = await startNode(hub, 'laptop')
    const { credential } = hub.linkOf('devbox')

    laptop.startBridge({ ...hub.linkOf('laptop'), credential })

    const { why } = await laptop.condition('refused')
    expect(why).toMatch(/^The hub does not allow it: .*laptop/)
  })

  test('takes less than a record leaves that out, tells whose it is, and carries the rest (FED-18, FT-16)', async () => {
    await using pair = await startPair({ maxPayload: 65_536 })
    const { laptop, devbox } = pair

    laptop.say('before')
    const tooLarge = laptop.say('x'.repeat(62_000))
    laptop.say('y'.repeat(59_000), 'after')
    await devbox.received(3)

    expect(devbox.got.map(({ text }) => text.slice(0, 6))).toEqual(['before', 'yyyyyy', 'after'])
    await laptop.sentAll()
    expect(laptop.refused).toEqual([{ e: tooLarge, code: 'envelope-too-large' }])
    expect(laptop.conditions.at(-1)).toMatchObject({ state: 'up', max_payload: 65_536, server: hubVersion() })
  })
})

describe('a bridge', () => {
  test('says what to install where the client is not, and ends with the code for it (FED-82)', async () => {
    await using dir = await createTempDir()
    await using hubless = await startNode({ nodes: [], publicKeyOf: () => '' }, 'laptop')
    mkdirSync(dir.file('bridge'))
    const alone = join(dir.file('bridge'), 'main.mjs')
    copyFileSync('dist/bridge/main.js', alone)

    hubless.startBridge(anyLink(), alone)
    await hubless.changes.until(() => hubless.bridge.exitCode ?? undefined, 'the bridge to end')

    expect(hubless.bridge.exitCode).toBe(78)
    expect(hubless.bridgeSaid).toMatch(
      /^The client of NATS is not installed; run "npm install -g @nats-io.*"\.\n$/,
    )
  })

  test('refuses an errand that is none, without a word of what stands in it (FED-14)', async () => {
    await using node = await startNode({ nodes: [], publicKeyOf: () => '' }, 'laptop')

    node.startBridge({ ...anyLink(), node_key: 'secret-of-mine' })
    await node.changes.until(() => node.bridge.exitCode ?? undefined, 'the bridge to end')

    expect(node.bridge.exitCode).not.toBe(0)
    expect(node.bridgeSaid).toMatch(/node_key/)
    expect(node.bridgeSaid).not.toContain('secret-of-mine')
  })
})

/** A link to nowhere. */
function anyLink(): LinkFile {
  return {
    type: 'agentd.link',
    v: 1,
    realm: 'p.alice',
    node: 'laptop',
    urls: ['nats://127.0.0.1:9'],
    ca: null,
    domain: null,
    trust_network: false,
    credential: { nkey: `SU${'A'.repeat(56)}` },
    node_key: createNodeKey().seed,
    estate_key: createNodeKey().publicX,
    estate: '{}',
    since_ms: 0,
    added_at_ms: 0,
  }
}
