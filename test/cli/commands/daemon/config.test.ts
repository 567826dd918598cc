/**
 * `agentd config` as people and scripts use it: files that stay what they are, values that the daemon takes, and a daemon told.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, createUser, words, type Env, type Outcome } from '../../support.ts'
import { atTerminal } from '../../person.ts'

const config = (env: Env, line: string): Promise<Outcome> => agentd(env, ['config', ...words(line)])

interface Shown {
  readonly key: string
  readonly value: unknown
  readonly default: unknown
  readonly source: string
  readonly takes_effect: string
}

async function listed(env: Env, key: string): Promise<Shown | undefined> {
  const { settings }: { settings: readonly Shown[] } = JSON.parse((await config(env, 'list --json')).stdout)
  return settings.find((one) => one.key === key)
}

/** Somebody with a configuration file of their own hand. */
async function createWriter(text: string) {
  const user = await createUser()
  const file = user.dir.file('config/agentd/config.json')
  mkdirSync(user.dir.file('config/agentd'), { mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
  return { ...user, file, [Symbol.asyncDispose]: user[Symbol.asyncDispose] }
}

const HAND_WRITTEN = `{
    "ring": { "max_frames": 7,
              "max_age_ms": 86400000 },

    "ack": "disk"
}
`

test('a value is written where it belongs, and everything else of the file stays as it was written', async () => {
  await using user = await createWriter(HAND_WRITTEN)

  const set = await config(user.env, 'set ring.max_frames 9')
  expect(set).toEqual({
    code: 0,
    stdout: 'ring.max_frames is 9 now (was 7)\n',
    stderr: 'agentd is not running; it goes by that when it starts.\n',
  })
  expect(readFileSync(user.file, 'utf8')).toBe(HAND_WRITTEN.replace('7', '9'))
  await config(user.env, 'set hooks.conflict deny')
  await config(user.env, 'unset hooks.conflict')
  expect(readFileSync(user.file, 'utf8').trimEnd()).toBe(HAND_WRITTEN.replace('7', '9').trimEnd())
  expect(await config(user.env, 'set ack disk')).toMatchObject({ stdout: 'ack is disk already\n' })
})

test('list says of each setting what holds, what would by default, and who says so; get says one', async () => {
  await using user = await createWriter('{"ring": {"max_frames": 9}, "principal": "~carol"}')

  expect(await listed(user.env, 'ring.max_frames')).toMatchObject({
    value: 9,
    default: 100_000,
    source: 'file',
    takes_effect: 'reload',
  })
  expect(await listed(user.env, 'principal')).toMatchObject({ value: '~alice', source: 'AGENTD_PRINCIPAL' })
  expect(await listed(user.env, 'socket')).toMatchObject({
    value: user.env['AGENTD_SOCKET'],
    source: 'AGENTD_SOCKET',
    takes_effect: 'restart',
  })
  expect(await listed(user.env, 'ack')).toMatchObject({ value: 'process', source: 'default' })
  expect((await config(user.env, 'list --changed --quiet')).stdout).not.toContain('max_bytes')
  expect((await config(user.env, 'get ring.max_frames')).stdout).toBe('9\n')
  expect((await config(user.env, 'get ring.max_bytes')).stdout).toBe('268435456\n')
  expect(JSON.parse((await config(user.env, 'get ring')).stdout)).toMatchObject({
    enabled: true,
    max_frames: 9,
  })
  expect(await config(user.env, 'get links.home.seal')).toMatchObject({ code: 3, stdout: '' })
  expect((await config(user.env, 'path')).stdout).toBe(`${user.file}\n`)
})

test('what the daemon would refuse is refused with its rule or with near names, and the file stays', async () => {
  await using user = await createWriter(HAND_WRITTEN)

  for (const [line, says] of [
    ['set rnig.max_frames 5', 'There is no setting "rnig.max_frames"; did you mean ring.max_frames?'],
    ['set max_frames 5', 'did you mean ring.max_frames?'],
    ['get nothing.like.it', 'see "agentd config list"'],
    ['set ring.max_frames many', '"ring.max_frames" must be a number.'],
    ['set ack slow', '"ack" must be one of "process", "disk".'],
    ['set ring.enabled yes', '"ring.enabled" must be true or false.'],
    ['set principal ~org', 'cannot stand for a person'],
    ['set socket relative.sock', '"socket" must be an absolute path.'],
    [`set socket /${'x'.repeat(120)}`, 'The socket path is 121 bytes long'],
    ['set ring.max_frames 1 2', 'takes one value'],
    ['set links.Home.allow.kinds all', 'must be the name of a link'],
  ] as const)
    expect(await config(user.env, line)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) })
  expect(readFileSync(user.file, 'utf8')).toBe(HAND_WRITTEN)
})

test('lists, intents with dots in them and sections are written as such', async () => {
  await using user = await createUser()

  await config(user.env, 'set aee.boundary.intents ops.*,docs.read')
  await config(user.env, 'set aee.boundary.redact payload.a payload.b')
  await config(user.env, 'set aee.payloads.ops.backup.* warn')
  await agentd(user.env, ['config', 'set', 'ring', '{"max_frames": 3}'])

  const file = user.dir.file('config/agentd/config.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    aee: {
      boundary: { intents: ['ops.*', 'docs.read'], redact: ['payload.a', 'payload.b'] },
      payloads: { 'ops.backup.*': 'warn' },
    },
    ring: { max_frames: 3 },
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a key that should not be there is told of, taken out by unset, and keeps nobody from mending the rest', async () => {
  await using user = await createWriter('{"rnig": {"max_frames": 1}, "ack": "slow"}')

  expect(await config(user.env, 'list')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('"rnig"'),
  })
  expect(await config(user.env, 'set ack disk')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('refuses the file still: "rnig" is not a key agentd knows'),
  })
  expect(await config(user.env, 'unset rnig')).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(user.file, 'utf8'))).toEqual({ ack: 'disk' })
  expect(await config(user.env, 'unset rnig')).toMatchObject({ code: 2 })
})

test('a file that is no JSON, holds a key twice or is open to others is left alone', async () => {
  await using user = await createWriter('{"ack": "disk" // mine\n}')
  const refused = (): Promise<Outcome> => config(user.env, 'set ack process')

  expect(await refused()).toMatchObject({ code: 78, stderr: expect.stringContaining('is no JSON') })
  writeFileSync(user.file, '{"ack": "disk", "ack": "disk"}')
  expect(await refused()).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('stands here a second time'),
  })
  writeFileSync(user.file, '{"ack": "disk"}')
  chmodSync(user.file, 0o666)
  expect(await refused()).toMatchObject({ code: 78, stderr: expect.stringContaining('others may write it') })
  expect(readFileSync(user.file, 'utf8')).toBe('{"ack": "disk"}')
})

test('a link stays a link, the mode stays, and of many at once none is lost', async () => {
  await using user = await createWriter('{}')
  const real = user.dir.file('dotfiles.json')
  rmSync(user.file)
  writeFileSync(real, '{}\n', { mode: 0o640 })
  symlinkSync(real, user.file)
  const keys = [
    'ring.max_frames',
    'ring.max_bytes',
    'limits.sessions',
    'lease_ms',
    'mailbox_ms',
    'ui.idle_ms',
  ]

  const ended = await Promise.all(keys.map((key) => config(user.env, `set ${key} 4096`)))

  expect(ended.map(({ code }) => code)).toEqual(keys.map(() => 0))
  expect(lstatSync(user.file).isSymbolicLink()).toBe(true)
  expect(statSync(real).mode & 0o777).toBe(0o640)
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({
    ring: { max_frames: 4096, max_bytes: 4096 },
    limits: { sessions: 4096 },
    lease_ms: 4096,
    mailbox_ms: 4096,
    ui: { idle_ms: 4096 },
  })
})

test('a session may not widen what leaves or who may speak; a number it may (FED-44)', async () => {
  await using user = await createUser()
  const asSession = { ...user.env, AGENTD_TOKEN: 'a-token' }

  for (const line of ['set links.home.allow.kinds *', 'set auth socket', 'set aee {}', 'unset hooks.foreign'])
    expect(await config(asSession, line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Only the person'),
    })
  expect(await config(asSession, 'set ring.max_frames 5')).toMatchObject({ code: 0 })
})

test('a running daemon is told with --apply, or started again where it has to be; otherwise it says how', async () => {
  await using user = await createUser()
  await agentd(user.env, ['start'])
  const most = async (): Promise<unknown> =>
    JSON.parse((await agentd(user.env, ['status', '--json'])).stdout).ring.retention.max_frames
  const pidOf = async (): Promise<unknown> =>
    JSON.parse((await agentd(user.env, ['status', '--json'])).stdout).pid
  const before = await pidOf()

  const waiting = await config(user.env, 'set ring.max_frames 50')
  expect(waiting.stderr).toContain(`kill -HUP ${String(before)}`)
  expect(await most()).toBe(100_000)
  expect(JSON.parse((await config(user.env, 'set ring.max_frames 60 --apply --json')).stdout)).toMatchObject({
    key: 'ring.max_frames',
    value: 60,
    before: 50,
    changed: true,
    takes_effect: 'reload',
    daemon: 'told',
    pid: before,
  })
  expect(await most()).toBe(60)
  expect(await config(user.env, 'set hooks.conflict deny')).toMatchObject({
    stderr: 'It holds from now on.\n',
  })
  expect((await config(user.env, 'set ack disk')).stderr).toContain('agentd stop, then agentd start')
  expect((await config(user.env, 'set profile conformance --apply')).stderr).toContain('was started again')
  expect(await pidOf()).not.toBe(before)
})

test.runIf(hasProgram('script'))(
  'on a terminal the daemon is offered the change, and told after a yes alone',
  async () => {
    await using user = await createUser()
    await agentd(user.env, ['start'])
    const most = async (): Promise<unknown> =>
      JSON.parse((await agentd(user.env, ['status', '--json'])).stdout).ring.retention.max_frames

    const no = await atTerminal(user.env, ['config', 'set', 'ring.max_frames', '70'], 'n')
    expect(no.shown).toMatch(/has not read it yet\. Have it read it now\? \[y\/N\]/)
    expect(await most()).toBe(100_000)
    const yes = await atTerminal(user.env, ['config', 'set', 'ring.max_frames', '80'])
    expect([yes.code, yes.shown]).toEqual([0, expect.stringContaining('reads it now')])
    expect(await most()).toBe(80)
  },
)
