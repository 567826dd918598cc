/**
 * One machine is one node, with one key, whichever came first: its hub, its link, or its request to an organisation (FED-40).
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, words } from '../../support.ts'
import { addedUnasked, foundAcme, invited, linkOf, said } from './acme.ts'
import { freePort, readJoin } from './hub-support.ts'

const hasAll = (['script', 'openssl'] as const).every((name) => hasProgram(name))

describe.runIf(hasAll)('a machine that is a node already', () => {
  test('by its hub asks an organisation by the name and the key that it has, linked or not (FED-40, FED-41)', async () => {
    await using acme = await foundAcme()
    const { alice } = acme
    const join = readJoin(alice.file('config', 'agentd', 'hub', 'laptop.link'))

    await said(alice, ['org', 'request', '~acme', '--to', alice.file('x.request')])
    await said(alice, ['org', 'invite', alice.file('x.request'), '--to', alice.file('x.invitation')])
    await addedUnasked(alice, [alice.file('x.invitation'), '--allow', 'none'])
    const taken = await agentd(alice.env, ['org', 'request', '~acme', '--node', 'devbox'])

    expect(linkOf(alice)).toMatchObject({ node: 'laptop', node_key: join.node_key })
    expect(taken.stderr).toContain('This machine is "laptop" among those of ~alice already')
  })

  test('by a request is the same one to the hub that is made afterwards, and no other machine gets its name (FED-40)', async () => {
    await using user = await createUser()
    const person = { env: user.env, file: (...names: readonly string[]) => user.dir.file(...names) }
    const listen = `127.0.0.1:${await freePort()}`
    await said(person, ['org', 'init', '~acme', '--role', 'dev'])
    await said(person, ['org', 'request', '~acme', '--node', 'box', '--to', person.file('x.request')])
    const pending = JSON.parse(
      readFileSync(person.file('state', 'links', '.pending', 'o.acme', 'pending.json'), 'utf8'),
    )

    const other = await agentd(user.env, words(`link hub init --listen ${listen} --node laptop`))
    await said(person, words(`link hub init --listen ${listen}`))
    const again = await agentd(user.env, words('link hub invite box'))

    expect(other.stderr).toContain('This machine is "box" among yours already; leave out --node laptop.')
    const join = readJoin(person.file('config', 'agentd', 'hub', 'box.link'))
    expect(join.node_key).toBe(pending.node_key)
    expect(again.stderr).toContain('"box" is a node of this hub already')
  })

  test('of another name than any of its person’s other machines, whose key nobody replaces', async () => {
    await using acme = await foundAcme()
    const { alice } = acme
    await said(alice, words('link hub invite devbox'))
    await said(alice, words('link hub revoke laptop'))

    const { code, stderr } = await agentd(alice.env, words('org request ~acme --node devbox'))

    expect(code).toBe(2)
    expect(stderr).toContain('Your hub has a machine "devbox" already.')
  })

  test('and leaves an organisation is told who lets it in no more, and how it comes back', async () => {
    await using acme = await foundAcme()
    const { bob } = acme
    await said(bob, ['link', 'add', await invited(acme), '--allow', 'none'])

    const { shown } = await atTerminal(bob.env, words('link remove acme'))

    const text = shown.replaceAll(/\s+/g, ' ')
    expect(text).toContain('Adding it again takes another request: agentd org request ~acme')
    expect(text).toContain(
      'You stay what you were in ~acme; whoever keeps its hub lets this machine in no more with: agentd link hub revoke ~bob/box',
    )
    expect(text).not.toContain('estate')
  })
})
