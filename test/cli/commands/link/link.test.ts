/**
 * `agentd link add`, `allow`, `status` and `remove`, as far as they need no hub (FED-06, FED-14, FED-44, FED-61).
 */
import { chmodSync, copyFileSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, startOnTerminal, words } from '../../support.ts'
import { makeHub, readJoin } from './hub-support.ts'

const Config = z.looseObject({ links: z.record(z.string(), z.looseObject({ allow: z.looseObject({}) })) })
const Stored = z.object({ type: z.string(), node: z.string(), since_ms: z.int(), added_at_ms: z.int() })

/** Somebody with a hub, and the file that makes this machine a node of it. */
async function createInvited() {
  const user = await createUser()
  try {
    await makeHub(user.env)
  } catch (error) {
    await user[Symbol.asyncDispose]()
    throw error
  }
  const file = user.dir.file('config', 'agentd', 'hub', 'laptop.link')
  // Nothing starts a daemon here: what a link does is shown elsewhere.
  const env = { ...user.env, AGENTD_NO_START: '1' }
  const configured = () =>
    Config.parse(JSON.parse(readFileSync(user.dir.file('config', 'agentd', 'config.json'), 'utf8')))
  const stored = (name: string) => user.dir.file('state', 'links', name, 'link.json')
  return {
    ...user,
    env,
    file,
    configured,
    stored,
    [Symbol.asyncDispose]: user[Symbol.asyncDispose].bind(user),
  }
}

describe.runIf(hasProgram('script') && hasProgram('openssl'))('with a join file', () => {
  test('a link is sealed from the start, is no more, and is again, and what may leave stays (FED-46)', async () => {
    await using user = await createInvited()
    const home = () => user.configured().links['home']
    await agentd(user.env, ['link', 'add', 'home', user.file, '--allow', 'all', '--seal'])
    const added = home()
    const off = await agentd(user.env, words('link allow home --no-seal'))
    const plain = home()
    const on = await agentd(user.env, words('link allow home --seal'))
    const shown = await agentd(user.env, words('link allow home --json'))

    expect(added).toEqual({ allow: { kinds: ['*'], presence: 'full' }, seal: 'realm' })
    expect(plain).toEqual({ allow: { kinds: ['*'], presence: 'full' } })
    expect(home()).toEqual(added)
    expect([off, on].map(({ stdout }) => stdout.includes('; sealed'))).toEqual([false, true])
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'home', seal: 'realm' })
  })

  test('a link is added, for the person alone, with what may leave in the configuration (FED-14, FED-61)', async () => {
    await using user = await createInvited()
    writeFileSync(user.dir.file('config', 'agentd', 'config.json'), '{"lease_ms":60000}', { mode: 0o600 })

    const { code, stdout } = await agentd(user.env, ['link', 'add', 'home', user.file, '--allow', 'all'])

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^this machine is "laptop" at nats:/),
    })
    expect(lstatSync(user.stored('home')).mode & 0o777).toBe(0o600)
    const link = Stored.parse(JSON.parse(readFileSync(user.stored('home'), 'utf8')))
    expect(link).toMatchObject({ type: 'agentd.link', node: 'laptop' })
    expect(link.since_ms).toBe(link.added_at_ms)
    expect(user.configured()).toEqual({
      lease_ms: 60_000,
      links: { home: { allow: { kinds: ['*'], presence: 'full' } } },
    })
  })

  test('nothing leaves where nobody said that it may, nor could be asked (FED-06)', async () => {
    await using user = await createInvited()

    await agentd(user.env, ['link', 'add', user.file])
    const { stdout } = await agentd(user.env, words('link allow'))

    expect(user.configured().links).toEqual({ home: { allow: { kinds: [], presence: 'none', bus: [] } } })
    expect(stdout).toBe('no frame; nobody is told of\n')
  })

  test('who is at a terminal is asked once what may leave (FED-06)', async () => {
    await using user = await createInvited()

    const { code, shown } = await atTerminal(user.env, ['link', 'add', user.file])

    expect(code).toBe(0)
    expect(shown).toContain('May everything that is said here go to your other machines?')
    expect(user.configured().links).toEqual({ home: { allow: { kinds: ['*'], presence: 'full' } } })
  })

  test('what may leave is changed by its parts, and said in one line (FED-61)', async () => {
    await using user = await createInvited()
    await agentd(user.env, ['link', 'add', user.file, '--allow', 'agent_advisory', '--since', '24h'])

    const { stdout } = await agentd(user.env, [
      ...words('link allow home --from cc-* --redact payload.text --presence full'),
    ])
    const { stderr } = await agentd(user.env, words('link allow home --kinds agent_whisper'))

    expect(stdout).toContain(
      'what leaves over "home": agent_advisory from cc-*; who is there, with titles; without payload.text',
    )
    expect(stderr).toContain('"agent_whisper" is no kind of frame')
    const { since_ms, added_at_ms } = Stored.parse(JSON.parse(readFileSync(user.stored('home'), 'utf8')))
    expect(added_at_ms - since_ms).toBe(86_400_000)
  })

  test('a file that others may read is refused, with what to do (FED-14)', async () => {
    await using user = await createInvited()
    chmodSync(user.file, 0o644)

    const { code, stderr } = await agentd(user.env, ['link', 'add', user.file, '--allow', 'all'])

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/Others may read .*chmod 600/),
    })
    expect(existsSync(user.stored('home'))).toBe(false)
  })

  test("another person's file is refused, with the line that makes both one", async () => {
    await using user = await createInvited()

    const env = { ...user.env, AGENTD_PRINCIPAL: '~alice-work' }
    const { code, stderr } = await agentd(env, ['link', 'add', user.file, '--allow', 'all'])

    expect(code).toBe(2)
    expect(stderr).toContain('The file is for a machine of ~alice, and here you are ~alice-work.')
    expect(stderr).toContain('write "principal": "~alice" into')
  })

  test('a file with another key than its estate names is refused (FED-41)', async () => {
    await using user = await createInvited()
    await atTerminal(user.env, words('link hub invite devbox'))
    const other = readJoin(user.dir.file('config', 'agentd', 'hub', 'devbox.link'))
    const text = JSON.parse(readFileSync(user.file, 'utf8'))
    const forged = user.dir.file('forged.link')
    writeFileSync(forged, JSON.stringify({ ...text, node_key: other.node_key }), { mode: 0o600 })
    const unsigned = user.dir.file('unsigned.link')
    writeFileSync(unsigned, JSON.stringify({ ...text, estate_key: 'A'.repeat(43) }), { mode: 0o600 })

    const outcomes = [
      await agentd(user.env, ['link', 'add', forged]),
      await agentd(user.env, ['link', 'add', unsigned]),
    ]

    expect(outcomes.map(({ code }) => code)).toEqual([2, 2])
    expect(outcomes[0]?.stderr).toContain('another key than the one that the estate names for "laptop"')
    expect(outcomes[1]?.stderr).toContain('is not what ~alice has signed')
  })

  test('a second link into the same realm, and a name that is taken, are refused', async () => {
    await using user = await createInvited()
    await agentd(user.env, ['link', 'add', user.file, '--allow', 'none'])

    const again = await agentd(user.env, ['link', 'add', 'other', user.file, '--allow', 'none'])

    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The link "home" leads there already'),
    })
  })

  test('neither a session nor what an agent runtime has started says what may leave (FED-44)', async () => {
    await using user = await createInvited()
    await agentd(user.env, ['link', 'add', user.file, '--allow', 'none'])
    const env = { ...user.env, CLAUDE_CODE_SESSION_ID: 's1' }

    const outcomes = [
      await agentd(env, words('link allow home --kinds all')),
      await agentd(env, words('link remove home --yes')),
      await agentd({ ...user.env, AGENTD_TOKEN: 'a'.repeat(43) }, words('link allow home --kinds all')),
      await agentd(env, ['link', 'add', 'other', user.file]),
    ]

    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2])
    expect(new Set(outcomes.map(({ stderr }) => stderr.includes('Only the person may do this')))).toEqual(
      new Set([true]),
    )
    expect(user.configured().links).toEqual({ home: { allow: { kinds: [], presence: 'none', bus: [] } } })
  })

  test('a link that is removed is gone with its keys and what was said of it', async () => {
    await using user = await createInvited()
    await agentd(user.env, ['link', 'add', user.file, '--allow', 'all'])

    await using asked = startOnTerminal(user.env, words('link remove home'))
    await asked.untilSaid(/\[y\/N\]/)
    asked.type('n\r')
    await asked.ended
    const kept = existsSync(user.stored('home'))
    const { code, stdout } = await agentd(user.env, words('link remove home --yes'))

    expect([kept, code, stdout]).toEqual([true, 0, 'the link "home" is gone\n'])
    expect(existsSync(user.stored('home'))).toBe(false)
    expect(user.configured().links).toEqual({})
  })

  test('without a daemon a link is told to be none, and which there are', async () => {
    await using user = await createInvited()
    const before = await agentd(user.env, words('link status'))
    await agentd(user.env, ['link', 'add', user.file, '--allow', 'all'])

    const after = await agentd(user.env, words('link status'))

    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('there is no link') })
    expect(after).toMatchObject({ code: 69, stdout: expect.stringContaining('no link is: home') })
  })

  test('a configuration that is no JSON is left as it is, and said', async () => {
    await using user = await createInvited()
    const path = user.dir.file('config', 'agentd', 'config.json')
    writeFileSync(path, '{"links":', { mode: 0o600 })

    const { code } = await agentd(user.env, ['link', 'add', user.file, '--allow', 'all'])

    expect(code).not.toBe(0)
    expect(readFileSync(path, 'utf8')).toBe('{"links":')
    expect(existsSync(user.stored('home'))).toBe(false)
  })

  test('what is no join file is refused, and nothing of it quoted (FED-14)', async () => {
    await using user = await createInvited()
    const file = user.dir.file('cut.link')
    copyFileSync(user.file, file)
    writeFileSync(file, readFileSync(user.file, 'utf8').slice(0, 400), { mode: 0o600 })

    const { code, stderr } = await agentd(user.env, ['link', 'add', file, '--allow', 'all'])
    const absent = await agentd(user.env, words('link add nowhere.link --allow all'))

    expect(code).toBe(2)
    expect(stderr).not.toMatch(/SU[A-Z2-7]{20}|node_key/)
    expect(absent).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file nowhere.link'),
    })
  })
})
