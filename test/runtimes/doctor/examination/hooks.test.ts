/**
 * What the doctor says of lines that speak by `curl`, with good peers and bad ones at the socket.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeKeyHeader, keyHeaderPath } from '../../../../src/host/config/key-header.ts'
import { configPath } from '../../../../src/host/config/paths.ts'
import { HANG_SUFFIX } from '../../../../src/host/socket/hang-mark.ts'
import type { DoctorFinding } from '../../../../src/runtimes/doctor/finding.ts'
import type { Launch } from '../../../../src/runtimes/setup/files/launch.ts'
import { FakeDaemon } from '../../../support/fake-daemon.ts'
import { hasProgram } from '../../../support/needs.ts'
import { complaints, createClinic, findingOf, type Clinic } from '../clinic.ts'

const CURL = '/usr/bin/curl'

/** A machine with hooks of Cursor that speak to a socket, and the doctor who knows that one. */
interface Visit extends AsyncDisposable {
  readonly clinic: Clinic
  readonly launch: Launch
  examine(): Promise<readonly DoctorFinding[]>
}

async function createVisit(socket: string, call: Partial<Launch['call']> = {}): Promise<Visit> {
  const clinic = await createClinic({ programs: { cursor: '3.1.15' }, env: { AGENTD_SOCKET: socket } })
  const launch = { ...clinic.launch, call: { curl: CURL, socket, keyHeader: undefined, ...call } }
  await clinic.home.moved(launch).install(['cursor'])
  return {
    clinic,
    launch,
    examine: () => clinic.examine(['cursor'], { launch }),
    [Symbol.asyncDispose]: () => clinic[Symbol.asyncDispose](),
  }
}

describe.runIf(hasProgram('curl'))('a round trip as a hook makes it (OP-12)', () => {
  test('an answer of 204 is what a payload gets that is no event, and it is said how long that took', async () => {
    await using daemon = await FakeDaemon.start()
    await using visit = await createVisit(daemon.socketPath)

    const examined = visit.examine()
    const arrival = await daemon.next('POST /v1/hooks/cursor')
    const payload = await arrival.json()
    arrival.answer(204, '')
    const findings = await examined

    expect(payload).toEqual({})
    expect(complaints(findings, 'cursor')).toEqual([])
    expect(findingOf(findings, 'hooks-answer')).toMatchObject({
      state: 'ok',
      sentence: expect.stringMatching(/^A hook was answered within \d+ ms\.$/),
    })
  })

  test.each([
    [404, 'The daemon is older than the hooks', 'agentd stop, then agentd start'],
    [401, 'Hooks are refused: the daemon asks for your key', 'agentd setup'],
    [200, 'the answer was 200, not 204', 'agentd stop, then agentd start'],
    [500, 'the answer was 500, not 204', 'agentd stop, then agentd start'],
  ])('an answer of %i is told for what it is', async (status, words, fix) => {
    await using daemon = await FakeDaemon.start()
    await using visit = await createVisit(daemon.socketPath)

    const examined = visit.examine()
    const arrival = await daemon.next('POST /v1/hooks/cursor')
    arrival.answer(status, '{}')

    expect(findingOf(await examined, 'hooks-answer')).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining(words),
      fix,
    })
  })

  test('a daemon that hangs is told from one that does not run', async () => {
    await using daemon = await FakeDaemon.start()
    await using visit = await createVisit(daemon.socketPath)

    const hanging = findingOf(await visit.examine(), 'hooks-answer')
    await daemon.stop()
    const absent = findingOf(await visit.examine(), 'hooks-answer')

    expect(hanging).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('not answered within a second'),
    })
    expect(absent).toMatchObject({ state: 'off', sentence: 'No hook was tried: the daemon is not running.' })
  })

  test('one that breaks off is told from both', async () => {
    await using daemon = await FakeDaemon.start()
    await using visit = await createVisit(daemon.socketPath)

    const examined = visit.examine()
    const arrival = await daemon.next('POST /v1/hooks/cursor')
    arrival.cut()

    expect(findingOf(await examined, 'hooks-answer')).toMatchObject({
      state: 'fail',
      sentence: expect.stringMatching(/curl ended with \d+\.$/),
    })
  })
})

/** The same without `curl`. */
async function createNodeVisit(socket: string): Promise<Clinic> {
  const clinic = await createClinic({ programs: { cursor: '3.1.15' }, env: { AGENTD_SOCKET: socket } })
  await clinic.home.install(['cursor'])
  return clinic
}

describe('a round trip where the lines start Node (OP-12)', () => {
  test('is made as well, and what came of it is told in the same words', async () => {
    await using daemon = await FakeDaemon.start()
    await using clinic = await createNodeVisit(daemon.socketPath)
    const states = []

    for (const status of [204, 404, 500]) {
      const examined = clinic.examine(['cursor'])
      const arrival = await daemon.next('POST /v1/hooks/cursor')
      arrival.answer(status, status === 204 ? '' : '{}')
      states.push(findingOf(await examined, 'hooks-answer').sentence.replace(/\d+ ms/, 'some ms'))
    }
    const hanging = findingOf(await clinic.examine(['cursor']), 'hooks-answer')
    await daemon.stop()
    const absent = findingOf(await clinic.examine(['cursor']), 'hooks-answer')

    expect(states).toEqual([
      'A hook was answered within some ms.',
      'The daemon is older than the hooks: it does not know what they ask, so they say nothing.',
      'A hook was not answered as it should be: the answer was 500, not 204.',
    ])
    expect([hanging.state, absent.state]).toEqual(['fail', 'off'])
    expect(hanging.sentence).toContain('not answered within a second')
  })
})

describe('what the lines name', () => {
  test('a curl that is gone is named, and no round trip is tried with it', async () => {
    await using visit = await createVisit('/nowhere/agentd.sock', { curl: '/nowhere/curl' })

    const findings = await visit.examine()

    expect(complaints(findings, 'cursor')).toEqual(['fail hooks-curl'])
    expect(findingOf(findings, 'hooks-curl').sentence).toContain('/nowhere/curl is gone')
    expect(findings.some(({ name }) => name === 'hooks-answer')).toBe(false)
  })

  test("a socket that is not the daemon's is named beside the daemon's (OP-12)", async () => {
    await using visit = await createVisit('/nowhere/agentd.sock', { socket: '/nowhere/other.sock' })

    const found = findingOf(await visit.examine(), 'hooks-socket')

    expect(found).toMatchObject({ state: 'fail', fix: 'agentd setup cursor' })
    expect(found.sentence).toContain(
      'speak to /nowhere/other.sock, and the daemon listens at /nowhere/agentd.sock',
    )
  })

  test('a file of the key that is missing, or says another key, is named (OP-04)', async () => {
    const socket = '/nowhere/a.sock'
    await using clinic = await createClinic({
      programs: { cursor: '3.1.15' },
      env: { AGENTD_SOCKET: socket },
    })
    const { environment } = clinic.surroundings
    mkdirSync(dirname(configPath(environment)), { recursive: true, mode: 0o700 })
    writeFileSync(configPath(environment), '{"auth":"session"}', { mode: 0o600 })
    const keyHeader = keyHeaderPath(environment)
    const launch = { ...clinic.launch, call: { curl: CURL, socket, keyHeader } }
    await clinic.home.moved(launch).install(['cursor'])

    const well = await clinic.examine(['cursor'], { launch })
    writeFileSync(keyHeader, 'agentd-key: another\n')
    const other = await clinic.examine(['cursor'], { launch })
    rmSync(keyHeader)
    const gone = await clinic.examine(['cursor'], { launch })
    writeKeyHeader(environment)

    expect(complaints(well, 'cursor')).toEqual([])
    expect(findingOf(other, 'hooks-key').sentence).toContain('it says another key than yours')
    expect(findingOf(gone, 'hooks-key')).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('it is not there'),
    })
  })

  test('without a curl it is said what each hook costs', async () => {
    await using clinic = await createClinic({ programs: { cursor: '3.1.15' } })
    await clinic.home.install(['cursor'])

    const findings = await clinic.examine(['cursor'])

    expect(complaints(findings, 'cursor')).toEqual([])
    expect(findingOf(findings, 'hooks-curl')).toMatchObject({
      state: 'off',
      sentence: expect.stringContaining('starts Node, three to four times the time and CPU'),
      fix: 'install curl, then agentd setup cursor',
    })
  })
})

test('events that are missing are named, and lines of another version, and those nobody hears (OP-31)', async () => {
  await using visit = await createVisit('/nowhere/agentd.sock')
  const { home } = visit.clinic
  const config = JSON.parse(home.read('.cursor/hooks.json'))
  const [line] = config.hooks.stop
  delete config.hooks.stop
  config.hooks.preCompact = [line]
  config.hooks.postToolUse[0].command = `${visit.launch.node} ${visit.launch.script} hook cursor`
  home.write('.cursor/hooks.json', JSON.stringify(config))

  const found = findingOf(await visit.examine(), 'hooks')

  expect(found.state).toBe('warn')
  expect(found.sentence).toMatch(
    /; missing: stop; of another version: postToolUse; heard by nobody any more: preCompact\.$/,
  )
})

test('while hooks leave the daemon alone, that is said (OP-29)', async () => {
  await using daemon = await FakeDaemon.start()
  await using clinic = await createClinic({ env: { AGENTD_SOCKET: daemon.socketPath } })
  const mark = daemon.socketPath + HANG_SUFFIX

  writeFileSync(mark, `${Math.floor(Date.now() / 1_000) + 20}\n`)
  const during = await clinic.examine([])
  writeFileSync(mark, `${Math.floor(Date.now() / 1_000) - 1}\n`)
  const after = await clinic.examine([])

  expect(findingOf(during, 'hooks-left-alone')).toMatchObject({
    state: 'warn',
    sentence: expect.stringMatching(/^Hooks leave the daemon alone for (?:19|20) s more/),
  })
  expect(after.some(({ name }) => name === 'hooks-left-alone')).toBe(false)
})
