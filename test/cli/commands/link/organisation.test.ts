/**
 * `agentd org request`, `invite` and `publish`, and `agentd link add` of an invitation (FED-14, FED-40, FED-41, FED-44): real
 * terminals, and a real nats-server.
 */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, startOnTerminal, words } from '../../support.ts'
import { HubList, addedUnasked, enterAs, foundAcme, invited, linkOf, said, type Person } from './acme.ts'
import { startHub } from './hub-support.ts'

const hasAll = (['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name))

async function realmsOf({ env }: Person) {
  return HubList.parse(JSON.parse((await agentd(env, words('link hub list --json'))).stdout)).realms
}

/** What the server answers when a node asks it for something. */
async function isAllowed(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (/permissions violation|timeout|no responders/i.test(String(error))) return false
    throw error
  }
}

describe.runIf(hasAll)('a machine of a member', () => {
  test('is let in by two files without a secret, and keeps what it made to itself (FED-14, FED-44)', async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    const invitation = await invited(acme)
    const pendingPath = bob.file('state', 'links', '.pending', 'o.acme', 'pending.json')
    const pendingMode = lstatSync(pendingPath).mode & 0o777

    const shown = await said(bob, ['link', 'add', invitation, '--allow', 'none'])

    expect(pendingMode).toBe(0o600)
    expect(existsSync(pendingPath)).toBe(false)
    const link = linkOf(bob)
    expect(link).toMatchObject({ realm: 'o.acme', handle: '~bob', node: 'box' })
    for (const file of [bob.file('x.request'), invitation]) {
      const text = readFileSync(file, 'utf8')
      expect(text).not.toContain(link.credential.nkey)
      expect(text).not.toContain(link.node_key)
    }
    expect(shown.replaceAll(/\s+/g, ' ')).toMatch(
      /Take the charter of ~acme \(epoch 2, 2 members\)\? The key of ~acme is ([0-9a-f]{4} ?){8}/,
    )
    expect((await agentd(bob.env, words('org show ~acme'))).stdout).toContain('~bob')
    expect(await realmsOf(alice)).toEqual([
      { realm: 'o.acme', nodes: [{ node: '~bob/box', state: 'invited', reads: 'all, r-dev, m-bob' }] },
    ])
  })

  test('has a link that leads to others and is not sealed, which is said, and it stays as it was (FED-46)', async () => {
    await using acme = await foundAcme()
    const { bob } = acme
    await said(bob, ['link', 'add', await invited(acme), '--allow', 'none'])

    const { code, stderr } = await agentd(bob.env, words('link allow acme --seal'))
    const { stdout } = await agentd(bob.env, words('link allow acme --json'))

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        '--seal is for links between your own machines; this one leads to others.',
      ),
    })
    expect(JSON.parse(stdout)).not.toHaveProperty('seal')
  })

  test('is not asked for a charter that is here already, or a newer one, which is named and used; else it is (FED-40)', async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    // Whoever adds a link waits for its hub.
    await using _ = await startHub(alice.env)
    const hers = await invited(acme, alice, 'ops')
    const his = await invited(acme)

    const noted = await addedUnasked(alice, [hers, '--allow', 'none'])
    await said(bob, ['link', 'add', his, '--allow', 'none'])
    await agentd(bob.env, words('link remove acme --yes'))
    const [request, again] = [bob.file('second.request'), bob.file('second.invitation')]
    await said(bob, ['org', 'request', '~acme', '--node', 'box', '--to', request])
    await said(alice, ['org', 'invite', request, '--role', 'ops', '--to', again])
    const asked = await atTerminal(bob.env, ['link', 'add', again, '--allow', 'none'], 'n')

    expect(noted).toContain(
      'The charter of ~acme (epoch 3, 2 members) is here already, by the same key, and is used.',
    )
    expect(linkOf(alice)).toMatchObject({ realm: 'o.acme', node: 'laptop' })
    expect(asked.shown.replaceAll(/\s+/g, ' ')).toContain('Take the charter of ~acme (epoch 4, 2 members)?')
  })

  test('asks as often as it likes and is the same one; a further role needs no further key', async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    await invited(acme)
    const first = readFileSync(bob.file('x.request'), 'utf8')

    const again = bob.file('again.request')
    await said(bob, ['org', 'request', '~acme', '--to', again])
    await said(alice, ['org', 'invite', again, '--role', 'dev,ops', '--to', alice.file('again')])

    expect(readFileSync(again, 'utf8')).toBe(first)
    expect((await realmsOf(alice))?.[0]?.nodes).toEqual([
      { node: '~bob/box', state: 'invited', reads: 'all, r-dev, r-ops, m-bob' },
    ])
  })

  test('is not let in with another key of its person, nor added where nobody asked (FED-41)', async () => {
    await using acme = await foundAcme()
    await using other = await foundAcme()
    const { alice, bob } = acme
    const invitation = await invited(acme)
    const request = other.bob.file('other.request')
    await said(other.bob, ['org', 'request', '~acme', '--node', 'desk', '--to', request])

    const another = await agentd(alice.env, ['org', 'invite', request])
    const elsewhere = await agentd(other.bob.env, ['link', 'add', invitation])
    const forged = bob.file('forged')
    writeFileSync(forged, readFileSync(invitation, 'utf8').replace('127.0.0.1', '10.66.66.1'))
    const changed = await agentd(bob.env, ['link', 'add', forged])

    expect(another).toMatchObject({ code: 2, stderr: expect.stringContaining('names another key of ~bob') })
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('asked as ~bob/desk') })
    expect(changed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not what its key has signed'),
    })
  })

  test('is let in by nobody but a person at a terminal, and by nobody without the key or the hub (FED-44)', async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    await invited(acme)
    const invite = ['org', 'invite', bob.file('x.request')]

    const piped = await agentd(alice.env, invite)
    await using withToken = startOnTerminal(alice.env, ['--token', 'a'.repeat(43), ...invite])
    await using inRuntime = startOnTerminal(
      { ...bob.env, CLAUDE_CODE_SESSION_ID: 's1' },
      words('org request ~acme'),
    )
    const noHub = await agentd(bob.env, invite)
    const { code, shown } = await atTerminal(
      alice.env,
      [...invite, '--role', 'ops', '--to', bob.file('no')],
      'n',
    )

    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('Nobody can be asked here') })
    expect((await withToken.ended).stdout).toContain('Only the person may do this, not a session')
    expect((await inRuntime.ended).stdout).toContain('says that an agent runtime')
    expect(noHub).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no hub of yours here') })
    expect([code, shown.includes('nothing was changed'), existsSync(bob.file('no'))]).toEqual([
      0,
      true,
      false,
    ])
  })
})

describe.runIf(hasAll)('the hub of an organisation', () => {
  test('has it write its own lanes and read what its roles may, and nothing else (FED-13, FED-42)', async () => {
    await using acme = await foundAcme()
    await using _ = await startHub(acme.alice.env)
    await said(acme.bob, ['link', 'add', await invited(acme), '--allow', 'none'])
    const connection = await enterAs(linkOf(acme.bob))
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 })
    const violations: string[] = []
    const status = connection.status()
    const told = (async () => {
      for await (const event of status) if (event.type === 'error') violations.push(event.error.message)
    })()
    const read = (audience: string): Promise<boolean> =>
      isAllowed(() =>
        manager.consumers.add('AGENTD_O_acme', {
          name: `reader-${audience}`,
          filter_subject: `agentd.v1.o.acme.${audience}.>`,
        }),
      )

    const mayRead = Object.fromEntries(
      await Promise.all(
        ['all', 'r-dev', 'm-bob', 'r-ops', 'm-alice'].map(async (one) => [one, await read(one)]),
      ),
    )
    for (const lane of ['all.bob.box', 'r-ops.bob.box', 'all.alice.laptop', 'all.bob.other'])
      connection.publish(`agentd.v1.o.acme.${lane}`, 'x')
    for (const key of ['member.bob.box', 'charter', 'member.alice.laptop'])
      connection.publish(`$KV.agentd_O_acme.${key}`, 'x')
    await connection.flush()
    await connection.close()
    await told

    expect(mayRead).toEqual({ all: true, 'r-dev': true, 'm-bob': true, 'r-ops': false, 'm-alice': false })
    const refused = violations.flatMap((one) => /Publish to "([^"]+)"/i.exec(one)?.[1] ?? [])
    expect(refused.filter((one) => !one.startsWith('$JS')).toSorted()).toEqual([
      '$KV.agentd_O_acme.charter',
      '$KV.agentd_O_acme.member.alice.laptop',
      'agentd.v1.o.acme.all.alice.laptop',
      'agentd.v1.o.acme.all.bob.other',
    ])
  })

  test('hands a new charter to everybody, and then cuts off who is no member (FED-43)', async () => {
    await using acme = await foundAcme()
    await using _ = await startHub(acme.alice.env)
    await said(acme.bob, ['link', 'add', await invited(acme), '--allow', 'none'])
    const connection = await enterAs(linkOf(acme.bob))
    const { jetstream } = await import('@nats-io/jetstream')
    const consumer = await jetstream(connection).consumers.get('KV_agentd_O_acme', {
      filter_subjects: '$KV.agentd_O_acme.>',
    })
    const epochs: unknown[] = []
    const messages = await consumer.consume()
    const heard = (async () => {
      for await (const message of messages) {
        const value: unknown = JSON.parse(message.string())
        if (message.subject.endsWith('.charter')) epochs.push(Reflect.get(Object(value), 'authority_epoch'))
      }
    })()

    const shown = await said(acme.alice, words('org member remove ~bob'))
    await connection.closed()
    await heard

    expect(shown).toContain('The hub has taken it up.')
    expect(epochs).toEqual([2, 3])
    await expect(enterAs(linkOf(acme.bob))).rejects.toThrow(/Authorization/i)
    expect(await realmsOf(acme.alice)).toEqual([{ realm: 'o.acme', nodes: [] }])
  })

  test('cuts one machine off and leaves its person a member; and lets in whom the charter names again', async () => {
    await using acme = await foundAcme()
    const { alice, bob } = acme
    await invited(acme)

    const unknown = await agentd(alice.env, words('link hub revoke ~bob/other'))
    const shown = await said(alice, words('link hub revoke ~bob/box'))
    const revoked = await realmsOf(alice)
    const published = await agentd(alice.env, words('org publish ~acme'))
    await said(alice, ['org', 'invite', bob.file('x.request'), '--to', bob.file('once-more')])

    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('lets no machine "~bob/other" in'),
    })
    expect(shown).toContain('~bob/box is let in to ~acme no more')
    expect(revoked).toEqual([{ realm: 'o.acme', nodes: [] }])
    expect(published).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the charter of ~acme has epoch 2'),
    })
    expect((await agentd(bob.env, words('org publish ~acme'))).stderr).toContain(
      'There is no hub of ~acme here',
    )
    expect((await realmsOf(alice))?.[0]?.nodes).toEqual([
      { node: '~bob/box', state: 'invited', reads: 'all, r-dev, m-bob' },
    ])
  })
})
