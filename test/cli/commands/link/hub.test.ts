/**
 * `agentd link hub` (FED-12, FED-14, FED-40, FED-43, FED-44): real terminals, and a real nats-server.
 */
import { existsSync, lstatSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, startOnTerminal, words, type Env } from '../../support.ts'
import { enter, inviteInto, makeHub, readJoin, startHub } from './hub-support.ts'

const Listed = z.object({
  pid: z.int().nullable(),
  authority_epoch: z.int().nullable(),
  nodes: z.array(z.object({ node: z.string(), state: z.string() })),
})
const Estate = z.object({
  authority_epoch: z.int(),
  nodes: z.array(z.object({ node: z.string(), not_after: z.string().optional() })),
})

async function list(env: Env) {
  return Listed.parse(JSON.parse((await agentd(env, words('link hub list --json'))).stdout))
}

const hasAll = ['script', 'openssl', 'nats-server'] as const

describe.runIf(hasAll.every((name) => hasProgram(name)))('at a terminal', () => {
  test('a hub is made with this machine as its first node, in files that only the person reads (FED-14, FED-40)', async () => {
    await using user = await createUser()

    await makeHub(user.env)

    const folder = user.dir.file('config', 'agentd', 'hub')
    const names = ['ca.pem', 'hub.json', 'laptop.link', 'nats-server.conf', 'server-key.pem', 'server.pem']
    expect(readdirSync(folder)).toEqual(names)
    expect(names.map((name) => lstatSync(join(folder, name)).mode & 0o777)).toEqual(names.map(() => 0o600))
    expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    const { realm, node, estate } = readJoin(join(folder, 'laptop.link'))
    expect([realm, node]).toEqual(['p.alice', 'laptop'])
    expect(Estate.parse(JSON.parse(estate))).toMatchObject({
      authority_epoch: 1,
      nodes: [{ node: 'laptop' }],
    })
    // The server is shown public halves alone.
    const config = readFileSync(join(folder, 'nats-server.conf'), 'utf8')
    expect(config).not.toMatch(/SU[A-Z2-7]{56}/)
    expect(await list(user.env)).toEqual({
      pid: null,
      authority_epoch: 1,
      nodes: [{ node: 'laptop', state: 'invited' }],
    })
  })

  test('a second hub, an address that nobody can come to, and none at all are refused before anything is asked', async () => {
    await using user = await createUser()
    const refused = async (line: string) => {
      const { code, stderr } = await agentd(user.env, words(line))
      return { code, stderr }
    }

    expect(await refused('link hub init --listen 0.0.0.0:4222')).toEqual({
      code: 2,
      stderr: expect.stringContaining('add --url nats://HOST:4222'),
    })
    expect(await refused('link hub init --listen here')).toEqual({
      code: 2,
      stderr: expect.stringContaining('write an address and a port such as 192.168.1.10:4222'),
    })
    expect(await refused('link hub invite devbox')).toEqual({
      code: 2,
      stderr: expect.stringContaining('There is no hub of yours here'),
    })
    await makeHub(user.env)
    expect(await refused('link hub init --listen 127.0.0.1:4222')).toEqual({
      code: 2,
      stderr: expect.stringContaining('There is a hub of yours in'),
    })
  })

  test('a no makes no hub, no key and no unit', async () => {
    await using user = await createUser()

    const { code } = await atTerminal(user.env, words('link hub init --listen 127.0.0.1:4222'), 'n')

    expect(code).toBe(0)
    expect(readdirSync(user.dir.file('config'))).toEqual([])
    expect(existsSync(user.dir.file('state', 'keys'))).toBe(false)
  })

  test('without openssl the person is told what to install, before they are asked', async () => {
    await using user = await createUser()

    const env = { ...user.env, PATH: user.dir.path }
    const { code, stderr } = await agentd(env, words('link hub init --listen 127.0.0.1:4222'))

    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: expect.stringContaining('There is no openssl here'),
    })
  })

  test('neither a session nor what an agent runtime has started changes who is let in (FED-44)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const invite = words('link hub invite devbox')

    await using withToken = startOnTerminal(user.env, ['--token', 'a'.repeat(43), ...invite])
    await using inRuntime = startOnTerminal({ ...user.env, CLAUDE_CODE_SESSION_ID: 's1' }, invite)
    const piped = await agentd(user.env, invite)

    expect(await withToken.ended).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Only the person may do this, not a session'),
    })
    expect(await inRuntime.ended).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('CLAUDE_CODE_SESSION_ID says that an agent runtime'),
    })
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('Nobody can be asked here') })
    expect((await list(user.env)).nodes).toHaveLength(1)
  })

  test('a machine is invited once, into a file that only the person reads, wherever it goes (FED-14)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const file = user.dir.file('devbox.link')

    const invited = await atTerminal(user.env, ['link', 'hub', 'invite', 'devbox', '--to', file])
    const again = await agentd(user.env, words('link hub invite devbox'))
    await atTerminal(user.env, words('link hub invite ci'))
    const taken = await atTerminal(user.env, ['link', 'hub', 'invite', 'desk', '--to', file])

    expect(invited).toMatchObject({ code: 0, shown: expect.stringContaining('scp -p') })
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
    expect(readJoin(file)).toMatchObject({ node: 'devbox', realm: 'p.alice' })
    expect(readJoin(user.dir.file('config', 'agentd', 'hub', 'ci.link'))).toMatchObject({ node: 'ci' })
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is a node of this hub already') })
    expect(taken).toMatchObject({ code: 2, shown: expect.stringContaining('There is a file') })
  })

  test("what a shell's own > has made is for the person alone before anything stands in it (FED-14)", async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const file = user.dir.file('devbox.link')

    const code = await inviteInto(user.env, file)

    expect(code).toBe(0)
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
    expect(readJoin(file).node).toBe('devbox')
  })

  test('what a server needs that is there already is printed, with public keys alone (FED-12)', async () => {
    await using user = await createUser()
    await makeHub(user.env)

    const { stdout } = await agentd(user.env, words('link hub print'))

    expect(stdout).toMatch(/^# Its streams reserve \d+ octets[^\n]*\naccounts: \{\n {2}AGENTD: \{/)
    expect(stdout).toContain('agentd.v1.p.alice.f.laptop')
    expect(stdout).not.toMatch(/SU[A-Z2-7]{56}/)
  })
})

describe.runIf(hasAll.every((name) => hasProgram(name)))('with its server running', () => {
  test('the first start makes two streams, a second one leaves them as they are (FED-12)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const join = readJoin(user.dir.file('config', 'agentd', 'hub', 'laptop.link'))
    const created: string[] = []

    for (let start = 0; start < 2; start += 1) {
      await using _ = await startHub(user.env)
      const connection = await enter(join)
      const manager = await jetstreamManager(connection, { checkAPI: false })
      for (const name of ['AGENTD_P_alice', 'KV_agentd_P_alice'])
        created.push((await manager.streams.info(name)).created)
      await connection.close()
    }

    expect(created.slice(0, 2)).toEqual(created.slice(2))
  })

  test('who is invited gets in without a restart; who is revoked is cut off at once, and others stay (FED-43)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const folder = user.dir.file('config', 'agentd', 'hub')
    await using _ = await startHub(user.env)
    const invited = await atTerminal(user.env, words('link hub invite devbox'))
    const devbox = readJoin(join(folder, 'devbox.link'))
    const connection = await enter(devbox)
    const laptop = await enter(readJoin(join(folder, 'laptop.link')))

    const revoked = await atTerminal(user.env, words('link hub revoke devbox'))

    expect(invited.shown).toContain('The hub has taken it up.')
    expect(revoked.shown).toContain('"devbox" is revoked; your estate has epoch 3 now')
    await connection.closed()
    await expect(enter(devbox)).rejects.toThrow(/Authorization/i)
    expect(existsSync(join(folder, 'devbox.link'))).toBe(false)
    const { pid, ...rest } = await list(user.env)
    expect(pid).toBeGreaterThan(1)
    expect(rest).toEqual({
      authority_epoch: 3,
      nodes: [
        { node: 'devbox', state: 'revoked' },
        { node: 'laptop', state: 'invited' },
      ],
    })
    // It was never cut: who has no reconnection would be closed.
    expect(laptop.isClosed()).toBe(false)
    await laptop.close()
  })

  test('one that refuses its new configuration is not said to have taken it up, and has once it was started anew (FED-43)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    await atTerminal(user.env, words('link hub invite devbox'))
    const folder = user.dir.file('config', 'agentd', 'hub')
    const devbox = readJoin(join(folder, 'devbox.link'))
    // As an agentd has written it that told the server nothing of how much it may store: 2.9.10 takes no figure while it runs,
    // and no version another name.
    const path = join(folder, 'nats-server.conf')
    const before = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      before.replace(/, max_file_store: \d+/, '').replace(/^server_name: .*$/m, 'server_name: "old"'),
    )
    {
      await using _ = await startHub(user.env)

      const invited = await atTerminal(user.env, words('link hub invite ci'))
      const revoked = await atTerminal(user.env, words('link hub revoke devbox'))
      const told = await agentd(user.env, words('link hub tell'))

      for (const { shown } of [invited, revoked]) {
        expect(shown.replaceAll(/\s+/g, ' ')).toContain('has refused its new configuration')
        expect(shown).not.toContain('has taken it up')
      }
      expect(revoked.shown).not.toContain('is revoked')
      expect([invited.code, revoked.code, told.code]).toEqual([69, 69, 69])
      // It is as they say.
      await (await enter(devbox)).close()
    }
    await using _ = await startHub(user.env)
    await expect(enter(devbox)).rejects.toThrow(/Authorization/i)
    await (await enter(readJoin(join(folder, 'ci.link')))).close()
    expect((await agentd(user.env, words('link hub tell'))).stdout).toContain('The hub has taken it up.')
  })

  test('everybody is told first, and then who is revoked is cut off: it hears of that itself (FED-43)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    await using _ = await startHub(user.env)
    await atTerminal(user.env, words('link hub invite devbox'))
    const devbox = await enter(readJoin(user.dir.file('config', 'agentd', 'hub', 'devbox.link')))
    const { jetstream } = await import('@nats-io/jetstream')
    const consumer = await jetstream(devbox).consumers.get('KV_agentd_P_alice', {
      filter_subjects: '$KV.agentd_P_alice.>',
    })
    const messages = await consumer.consume()
    const epochs: unknown[] = []
    const heard = (async () => {
      for await (const message of messages) epochs.push(Estate.parse(message.json()).authority_epoch)
    })()

    await atTerminal(user.env, words('link hub revoke devbox'))
    await devbox.closed()
    await heard

    expect(epochs).toEqual([2, 3])
  })

  test('the estate that nodes read is the one that was signed last, with an end for who was revoked (FED-40, FED-43)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    await atTerminal(user.env, words('link hub invite devbox'))
    await using _ = await startHub(user.env)
    await atTerminal(user.env, words('link hub revoke devbox'))

    const laptop = await enter(readJoin(user.dir.file('config', 'agentd', 'hub', 'laptop.link')))
    const { jetstream } = await import('@nats-io/jetstream')
    const consumer = await jetstream(laptop).consumers.get('KV_agentd_P_alice', {
      filter_subjects: '$KV.agentd_P_alice.>',
    })
    const message = await consumer.next()
    await laptop.close()

    expect(Estate.parse(message?.json())).toEqual({
      authority_epoch: 3,
      nodes: [{ node: 'devbox', not_after: expect.any(String) }, { node: 'laptop' }],
    })
  })

  test('every estate brings a key, wrapped for whoever is in it then and nobody else (FED-43, FED-46)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    await atTerminal(user.env, words('link hub invite devbox'))
    await atTerminal(user.env, words('link hub revoke devbox'))
    await atTerminal(user.env, words('link hub invite desk'))
    const { estate } = readJoin(user.dir.file('config', 'agentd', 'hub', 'desk.link'))
    const { seals } = JSON.parse(estate)

    expect(
      seals.map(({ epoch, keys }: { epoch: number; keys: object }) => [
        epoch,
        ...Object.keys(keys).toSorted(),
      ]),
    ).toEqual([
      [1, 'laptop'],
      [2, 'devbox', 'laptop'],
      [3, 'laptop'],
      [4, 'desk', 'laptop'],
    ])
  })

  test('a second run, and a server that cannot listen, end with a sentence', async () => {
    await using user = await createUser()
    await using other = await createUser()
    const listen = await makeHub(user.env)
    await using _ = await startHub(user.env)

    const second = await agentd(user.env, words('link hub run'))
    await atTerminal(other.env, words(`link hub init --listen ${listen} --node laptop`))
    const elsewhere = await agentd(other.env, words('link hub run'))

    expect(second).toMatchObject({ code: 78, stderr: expect.stringContaining('The hub runs already') })
    expect(elsewhere.code).toBe(69)
    expect(elsewhere.stderr).toMatch(/address already in use/)
  })
})
