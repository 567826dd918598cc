import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { packageVersion } from '../../../../src/host/package.ts'
import { examineAgentd } from '../../../../src/runtimes/doctor/examination/agentd-findings.ts'
import type { DoctorFinding } from '../../../../src/runtimes/doctor/finding.ts'
import { FOREIGN_UID } from '../../../host/surroundings.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { FakeDaemon } from '../../../support/fake-daemon.ts'
import { complaints, createClinic, findingOf, type Clinic } from '../clinic.ts'
import { runsAsRoot } from '../../../support/needs.ts'
import { keepsFrames } from '../../../support/without-sqlite.ts'

/** What is said of agentd itself, with variables of its own. */
function examineWith(
  clinic: Clinic,
  env: Readonly<Record<string, string>>,
): Promise<readonly DoctorFinding[]> {
  const { environment } = clinic.surroundings
  return examineAgentd({
    ...clinic.surroundings,
    environment: { ...environment, env: { ...environment.env, ...env } },
  })
}

/** A private file with private directories above it. */
function made(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, '', { mode: 0o600 })
  return path
}

describe('the socket', () => {
  test('its place and why it is there are said, with its length', async () => {
    await using clinic = await createClinic()
    const runtime = clinic.home.dir.file('run')
    mkdirSync(runtime, { mode: 0o700 })
    const named = clinic.home.dir.file('x.sock')

    const [usual, found, asked] = await Promise.all([
      examineWith(clinic, {}),
      examineWith(clinic, { XDG_RUNTIME_DIR: runtime }),
      examineWith(clinic, { AGENTD_SOCKET: named }),
    ])

    expect(findingOf(usual, 'socket').sentence).toContain('in the home directory, since there is no runtime')
    expect(findingOf(found, 'socket').sentence).toContain(
      `${runtime}/agentd/agentd.sock (in XDG_RUNTIME_DIR)`,
    )
    expect(findingOf(asked, 'socket').sentence).toBe(
      `The socket is ${named} (named by AGENTD_SOCKET), ${named.length} of 103 bytes.`,
    )
  })

  test('a path that is too long is a failure, and one that nearly is, a warning (R-03)', async () => {
    await using clinic = await createClinic()
    const tight = `/tmp/${'x'.repeat(95)}`
    const long = `/tmp/${'x'.repeat(99)}`

    expect(findingOf(await examineWith(clinic, { AGENTD_SOCKET: tight }), 'socket').state).toBe('warn')
    expect(findingOf(await examineWith(clinic, { AGENTD_SOCKET: long }), 'socket').state).toBe('fail')
  })

  test('a runtime directory that stands open to all, as under WSL, is passed over and said (R-02)', async () => {
    await using clinic = await createClinic()
    const runtime = clinic.home.dir.file('run')
    mkdirSync(runtime)
    chmodSync(runtime, 0o777)

    const found = findingOf(await examineWith(clinic, { XDG_RUNTIME_DIR: runtime }), 'runtime-dir')

    expect(found.state).toBe('warn')
    expect(found.sentence).toContain(`${runtime}) is not used: its mode is 0777 and must be 0700`)
  })
})

describe('permissions', () => {
  const OPEN: readonly (readonly [string, (clinic: Clinic) => string])[] = [
    ['the state directory', ({ home }) => home.dir.file('state')],
    ['a file in it', ({ home }) => made(home.dir.file('state', 'ring.db'))],
    ['what set-up remembers', ({ home }) => made(home.dir.file('state', 'setup', 'codex.json'))],
    ['the directory of the socket', ({ home }) => dirname(made(home.path('.agentd', 'run', 'other')))],
    ['the socket', ({ home }) => made(home.path('.agentd', 'run', 'agentd.sock'))],
    ['the directory of the configuration', ({ home }) => dirname(made(home.path('.config', 'agentd', 'x')))],
  ]

  test.each(OPEN)('%s is to be for this user alone', async (_, find) => {
    await using clinic = await createClinic()
    const path = find(clinic)
    const before = complaints(await examineWith(clinic, {}), 'agentd')

    chmodSync(path, 0o777)
    const findings = await examineWith(clinic, {})

    expect(before).toEqual([])
    expect(findingOf(findings, 'permissions')).toMatchObject({
      state: 'fail',
      sentence: `${path} is open to others: its mode is 0777.`,
      fix: expect.stringMatching(/^chmod go(?:=|-w) \//),
    })
  })

  test.runIf(runsAsRoot())('what belongs to somebody else is said', async () => {
    await using clinic = await createClinic()
    const path = made(clinic.home.dir.file('state', 'ring.db'))
    chownSync(path, FOREIGN_UID, FOREIGN_UID)

    expect(findingOf(await examineWith(clinic, {}), 'permissions').sentence).toContain(
      `belongs to uid ${FOREIGN_UID}`,
    )
  })

  test('a link is not judged by its own mode', async () => {
    await using clinic = await createClinic()
    symlinkSync('/nowhere', clinic.home.dir.file('state', 'link'))

    expect(findingOf(await examineWith(clinic, {}), 'permissions').state).toBe('ok')
  })
})

describe('the configuration file', () => {
  test.each([
    ['{"rnig":{}}', '"rnig" is not a key agentd knows'],
    ['{', 'is no JSON'],
    ['{"lease_ms":0}', '"lease_ms"'],
  ])('%s keeps the daemon from starting, and is said', async (text, reason) => {
    await using clinic = await createClinic()
    clinic.home.write('.config/agentd/config.json', text)
    chmodSync(clinic.home.path('.config', 'agentd'), 0o700)

    const found = findingOf(await examineWith(clinic, {}), 'config')

    expect(found.state).toBe('fail')
    expect(found.sentence).toContain(reason)
  })
})

describe('the daemon', () => {
  test('one that does not run is off, and is not started', async () => {
    await using clinic = await createClinic()
    const socket = clinic.home.dir.file('x.sock')

    const findings = await examineWith(clinic, { AGENTD_SOCKET: socket })

    expect(findingOf(findings, 'daemon')).toMatchObject({ state: 'off', fix: 'agentd start' })
    await expect(connect({ socket })).rejects.toThrow('there is no such socket')
  })

  test('a socket that was left behind is the same as none', async () => {
    await using clinic = await createClinic()
    await using daemon = await startTestDaemon()
    await daemon.stop('SIGKILL')

    expect(findingOf(await examineWith(clinic, { AGENTD_SOCKET: daemon.socket }), 'daemon').state).toBe('off')
  })

  test.runIf(keepsFrames())('one that runs says its version, and keeps on disk', async () => {
    await using clinic = await createClinic()
    await using daemon = await startTestDaemon()

    const findings = await examineWith(clinic, { AGENTD_SOCKET: daemon.socket })

    expect(findingOf(findings, 'daemon')).toMatchObject({
      state: 'ok',
      sentence: `The daemon runs as pid ${daemon.pid}, version ${packageVersion()}.`,
    })
    expect(findingOf(findings, 'store').state).toBe('ok')
    expect(complaints(findings, 'agentd')).toEqual([])
  })

  test('one that was told to keep nothing on disk does so, which is no fault', async () => {
    await using clinic = await createClinic()
    await using daemon = await startTestDaemon({ config: { ring: { enabled: false } } })

    const found = findingOf(await examineWith(clinic, { AGENTD_SOCKET: daemon.socket }), 'store')

    expect(found).toMatchObject({ state: 'off', sentence: expect.stringContaining('as configured') })
  })

  test.runIf(keepsFrames())(
    'one whose store another daemon has says why it keeps things in memory',
    async () => {
      await using clinic = await createClinic()
      await using first = await startTestDaemon()
      const socket = first.dir.file('second.sock')
      await using second = await startTestDaemon({ dir: first.dir, env: { AGENTD_SOCKET: socket } })

      const findings = await examineWith(clinic, { AGENTD_SOCKET: socket })

      expect(second.pid).not.toBe(first.pid)
      expect(findingOf(findings, 'store')).toMatchObject({
        state: 'warn',
        sentence: expect.stringContaining('ring.db is in use'),
      })
      expect(findings.filter(({ name }) => name === 'health').map(({ sentence }) => sentence)).not.toContain(
        findingOf(findings, 'store').sentence,
      )
    },
  )

  test('one of another version is told apart', async () => {
    await using clinic = await createClinic()
    await using daemon = await FakeDaemon.start()
    daemon.health = { version: '9.9.9', peer_credentials: 'unavailable', details: ['A key cannot be read.'] }

    const findings = await examineWith(clinic, { AGENTD_SOCKET: daemon.socketPath })

    expect(findingOf(findings, 'daemon')).toMatchObject({
      state: 'warn',
      sentence: `The daemon is version 9.9.9, and this is ${packageVersion()}.`,
    })
    expect(findingOf(findings, 'health')).toMatchObject({ state: 'warn', sentence: 'A key cannot be read.' })
    expect(findingOf(findings, 'peer-credentials').state).toBe('off')
    expect(findingOf(findings, 'store')).toMatchObject({ state: 'warn' })
  })

  test('something else at the socket is a failure', async () => {
    await using clinic = await createClinic()
    const path = clinic.home.dir.file('else.sock')
    const server = createServer((socket) => socket.end('220 else\r\n'))
    await new Promise<void>((resolve) => {
      server.listen(path, resolve)
    })

    const found = findingOf(await examineWith(clinic, { AGENTD_SOCKET: path }), 'daemon')
    server.close()

    expect(found).toMatchObject({ state: 'fail', fix: 'agentd stop, then agentd start' })
  })
})
