/**
 * `agentd keys` (AEE-044…AEE-051, AEE-086), which needs no daemon.
 */
import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readKey } from '../../../../src/aee/keys/key.ts'
import { agentd, createUser, type Env } from '../../support.ts'

const Described = z.object({
  kid: z.string(),
  alg: z.string(),
  entities: z.array(z.string()),
  status: z.string(),
  state: z.string(),
  not_before: z.string().nullable(),
  not_after: z.string().nullable(),
  can_sign: z.boolean(),
  public: z.string().nullable(),
})
const Made = Described.extend({ file: z.string() })
const Listed = z.object({ keys: z.array(Described), faults: z.array(z.string()) })

/** Makes a key and returns what programs are told of it. */
async function makeKey(env: Env, ...args: readonly string[]) {
  const { code, stdout, stderr } = await agentd(env, ['keys', 'new', ...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return Made.parse(JSON.parse(stdout))
}

async function listKeys(env: Env) {
  return Listed.parse(JSON.parse((await agentd(env, ['keys', 'list', '--json'])).stdout))
}

/** The secret parts of a key file. */
function secretsOf(file: string): readonly string[] {
  const { private: d, secret } = z
    .object({ private: z.string().optional(), secret: z.string().optional() })
    .parse(JSON.parse(readFileSync(file, 'utf8')))
  return [d, secret].filter((part) => part !== undefined)
}

test('a new key is one private file, and is told of without its private part', async () => {
  await using user = await createUser()

  const { code, stdout, stderr } = await agentd(user.env, [
    'keys',
    'new',
    'agent.a',
    'agent.a.*',
    '--kid',
    'k1',
  ])
  const file = user.dir.file('state', 'keys', 'k1.json')

  expect({ code, stdout }).toEqual({ code: 0, stdout: 'made the key k1 (ed25519) for agent.a, agent.a.*\n' })
  expect(stderr).toContain('agentd keys export k1')
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
  expect(lstatSync(user.dir.file('state', 'keys')).mode & 0o777).toBe(0o700)
  expect(readKey(readFileSync(file, 'utf8'))).toMatchObject({ kid: 'k1', alg: 'ed25519', canSign: true })
  expect(existsSync(user.dir.file('agentd.sock'))).toBe(false)
})

test.each(['ed25519', 'HS256'])(
  'nothing any command prints holds the private part of a key of %s',
  async (alg) => {
    await using user = await createUser()
    const { kid, file } = await makeKey(user.env, 'agent.a', '--alg', alg)
    const secrets = secretsOf(file)
    const printed: string[] = []

    for (const args of [
      ['list', '--json'],
      ['export', kid],
      ['export', kid, '--json'],
      ['revoke', kid, '--yes'],
    ]) {
      const { stdout, stderr } = await agentd(user.env, ['keys', ...args])
      printed.push(stdout, stderr)
    }

    expect(secrets).toHaveLength(1)
    expect(printed.join('')).toContain(kid)
    for (const secret of secrets) expect(printed.join('')).not.toContain(secret.slice(0, 8))
  },
)

test('without an id a key gets one of its day, and its times stand in the list', async () => {
  await using user = await createUser()
  const { kid } = await makeKey(
    user.env,
    'agent.a',
    '--not-before',
    '2020-01-01T00:00:00Z',
    '--not-after',
    '2020-02-01T01:00:00+01:00',
  )

  const { stdout } = await agentd(user.env, ['keys', 'list'])

  expect(kid).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}$/)
  expect(stdout).toMatch(/^KEY +BY +USE +STATE +VALID +FOR\n/)
  expect(stdout).toMatch(/ed25519 +signs +expired +2020-01-01 to 2020-02-01 +agent\.a\n$/)
  expect((await listKeys(user.env)).keys).toMatchObject([
    { kid, status: 'trusted', state: 'expired', not_after: '2020-02-01T00:00:00.000Z' },
  ])
})

test('a key is handed over and trusted: one signs, the other verifies', async () => {
  await using alice = await createUser()
  await using bob = await createUser()
  const { kid, file } = await makeKey(alice.env, 'agent.zoë')

  const exported = await agentd(alice.env, ['keys', 'export', kid])
  const trusted = await agentd(bob.env, ['keys', 'trust', '-'], exported.stdout)

  expect(exported).toMatchObject({ code: 0, stderr: '' })
  expect(trusted).toEqual({ code: 0, stdout: `trusted the key ${kid} (ed25519) for agent.zoë\n`, stderr: '' })
  const theirs = readKey(readFileSync(bob.dir.file('state', 'keys', `${kid}.json`), 'utf8'))
  const bytes = Buffer.from('what is signed')
  expect(theirs.verify(bytes, readKey(readFileSync(file, 'utf8')).sign(bytes))).toBe(true)
  expect((await listKeys(bob.env)).keys).toMatchObject([{ kid, can_sign: false, entities: ['agent.zoë'] }])
})

test('what --json exports is trusted too, from a file', async () => {
  await using user = await createUser()
  await using other = await createUser()
  const { kid } = await makeKey(user.env, 'agent.a')
  const handed = other.dir.file('handed.json')
  writeFileSync(handed, (await agentd(user.env, ['keys', 'export', kid, '--json'])).stdout, { mode: 0o644 })

  const trusted = await agentd(other.env, ['keys', 'trust', handed, '--json'])

  expect(trusted).toMatchObject({ code: 0, stderr: '' })
  expect(Made.parse(JSON.parse(trusted.stdout))).toMatchObject({ kid, can_sign: false })
})

test('a key of HS256 is handed over as its file, and says so', async () => {
  await using user = await createUser()
  await using other = await createUser()
  const { kid, file } = await makeKey(user.env, 'agent.a', '--alg', 'HS256')

  const exported = await agentd(user.env, ['keys', 'export', kid])
  const trusted = await agentd(other.env, ['keys', 'trust', file])

  expect(exported).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(file) })
  expect(trusted).toMatchObject({ code: 0, stdout: `trusted the key ${kid} (HS256) for agent.a\n` })
})

test('somebody’s private key is not taken in', async () => {
  await using user = await createUser()
  await using other = await createUser()
  const { file } = await makeKey(user.env, 'agent.a')

  const { code, stderr } = await agentd(other.env, ['keys', 'trust', file])

  expect(code).toBe(2)
  expect(stderr).toContain('agentd keys export')
  expect(existsSync(other.dir.file('state', 'keys'))).toBe(false)
})

test('a second key of one entity is a further one, and the first is revoked by its id (AEE-051, AEE-086)', async () => {
  await using user = await createUser()
  await makeKey(user.env, 'agent.a', '--kid', 'old')
  await makeKey(user.env, 'agent.a', '--kid', 'new')

  const revoked = await agentd(user.env, ['keys', 'revoke', 'old', '--yes'])
  const again = await agentd(user.env, ['keys', 'revoke', 'old', '--json'])

  expect(revoked).toEqual({ code: 0, stdout: 'revoked the key old\n', stderr: '' })
  expect(JSON.parse(again.stdout)).toEqual({ kid: 'old', status: 'revoked', changed: false })
  expect((await listKeys(user.env)).keys).toMatchObject([
    { kid: 'new', state: 'trusted' },
    { kid: 'old', state: 'revoked', can_sign: true },
  ])
})

test('an id is never used twice, not even after it was revoked', async () => {
  await using user = await createUser()
  const { file } = await makeKey(user.env, 'agent.a', '--kid', 'k1')
  await agentd(user.env, ['keys', 'revoke', 'k1', '--yes'])
  const before = readFileSync(file, 'utf8')

  const made = await agentd(user.env, ['keys', 'new', 'agent.a', '--kid', 'k1'])
  const trusted = await agentd(
    user.env,
    ['keys', 'trust', '-'],
    (await agentd(user.env, ['keys', 'export', 'k1'])).stdout,
  )

  expect(made).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('already') })
  expect(trusted).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('already') })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a key that is trusted already is said to be, is asked about no more, and stays as it is', async () => {
  await using user = await createUser()
  const { file } = await makeKey(user.env, 'agent.a', '--kid', 'k1')
  const before = readFileSync(file, 'utf8')
  const exported = (await agentd(user.env, ['keys', 'export', 'k1'])).stdout

  const same = await agentd(user.env, ['keys', 'trust', '-'], exported)
  const other = await agentd(user.env, ['keys', 'trust', '-'], exported.replace('agent.a', 'agent.b'))

  expect(same).toEqual({
    code: 0,
    stdout: 'the key k1 (ed25519) is trusted for agent.a already\n',
    stderr: '',
  })
  expect(other).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('used only once') })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a key that came revoked is noted as such', async () => {
  await using user = await createUser()
  await using other = await createUser()
  const { kid } = await makeKey(user.env, 'agent.a')
  await agentd(user.env, ['keys', 'revoke', kid, '--yes'])

  const exported = await agentd(user.env, ['keys', 'export', kid])
  const { stdout } = await agentd(other.env, ['keys', 'trust', '-'], exported.stdout)

  expect(stdout).toBe(`noted the revoked key ${kid} (ed25519) for agent.a\n`)
  expect((await listKeys(other.env)).keys).toMatchObject([{ kid, state: 'revoked' }])
})

test('where there are no keys, that is said and nothing is made', async () => {
  await using user = await createUser()

  const { code, stdout } = await agentd(user.env, ['keys', 'list'])

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'there are no keys; "agentd keys new <entity>" makes one\n',
  })
  expect(await listKeys(user.env)).toEqual({ keys: [], faults: [] })
  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test('a file that is no key is told of, and the others are listed', async () => {
  await using user = await createUser()
  await makeKey(user.env, 'agent.a', '--kid', 'k1')
  writeFileSync(user.dir.file('state', 'keys', 'k2.json'), '{"kid":"k2"}', { mode: 0o600 })

  const { code, stdout, stderr } = await agentd(user.env, ['keys', 'list'])

  expect(code).toBe(0)
  expect(stdout).toContain('k1 ')
  expect(stderr).toContain('k2.json is left out')
})

describe('a wrong usage', () => {
  let user: Awaited<ReturnType<typeof createUser>>

  beforeAll(async () => {
    user = await createUser()
  })

  afterAll(() => user[Symbol.asyncDispose]())

  test.each([
    [['new']],
    [['new', '']],
    [['new', 'agent*']],
    [['new', 'agent.a', '--alg', 'rsa']],
    [['new', 'agent.a', '--kid', '../k1']],
    [['new', 'agent.a', '--kid', '']],
    [['new', 'agent.a', '--not-after', 'tomorrow']],
    [['new', 'agent.a', '--not-after', '2026-01-01T00:00:00Z', '--not-before', '2026-01-02T00:00:00Z']],
    [['new', ...Array.from({ length: 65 }, (_, i) => `agent.${i}`)]],
    [['list', 'k1']],
    [['export']],
    [['export', 'nobody']],
    [['export', '../../config']],
    [['revoke', 'nobody']],
    [['trust']],
    [['trust', '/nowhere/at/all']],
    [['trust', '/dev/null']],
    [['trust', '-']],
    [[]],
  ])('%j ends with 2 and a sentence, and nothing is made', async (args) => {
    const { code, stdout, stderr } = await agentd(user.env, ['keys', ...args])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
    expect(stderr).not.toContain('defect')
    expect(existsSync(user.dir.file('state', 'keys'))).toBe(false)
  })
})

test('a file that others may write is not trusted', async () => {
  await using user = await createUser()
  await using other = await createUser()
  const { kid } = await makeKey(user.env, 'agent.a')
  const handed = other.dir.file('handed.json')
  writeFileSync(handed, (await agentd(user.env, ['keys', 'export', kid])).stdout)
  chmodSync(handed, 0o666)

  const { code, stderr } = await agentd(other.env, ['keys', 'trust', handed])

  expect({ code, stderr: stderr.includes('others may write it') }).toEqual({ code: 2, stderr: true })
})

test('a key others could have read ends every command with 78, and is not repaired (R-02)', async () => {
  await using user = await createUser()
  const { kid, file } = await makeKey(user.env, 'agent.a')
  chmodSync(file, 0o644)

  for (const args of [['list'], ['export', kid], ['revoke', kid]]) {
    const { code, stderr } = await agentd(user.env, ['keys', ...args])
    expect({ code, stderr: stderr.includes('must be 0600') }, args.join(' ')).toEqual({
      code: 78,
      stderr: true,
    })
  }
  expect(lstatSync(file).mode & 0o777).toBe(0o644)
})

test('a folder others could enter ends with 78, and nothing is written into it (R-02)', async () => {
  await using user = await createUser()
  await makeKey(user.env, 'agent.a')
  chmodSync(user.dir.file('state', 'keys'), 0o755)

  const { code } = await agentd(user.env, ['keys', 'new', 'agent.b'])

  expect(code).toBe(78)
  expect(readdirSync(user.dir.file('state', 'keys'))).toHaveLength(1)
})

test('an entity that would paint the terminal is printed without its paint', async () => {
  await using user = await createUser()
  await makeKey(user.env, 'agent.\u202eevil\u2066', '--kid', 'k1')

  const printed = [await agentd(user.env, ['keys', 'list']), await agentd(user.env, ['keys', 'export', 'k1'])]

  for (const { code, stdout } of printed) {
    expect(code).toBe(0)
    expect(stdout).toContain('evil')
    expect(stdout).not.toMatch(/[\u202e\u2066]/)
  }
  expect(readKey(printed[1]?.stdout ?? '').entities).toEqual(['agent.\u202eevil\u2066'])
})
