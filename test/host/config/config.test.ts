import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { resolveConfig } from '../../../src/host/config/config.ts'
import { configPath } from '../../../src/host/config/paths.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { FOREIGN_UID, surroundings } from '../surroundings.ts'
import { runsAsRoot } from '../../support/needs.ts'

async function withConfig(content: unknown, env: Record<string, string> = {}) {
  const dir = await createTempDir()
  const environment = surroundings(dir.path, { env })
  const path = configPath(environment)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return { ...dir, environment, configFile: path }
}

const DEFAULTS = {
  profile: 'default',
  auth: 'socket',
  ack: 'process',
  ring: { isOnDisk: true, maxFrames: 100_000, maxBytes: 268_435_456, maxAgeMs: 604_800_000 },
  limits: {
    submissionsPerSecond: 2000,
    submissionBurst: 10_000,
    sendersAtOnce: 8,
    sharePercent: 25,
    protectMs: 3_600_000,
    fanOut: 16_384,
    subscriptions: 16_384,
    watchers: 16,
    sessions: 4096,
    subscriptionBytes: 4_194_304,
    slowConsumerMs: 30_000,
    waitingBytes: 67_108_864,
    priorityPerMinute: 60,
    priorityBurst: 60,
  },
  aee: {
    isStrict: false,
    signatures: 'verify',
    allowTenFields: false,
    schemaFolders: [],
    payloads: {},
    isLogged: true,
    recordsVolt: false,
    recordsWard: false,
    tellsDecisions: false,
    boundary: { intents: [], redact: [], maxPriority: 'normal' },
  },
  links: {},
  leaseMs: 1_800_000,
  mailboxMs: 604_800_000,
  keepAliveMs: 15_000,
}

test('without a file, a variable or a flag every value has its default', async () => {
  await using dir = await createTempDir()

  expect(resolveConfig(surroundings(dir.path), {})).toEqual({
    ...DEFAULTS,
    socketPath: dir.file('home/.agentd/run/agentd.sock'),
    socketSource: 'home',
    socketNote: undefined,
    stateDir: dir.file('home/.local/state/agentd'),
    principal: '~alice',
  })
})

test('an empty file, and empty groups, are the defaults too', async () => {
  await using dir = await withConfig({ ring: {}, limits: {} })

  expect(resolveConfig(dir.environment, {})).toMatchObject(DEFAULTS)
})

test('every key of the file arrives', async () => {
  await using dir = await withConfig({
    socket: '/by/config',
    principal: 'bob',
    auth: 'session',
    profile: 'conformance',
    ack: 'disk',
    ring: { enabled: false, max_frames: 1, max_bytes: 2, max_age_ms: 3 },
    limits: {
      submissions_per_second: 4,
      submission_burst: 5,
      senders_at_once: 15,
      share_percent: 16,
      protect_ms: 17,
      fan_out: 6,
      subscriptions: 7,
      watchers: 18,
      sessions: 8,
      subscription_bytes: 9,
      slow_consumer_ms: 10,
      waiting_bytes: 15,
      priority_per_minute: 13,
      priority_burst: 14,
    },
    aee: {
      profile: 'strict',
      signatures: 'relay',
      ten_field_signatures: true,
      schemas: ['/by/schemas'],
      payloads: { 'ops.*': 'enforce' },
      log: false,
      volt: true,
      ward: true,
      aocl: true,
      boundary: { intents: ['ops.*'], redact: ['payload.x'], max_priority: 'high' },
    },
    lease_ms: 11,
    keep_alive_ms: 12,
  })

  expect(resolveConfig(dir.environment, {})).toMatchObject({
    socketPath: '/by/config',
    socketSource: 'config',
    principal: '~bob',
    auth: 'session',
    profile: 'conformance',
    ack: 'disk',
    ring: { isOnDisk: false, maxFrames: 1, maxBytes: 2, maxAgeMs: 3 },
    limits: {
      submissionsPerSecond: 4,
      submissionBurst: 5,
      sendersAtOnce: 15,
      sharePercent: 16,
      protectMs: 17,
      fanOut: 6,
      subscriptions: 7,
      watchers: 18,
      sessions: 8,
      subscriptionBytes: 9,
      slowConsumerMs: 10,
      waitingBytes: 15,
      priorityPerMinute: 13,
      priorityBurst: 14,
    },
    aee: {
      isStrict: true,
      signatures: 'relay',
      allowTenFields: true,
      schemaFolders: ['/by/schemas'],
      payloads: { 'ops.*': 'enforce' },
      isLogged: false,
      recordsVolt: true,
      recordsWard: true,
      tellsDecisions: true,
      boundary: { intents: ['ops.*'], redact: ['payload.x'], maxPriority: 'high' },
    },
    leaseMs: 11,
    keepAliveMs: 12,
  })
})

test('flags beat the environment, the environment beats the file', async () => {
  const env = { AGENTD_SOCKET: '/by/env', AGENTD_PRINCIPAL: 'env', AGENTD_PROFILE: 'default' }
  await using dir = await withConfig({ socket: '/by/config', principal: 'file', profile: 'conformance' }, env)
  const flags = { socket: '/by/flag', principal: 'flag', profile: 'conformance' }

  expect(resolveConfig(dir.environment, {})).toMatchObject({
    socketPath: '/by/env',
    principal: '~env',
    profile: 'default',
  })
  expect(resolveConfig(dir.environment, flags)).toMatchObject({
    socketPath: '/by/flag',
    principal: '~flag',
    profile: 'conformance',
  })
})

test('the result is frozen at every depth', async () => {
  await using dir = await createTempDir()
  const config = resolveConfig(surroundings(dir.path), {})

  for (const part of [config, config.ring, config.limits, config.aee, config.aee.boundary])
    expect(Object.isFrozen(part)).toBe(true)
})

test.each([
  [{ sockt: '/x' }, '"sockt"'],
  [{ limits: { fan_in: 1 } }, '"limits.fan_in"'],
  [{ limits: { fan_out: 0 } }, '"limits.fan_out"'],
  [{ ring: { max_frames: 0 } }, '"ring.max_frames" must be more than 0'],
  [{ limits: { sessions: '4096' } }, '"limits.sessions"'],
  [{ ring: { max_bytes: 1.5 } }, '"ring.max_bytes"'],
  [{ ring: null }, '"ring"'],
  [{ lease_ms: -1 }, '"lease_ms"'],
  [{ keep_alive_ms: 15_001 }, '"keep_alive_ms"'],
  [{ auth: 'none' }, '"auth"'],
  [{ profile: 'fast' }, '"profile"'],
  [{ socket: 'relative.sock' }, '"socket"'],
  [{ principal: '' }, '"principal"'],
  [{ principal: 'Not A Handle' }, 'principal in '],
  [[], 'it must be an object'],
  ['{"socket":', 'no JSON'],
  ['', 'no JSON'],
])('the configuration %j is refused, naming the key and the file', async (content, key) => {
  await using dir = await withConfig(content)
  const resolve = () => resolveConfig(dir.environment, {})

  expect(resolve).toThrow(HostRefusal)
  expect(resolve).toThrow(key)
  expect(resolve).toThrow(dir.configFile)
})

test('what a flag or a variable names wrongly is refused by its name', async () => {
  await using dir = await createTempDir()
  const refusal = (env: Record<string, string>, flags = {}) => {
    const environment = surroundings(dir.path, { env })
    return () => resolveConfig(environment, flags)
  }

  expect(refusal({ AGENTD_PROFILE: 'quick' })).toThrow('AGENTD_PROFILE is "quick"')
  expect(refusal({}, { profile: 'quick' })).toThrow('--profile is "quick"')
  expect(refusal({ AGENTD_PRINCIPAL: 'A B' })).toThrow('AGENTD_PRINCIPAL is "A B"')
  expect(refusal({}, { socket: `/${'s'.repeat(103)}` })).toThrow(HostRefusal)
  expect(refusal({}, { socket: `/${'s'.repeat(103)}` })).toThrow('limit is 103')
})

test.each(['620', '602', '666'])(
  'a file of mode %s is refused, since others may write it (R-02)',
  async (mode) => {
    await using dir = await withConfig({})
    chmodSync(dir.configFile, Number.parseInt(mode, 8))

    expect(() => resolveConfig(dir.environment, {})).toThrow(/others may write it/)
  },
)

test.runIf(runsAsRoot())('a file of somebody else is refused (R-02)', async () => {
  await using dir = await withConfig({})
  chownSync(dir.configFile, FOREIGN_UID, FOREIGN_UID)

  expect(() => resolveConfig(dir.environment, {})).toThrow(`belongs to uid ${FOREIGN_UID}`)
})

test('a link to a file of ours is followed, a directory is refused', async () => {
  await using dir = await withConfig({ auth: 'session' })
  symlinkSync(dir.configFile, dir.file('link'))
  const at = (path: string) => surroundings(dir.path, { env: { AGENTD_CONFIG: path } })

  expect(resolveConfig(at(dir.file('link')), {}).auth).toBe('session')
  expect(() => resolveConfig(at(dir.path), {})).toThrow('not a regular file')
})

test('a file beyond the bound is refused unread', async () => {
  await using dir = await withConfig(`{}${' '.repeat(262_143)}`)

  expect(() => resolveConfig(dir.environment, {})).toThrow('larger than 262144 bytes')
})

test('a place for the socket that was passed over is told (R-03)', async () => {
  await using dir = await withConfig({}, { XDG_RUNTIME_DIR: '/nowhere/at/all' })

  expect(resolveConfig(dir.environment, {}).socketNote).toContain('/nowhere/at/all')
})
