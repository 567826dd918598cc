/**
 * `agentd accord` (AC-122, AC-126, AC-127; FED-40), which needs no daemon; who may not use it is in org.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, startOnTerminal, words, type Env } from '../../support.ts'

const DRAFT = 'accord draft --grant support --reach role:support --kinds query,response'
const UNTIL = '--until 2999-01-01T00:00:00Z'

const Listed = z.object({
  accords: z.array(
    z.object({
      accord: z.string(),
      authority_epoch: z.int().nullable(),
      state: z.string(),
      grants: z.array(z.object({ grant: z.string(), per_minute: z.int(), in_words: z.string() })),
      refusal: z.string().nullable(),
    }),
  ),
})

type User = Awaited<ReturnType<typeof createUser>>

async function listed(env: Env) {
  return Listed.parse(JSON.parse((await agentd(env, words('accord list --json'))).stdout)).accords
}

/** Gives a user's public key of an organisation to another, who trusts it. */
async function giveKey(org: string, from: User, to: User): Promise<void> {
  const { stdout } = await agentd(from.env, words('keys list --json'))
  const Keys = z.object({ keys: z.array(z.object({ kid: z.string(), entities: z.array(z.string()) })) })
  const kid = Keys.parse(JSON.parse(stdout)).keys.find(({ entities }) => entities.includes(org))?.kid ?? ''
  const file = to.dir.file(`${kid}.json`)
  writeFileSync(file, (await agentd(from.env, ['keys', 'export', kid])).stdout, { mode: 0o600 })
  await atTerminal(to.env, ['keys', 'trust', file])
}

/** Two organisations on two machines, which trust each other's key, and where a draft lies. */
async function twoSides() {
  const [acme, globex] = [await createUser(), await createUser()]
  await atTerminal(acme.env, words('org init ~acme'))
  await atTerminal(globex.env, words('org init ~globex'))
  await giveKey('~acme', acme, globex)
  await giveKey('~globex', globex, acme)
  const release = async (): Promise<void> => {
    for (const user of [acme, globex]) await user[Symbol.asyncDispose]()
  }
  return { acme, globex, file: acme.dir.file('accord.json'), [Symbol.asyncDispose]: release }
}

async function draft({ env }: User, file: string, line = `${DRAFT} --with ~globex ${UNTIL}`) {
  const drafted = await agentd(env, words(line))
  writeFileSync(file, drafted.stdout, { mode: 0o600 })
  return drafted
}

describe.runIf(hasProgram('script'))('two sides', () => {
  test('draft, sign one after the other, and each installs the same text; one signature is not enough (FED-40)', async () => {
    await using sides = await twoSides()
    const { acme, globex, file } = sides

    const drafted = await draft(acme, file)
    const unsigned = await atTerminal(acme.env, ['accord', 'install', file])
    const signed = await atTerminal(acme.env, ['accord', 'sign', file])
    const half = await atTerminal(acme.env, ['accord', 'install', file])
    const countersigned = await atTerminal(globex.env, ['accord', 'sign', file])
    const installed = [acme, globex].map(({ env }) => atTerminal(env, ['accord', 'install', file]))

    expect(drafted.stderr).toContain('Nobody has signed it.')
    expect(unsigned).toMatchObject({ code: 1, shown: expect.stringContaining('~acme has not signed') })
    expect(signed.shown.replaceAll(/\s+/g, ' ')).toContain(
      'members of ~acme may send agent_query, agent_response to ~globex (its members in the role support), at most 60 a minute, each of at most 16384 octets (accord:~globex/grant:support)',
    )
    expect(half).toMatchObject({ code: 1, shown: expect.stringContaining('~globex has not signed') })
    expect(countersigned).toMatchObject({ code: 0, shown: expect.stringContaining('Signed by ~acme.') })
    for (const { code } of await Promise.all(installed)) expect(code).toBe(0)
    for (const { env } of [acme, globex])
      expect(await listed(env)).toMatchObject([
        { accord: 'acme_globex', authority_epoch: 1, state: 'in force', refusal: null },
      ])
  })

  test('a further grant is another epoch with all before it; a changed text and an older one are refused (FED-40)', async () => {
    await using sides = await twoSides()
    const { acme, globex, file } = sides
    await draft(acme, file)
    for (const { env } of [acme, globex]) await atTerminal(env, ['accord', 'sign', file])
    const old = readFileSync(file, 'utf8')
    await atTerminal(acme.env, ['accord', 'install', file])

    await draft(
      acme,
      file,
      'accord draft --with ~globex --grant news --from ~globex --reach all --kinds agent_advisory --per-minute 5',
    )
    for (const { env } of [acme, globex]) await atTerminal(env, ['accord', 'sign', file])
    const next = readFileSync(file, 'utf8')
    writeFileSync(file, next.replace('"per_minute":5', '"per_minute":500'))
    const changed = await atTerminal(acme.env, ['accord', 'install', file])
    writeFileSync(file, next)
    const taken = await atTerminal(acme.env, ['accord', 'install', file])
    writeFileSync(file, old)
    const back = await atTerminal(acme.env, ['accord', 'install', file])

    expect(changed).toMatchObject({ code: 1, shown: expect.stringContaining('is not what ~acme has signed') })
    expect(taken.code).toBe(0)
    expect(back).toMatchObject({ code: 1, shown: expect.stringContaining('epoch 2 was accepted before') })
    const [accord] = await listed(acme.env)
    expect(accord?.grants.map(({ grant, per_minute }) => `${grant} ${per_minute}`)).toEqual([
      'support 60',
      'news 5',
    ])
  })

  test('what was revoked is never taken again, and the next draft begins anew above it (FED-40)', async () => {
    await using sides = await twoSides()
    const { acme, globex, file } = sides
    await draft(acme, file)
    for (const { env } of [acme, globex]) await atTerminal(env, ['accord', 'sign', file])
    await atTerminal(acme.env, ['accord', 'install', file])

    const kept = await atTerminal(acme.env, words('accord revoke ~globex'), 'n')
    const before = await listed(acme.env)
    const revoked = await atTerminal(acme.env, words('accord revoke ~globex'))
    const back = await atTerminal(acme.env, ['accord', 'install', file])
    const drafted = await draft(acme, file)

    expect(kept.shown).toContain('nothing was changed')
    expect(before).toMatchObject([{ state: 'in force' }])
    expect(revoked).toMatchObject({ code: 0, shown: expect.stringContaining('nothing up to epoch 1') })
    expect(await listed(acme.env)).toMatchObject([{ state: 'revoked', grants: [] }])
    expect(back).toMatchObject({ code: 1, shown: expect.stringContaining('epoch 1 was revoked') })
    expect(JSON.parse(drafted.stdout)).toMatchObject({ authority_epoch: 2 })
  })

  test('who holds no key that it names signs nothing (FED-44)', async () => {
    await using sides = await twoSides()
    await using other = await createUser()
    await atTerminal(other.env, words('org init ~globex'))
    await draft(sides.acme, sides.file)

    await using running = startOnTerminal(other.env, ['accord', 'sign', sides.file])
    const { code, stdout } = await running.ended

    expect({ code, stdout: stdout.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 2,
      stdout: expect.stringContaining(
        'No key that this accord names is here to sign with for ~acme or ~globex',
      ),
    })
    expect(JSON.parse(readFileSync(sides.file, 'utf8'))).toMatchObject({ sigs: [] })
  })
})

describe('a draft', () => {
  test.each([
    [`${DRAFT} --with ~globex ${UNTIL}`, /Say for which organisation you speak/],
    [`${DRAFT} --with ~globex --org ~acme ${UNTIL}`, /You do not sign for ~acme here/],
    [`${DRAFT} --with globex! ${UNTIL}`, /"globex!" is no organisation/],
    [`accord draft --with ~globex`, /--grant/],
  ])('%j says what is missing (FED-40)', async (line, why) => {
    await using user = await createUser()

    expect(await agentd(user.env, words(line))).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
  })

  test.runIf(hasProgram('script'))(
    'needs the other side’s key, an end, and what there is (FED-40)',
    async () => {
      await using sides = await twoSides()
      const { acme, file } = sides
      const why = async (line: string): Promise<string> => (await draft(acme, file, line)).stderr

      expect(await why(`${DRAFT} --with ~initech ${UNTIL}`)).toContain('No key of ~initech is trusted here')
      expect(await why(`${DRAFT} --with ~globex`)).toContain('An accord always ends')
      expect(await why(`${DRAFT},everything --with ~globex ${UNTIL}`)).toContain('is no kind of frame')
      expect(await why(`${DRAFT} --with ~globex ${UNTIL} --per-minute 60001`)).toContain('from 1 to 60000')
      expect(await why(`${DRAFT} --with ~globex ${UNTIL} --from ~mallory`)).toContain(
        '--from is one of the two',
      )
    },
  )
})
