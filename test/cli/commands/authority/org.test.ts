/**
 * `agentd org` (AC-120, AC-121, AC-125; FED-40, FED-44), which needs no daemon.
 */
import { chmodSync, lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, startOnTerminal, words, type Env } from '../../support.ts'

const Shown = z.object({
  org: z.string(),
  authority_epoch: z.int(),
  state: z.string(),
  members: z.array(z.object({ handle: z.string(), roles: z.array(z.string()) })),
})
const Listed = z.object({
  organisations: z.array(z.object({ org: z.string(), refusal: z.string().nullable() })),
})

async function show(env: Env) {
  const { members, authority_epoch: epoch } = Shown.parse(
    JSON.parse((await agentd(env, words('org show --json'))).stdout),
  )
  return { epoch, members: members.map(({ handle, roles }) => `${handle} ${roles.join()}`) }
}

async function refusals(env: Env) {
  const { organisations } = Listed.parse(JSON.parse((await agentd(env, words('org list --json'))).stdout))
  return organisations.map(({ org, refusal }) => `${org}: ${refusal}`)
}

describe.runIf(hasProgram('script'))('at a terminal', () => {
  test('an organisation is founded, gets members with roles, and loses them; each step is an epoch (FED-40)', async () => {
    await using user = await createUser()

    const founded = await atTerminal(user.env, words('org init ~acme --role owner,dev'))
    await atTerminal(user.env, words('org member add ~bob --role dev'))
    await atTerminal(user.env, words('org member add ~bob --role ops'))
    const withBob = await show(user.env)
    await atTerminal(user.env, words('org member remove ~bob'))

    expect(founded).toMatchObject({
      code: 0,
      shown: expect.stringContaining('founded ~acme; ~alice is its first member'),
    })
    expect(withBob).toEqual({ epoch: 3, members: ['~alice owner,dev', '~bob ops'] })
    expect(await show(user.env)).toEqual({ epoch: 4, members: ['~alice owner,dev'] })
    const folder = user.dir.file('state', 'authority')
    expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    expect(
      readdirSync(folder).map(
        (name) => `${name} ${(lstatSync(`${folder}/${name}`).mode & 0o777).toString(8)}`,
      ),
    ).toEqual(['charter.acme.accepted.json 600', 'charter.acme.json 600'])
  })

  test('a no changes nothing, and makes no key', async () => {
    await using user = await createUser()

    const { code, shown } = await atTerminal(user.env, words('org init ~acme'), 'n')

    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining('nothing was changed') })
    expect((await agentd(user.env, words('org list'))).stdout).toContain('there are no organisations')
    expect((await agentd(user.env, words('keys list'))).stdout).toContain('there are no keys')
  })

  test('a charter is handed over, and taken by who trusts the key; a changed one never (FED-40)', async () => {
    await using acme = await createUser()
    await using bob = await createUser()
    await atTerminal(acme.env, words('org init ~acme'))
    const { stdout: keys } = await agentd(acme.env, words('keys list --json'))
    const { kid } = z.object({ keys: z.array(z.object({ kid: z.string() })) }).parse(JSON.parse(keys))
      .keys[0] ?? { kid: '' }
    const key = bob.dir.file('key.json')
    writeFileSync(key, (await agentd(acme.env, ['keys', 'export', kid])).stdout, { mode: 0o600 })
    const file = bob.dir.file('acme.json')
    writeFileSync(file, (await agentd(acme.env, words('org show --document'))).stdout, { mode: 0o600 })

    const untrusted = await atTerminal(bob.env, ['org', 'install', file])
    await atTerminal(bob.env, ['keys', 'trust', key])
    const trusted = await atTerminal(bob.env, ['org', 'install', file])
    writeFileSync(file, readFileSync(file, 'utf8').replace('~alice', '~mallory'))
    const changed = await atTerminal(bob.env, ['org', 'install', file])

    expect(untrusted).toMatchObject({
      code: 1,
      shown: expect.stringContaining('is trusted here to sign for ~acme'),
    })
    expect(trusted).toMatchObject({
      code: 0,
      shown: expect.stringContaining('~acme has the charter of epoch 1 now'),
    })
    expect(changed).toMatchObject({ code: 1, shown: expect.stringContaining('is not what ~acme has signed') })
    expect(await show(bob.env)).toEqual({ epoch: 1, members: ['~alice owner'] })
  })

  test('an older charter is refused for ever, also after the newer one was taken away (FED-40)', async () => {
    await using user = await createUser()
    await atTerminal(user.env, words('org init ~acme'))
    const old = user.dir.file('old.json')
    writeFileSync(old, (await agentd(user.env, words('org show --document'))).stdout, { mode: 0o600 })
    await atTerminal(user.env, words('org member add ~bob'))

    const back = await atTerminal(user.env, ['org', 'install', old])
    await atTerminal(user.env, words('org remove ~acme'))
    const after = await atTerminal(user.env, ['org', 'install', old])
    await atTerminal(user.env, words('org init ~acme'))

    expect(back).toMatchObject({ code: 1, shown: expect.stringContaining('epoch 2 was accepted before') })
    expect(after).toMatchObject({ code: 1, shown: expect.stringContaining('epoch 2 was accepted before') })
    expect(await show(user.env)).toMatchObject({ epoch: 3 })
  })

  test('one that was removed comes not back by a file that cannot be read, and is installed again as it was (FED-40)', async () => {
    await using user = await createUser()
    await atTerminal(user.env, words('org init ~acme'))
    const kept = user.dir.file('kept.json')
    writeFileSync(kept, (await agentd(user.env, words('org show --document'))).stdout, { mode: 0o600 })
    await atTerminal(user.env, words('org remove ~acme'))
    const file = user.dir.file('state', 'authority', 'charter.acme.json')
    writeFileSync(file, '{', { mode: 0o600 })

    const broken = await agentd(user.env, words('org show ~acme'))
    const back = await atTerminal(user.env, ['org', 'install', kept])
    writeFileSync(file, '{', { mode: 0o600 })

    expect(broken.code).not.toBe(0)
    expect(back).toMatchObject({ code: 0 })
    expect(await show(user.env)).toEqual({ epoch: 1, members: ['~alice owner'] })
  })

  test('a file that somebody edits is refused with the reason, and the former charter shown (FED-40)', async () => {
    await using user = await createUser()
    await atTerminal(user.env, words('org init ~acme'))
    const file = user.dir.file('state', 'authority', 'charter.acme.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('~alice', '~mallory'))

    expect(await refusals(user.env)).toEqual([expect.stringContaining('is not what ~acme has signed')])
    expect(await show(user.env)).toEqual({ epoch: 1, members: ['~alice owner'] })
  })
})

describe('without the person', () => {
  test.each([
    [words('org init ~acme')],
    [words('org remove ~acme')],
    [words('keys new --for ~acme')],
    [words('handles add ~alice-work')],
    [words('accord sign accord.json')],
    [words('accord install accord.json')],
    [words('accord revoke ~globex')],
  ])('%j is refused where nobody sits at a terminal, and nothing is made (FED-44)', async (args) => {
    await using user = await createUser()

    const { code, stderr } = await agentd(user.env, args, 'y\n')

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('run this at a terminal') })
    expect(() => readdirSync(user.dir.file('state'))).toThrow('ENOENT')
  })

  test.runIf(hasProgram('script')).each([
    [{ AGENTD_TOKEN: 'a-token' }, /not a session; leave out --token and unset AGENTD_TOKEN/],
    [{ CLAUDE_CODE_SESSION_ID: 'abc' }, /CLAUDE_CODE_SESSION_ID says that an agent runtime has started it/],
  ])('with %j it is refused on a terminal too (FED-44)', async (variables, sentence) => {
    await using user = await createUser()
    for (const args of [
      words('org init ~acme'),
      words('keys new --for ~acme'),
      words('handles add ~alice-work'),
      words('accord sign accord.json'),
      words('accord install accord.json'),
      words('accord revoke ~globex'),
    ]) {
      await using running = startOnTerminal({ ...user.env, ...variables }, args)
      const { code, stdout } = await running.ended
      expect({ code, stdout: stdout.replaceAll(/\s+/g, ' ') }).toEqual({
        code: 2,
        stdout: expect.stringMatching(sentence),
      })
    }
    expect(() => readdirSync(user.dir.file('state'))).toThrow('ENOENT')
  })

  test('a key for entities is made as before, and one for a handle only by --for (FED-44)', async () => {
    await using user = await createUser()

    expect(await agentd(user.env, words('keys new ~acme'))).toMatchObject({ code: 2 })
    expect(await agentd(user.env, words('keys new agent.a --for ~acme'))).toMatchObject({ code: 2 })
    expect(await agentd(user.env, words('keys new'))).toMatchObject({ code: 2 })
    expect(await agentd(user.env, words('keys new agent.a'))).toMatchObject({ code: 0 })
  })
})

describe.runIf(hasProgram('script'))('the folder', () => {
  test('open to others, or with a link in it, it is refused with 78 and not repaired (R-02)', async () => {
    await using user = await createUser()
    await atTerminal(user.env, words('org init ~acme'))
    const folder = user.dir.file('state', 'authority')
    symlinkSync('charter.acme.json', `${folder}/charter.globex.json`)

    expect(await agentd(user.env, words('org list'))).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('symbolic link'),
    })

    chmodSync(folder, 0o755)
    expect(await agentd(user.env, words('org list'))).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('must be 0700'),
    })
    expect(lstatSync(folder).mode & 0o777).toBe(0o755)
  })
})

describe.runIf(hasProgram('script'))('handles', () => {
  test('a further handle is declared, listed and taken back; how it begins is only noted (ACQ-11)', async () => {
    await using user = await createUser()

    await atTerminal(user.env, words('handles add ~alice-work'))
    const noted = await atTerminal(user.env, words('handles add ~claude-dupont'))
    await atTerminal(user.env, words('handles add ~cc-opus --tier instrument --of ~alice-work'))
    const { stdout } = await agentd(user.env, words('handles list'))
    await atTerminal(user.env, words('handles remove ~claude-dupont'))

    expect(noted).toMatchObject({
      code: 0,
      shown: expect.stringContaining('begins as the handles of instruments mostly do'),
    })
    expect(stdout).toMatch(
      /~alice +sovereign\s+~alice-work +sovereign\s+~claude-dupont +sovereign\s+~cc-opus +instrument +~alice-work/,
    )
    expect((await agentd(user.env, words('handles list'))).stdout).not.toContain('~claude-dupont')
    const removed = await agentd(user.env, words('handles remove ~alice-work'))
    expect(removed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be one of the Sovereign handles here'),
    })
  })
})
