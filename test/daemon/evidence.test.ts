/**
 * VOLT and WARD as the real daemon writes them: chains that verify, go on, and are never in the way.
 */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hashOf } from '../../src/aee/envelope/canonical.ts'
import { verifyVolt } from '../../src/aee/evidence/volt-verify.ts'
import { verifyWard } from '../../src/aee/evidence/ward-verify.ts'
import { ledgerLines, shortFaults } from '../aee/evidence/ledgers.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { bundleProgram } from '../host/child-program.ts'
import { listenFor, sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { openLines, post, request } from '../support/http.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { hasProgram } from '../support/needs.ts'

const CONFIG = { aee: { volt: true, ward: true } }

const pathOf = (dir: TempDir, name: 'volt' | 'ward'): string =>
  dir.file('state', 'evidence', `${name}.ndjson`)

const textsOf = (dir: TempDir, name: 'volt' | 'ward'): string[] =>
  readFileSync(pathOf(dir, name), 'utf8').split('\n').slice(0, -1)

// A wrong guess at what is in a line is a failing test.
// oxlint-disable-next-line typescript/no-explicit-any
const entriesOf = (dir: TempDir, name: 'volt' | 'ward'): any[] =>
  textsOf(dir, name).map((text) => JSON.parse(text))

/** Both ledgers as a verifier sees them. */
function verify(dir: TempDir) {
  const volt = verifyVolt(ledgerLines(textsOf(dir, 'volt')))
  const ward = verifyWard(ledgerLines(textsOf(dir, 'ward')))
  return { volt: [volt.verdict, ...shortFaults(volt)], ward: [ward.verdict, ...shortFaults(ward)] }
}

const WHOLE = { volt: ['PASS'], ward: ['INTACT'] }

/** Some of everything: taken, heard, repeated, refused, answered by the daemon. */
async function traffic(daemon: TestDaemon, count = 20): Promise<string[]> {
  using _stream = await listenFor(daemon.socket, 'bus.heard')
  using lines = openLines(daemon.socket, { path: '/v1/envelopes' })
  const sent = Array.from({ length: count }, (_, i) =>
    validEnvelope({ to: i % 2 === 0 ? 'bus.heard' : 'bus.ops', payload: { secret: `hush-${i}`, ünï: i } }),
  )
  for (const envelope of sent) lines.send(envelope)
  lines.send(sent[0])
  lines.send({ ...sent[1], payload: { secret: 'hush-changed' } })
  lines.send({ ...validEnvelope(), type: 'hush-type' })
  lines.write('{"hush":\n')
  lines.send(validEnvelope({ to: 'hush.nobody' }))
  await lines.answered(count + 5)
  return sent.map(({ id }) => id)
}

test('nothing is recorded unless it was asked for', async () => {
  await using daemon = await startTestDaemon()
  await traffic(daemon, 4)
  await daemon.stop()

  expect(readdirSync(daemon.dir.file('state'))).not.toContain('evidence')
})

test('both chains are whole after traffic, hold what happened and no content, and are private (AEE-C13…AEE-C17, AEE-C24)', async () => {
  await using daemon = await startTestDaemon({ config: CONFIG })
  const ids = await traffic(daemon)
  await daemon.stop()
  const { dir } = daemon

  expect(verify(dir)).toEqual(WHOLE)
  const events = entriesOf(dir, 'volt')
  const typesOf = (id: string) =>
    events.filter(({ context }) => context['aee_envelope_id'] === id).map(({ event_type: type }) => type)
  expect(typesOf(ids[0]!)).toEqual(['aee.envelope.received', 'aee.envelope.sent'])
  expect(typesOf(ids[1]!)).toEqual(['aee.envelope.received'])
  expect(
    events
      .filter(({ event_type: type }) => type === 'aee.message.rejected')
      .map(({ payload }) => payload['code']),
  ).toEqual(['duplicate-id', 'field-invalid', 'envelope-malformed', 'recipient-unknown'])
  expect(entriesOf(dir, 'ward').map(({ source_id: id, source_kind: kind }) => [kind, id])).toEqual(
    ids.map((id) => ['AEE', id]),
  )
  for (const name of ['volt', 'ward'] as const) {
    expect(readFileSync(pathOf(dir, name), 'utf8')).not.toContain('hush')
    expect(statSync(pathOf(dir, name)).mode & 0o777).toBe(0o600)
  }
  expect(statSync(dir.file('state', 'evidence')).mode & 0o777).toBe(0o700)
})

test('a hand-over from a mailbox is an event of its own and says by which way; both name the hash (AEE-C13)', async () => {
  await using daemon = await startTestDaemon({ config: CONFIG })
  const opened = await post(daemon.socket, '/v1/sessions', {
    instrument: 'cc-opus',
    session_id: 's1',
    mailbox: true,
    entities: ['bus.waits'],
  })
  const { token } = z.object({ token: z.string() }).parse(opened.body)
  const envelope = validEnvelope({ to: 'bus.waits', payload: { secret: 'hush' } })
  await sendEnvelope(daemon.socket, envelope)
  const drain = (body: object) => post(daemon.socket, '/v1/inbox/drain', body, token)
  await drain({ peek: true })
  await drain({ via: 'hook' })
  await drain({ via: 'hook' })
  await daemon.stop()

  const events = entriesOf(daemon.dir, 'volt').filter(
    ({ context }) => context.aee_envelope_id === envelope.id,
  )
  const hash = hashOf(envelope)
  expect(events.map(({ event_type, payload }) => [event_type, payload.via, payload.envelope_hash])).toEqual([
    ['aee.envelope.received', undefined, hash],
    ['aee.envelope.sent', 'hook', hash],
  ])
  expect(entriesOf(daemon.dir, 'ward').map(({ payload_hash: one }) => `sha256:${one}`)).toEqual([hash])
  expect(verify(daemon.dir)).toEqual(WHOLE)
})

test('the chains go on after a restart and after a kill that tore the last line (AEE-C15, AEE-C17)', async () => {
  await using dir = await createTempDir()
  const run = async (signal: NodeJS.Signals): Promise<string[]> => {
    await using daemon = await startTestDaemon({ dir, config: CONFIG })
    const ids = await traffic(daemon, 10)
    await request(daemon.socket, '/v1/health')
    await daemon.stop(signal)
    return ids
  }
  const ids = await run('SIGTERM')
  const before = verify(dir)
  ids.push(...(await run('SIGKILL')))
  for (const name of ['volt', 'ward'] as const) appendFileSync(pathOf(dir, name), '{"torn":"')
  ids.push(...(await run('SIGTERM')))

  expect(before).toEqual(WHOLE)
  expect(verify(dir)).toEqual(WHOLE)
  expect(entriesOf(dir, 'ward').map(({ source_id: id }) => id)).toEqual(ids)
  expect(new Set(entriesOf(dir, 'volt').map(({ run_id: id }) => id)).size).toBe(1)
  expect(new Set(entriesOf(dir, 'ward').map(({ chain_id: id }) => id)).size).toBe(1)
})

test('an envelope has one receipt in a chain, though the conformance profile takes it again after a restart (AEE-C17)', async () => {
  await using dir = await createTempDir()
  const envelope = validEnvelope()
  for (let i = 0; i < 2; i += 1) {
    await using daemon = await startTestDaemon({ dir, config: CONFIG, profile: 'conformance' })
    for (let again = 0; again < 2; again += 1) {
      expect((await sendEnvelope(daemon.socket, envelope)).body.duplicate).toBeUndefined()
    }
    await daemon.stop()
  }

  expect(verify(dir)).toEqual(WHOLE)
})

test('an envelope that was forgotten and is sent again has one receipt, over a restart as well (AEE-C17, AC-192)', async () => {
  await using dir = await createTempDir()
  const envelope = validEnvelope()
  for (let i = 0; i < 2; i += 1) {
    await using daemon = await startTestDaemon({ dir, config: CONFIG })
    expect((await sendEnvelope(daemon.socket, envelope)).status).toBe(200)
    await request(daemon.socket, '/v1/frames?sender=~alice', { method: 'DELETE' })
    await daemon.stop()
  }

  expect(verify(dir)).toEqual(WHOLE)
})

test('an envelope without a canonical form, and one with the longest names, break no chain (AEE-C14)', async () => {
  await using dir = await createTempDir()
  for (let i = 0; i < 2; i += 1) {
    await using daemon = await startTestDaemon({ dir, config: CONFIG })
    const beyond = JSON.stringify(validEnvelope({ payload: { x: 0 } })).replace('"x":0', '"x":1e999')
    const lone = JSON.stringify(validEnvelope({ payload: { x: 0 } })).replace(
      '"x":0',
      String.raw`"x\ud800":"\ud800"`,
    )
    const long = validEnvelope({
      id: `${i}|${'i'.repeat(240_000)}`,
      corr: 'c'.repeat(240_000),
      intent: `x.${'y'.repeat(240_000)}`,
      payload: { ['k'.repeat(240_000)]: 1 },
    })
    for (const one of [beyond, lone, long, validEnvelope({ id: `|${i}|pipes|` })]) {
      expect((await sendEnvelope(daemon.socket, one)).status).toBe(200)
    }
    await daemon.stop()
  }

  expect(verify(dir)).toEqual(WHOLE)
})

test('a ledger whose end is no entry is set aside, and a new chain begun: what is there is never added to (AEE-C15)', async () => {
  await using dir = await createTempDir()
  const run = async (): Promise<void> => {
    await using daemon = await startTestDaemon({ dir, config: CONFIG })
    await traffic(daemon, 2)
    await daemon.stop()
  }
  await run()
  for (const name of ['volt', 'ward'] as const) appendFileSync(pathOf(dir, name), '{"not":"an entry"}\n')
  await run()

  expect(verify(dir)).toEqual(WHOLE)
  expect(readdirSync(dir.file('state', 'evidence')).length).toBe(4)
})

/** What makes evidence impossible → how. */
const OBSTACLES: readonly [string, (dir: TempDir) => void][] = [
  ['a folder that others may read', (dir) => chmodSync(dir.file('state', 'evidence'), 0o755)],
  ['a file in place of the folder', (dir) => writeFileSync(dir.file('state', 'evidence'), '')],
  ['a ledger that is a link', (dir) => symlinkSync(dir.file('elsewhere'), pathOf(dir, 'volt'))],
  ['a ledger that others may read', (dir) => writeFileSync(pathOf(dir, 'volt'), '', { mode: 0o644 })],
  ['a folder in place of a ledger', (dir) => mkdirSync(pathOf(dir, 'volt'))],
]

test.each(OBSTACLES)(
  'with %s envelopes go their way, and health says what is not recorded (AEE-C14)',
  async (says, obstruct) => {
    await using dir = await createTempDir()
    mkdirSync(dir.file('state'), { mode: 0o700 })
    if (!says.startsWith('a file')) mkdirSync(dir.file('state', 'evidence'), { mode: 0o700 })
    obstruct(dir)
    await using daemon = await startTestDaemon({ dir, config: CONFIG })
    using stream = await listenFor(daemon.socket, 'bus.ops')
    const envelope = validEnvelope()

    expect((await sendEnvelope(daemon.socket, envelope)).body.recipient_count).toBe(1)
    expect(JSON.parse((await stream.next()).data)).toEqual(envelope)
    const { body } = await request(daemon.socket, '/v1/health')
    expect(body.status).toBe('degraded')
    expect(body.details.join(' ')).toContain('Evidence is not recorded')
  },
)

test('without the store there is no evidence, and health says so', async () => {
  await using daemon = await startTestDaemon({ config: { ...CONFIG, ring: { enabled: false } } })

  expect((await sendEnvelope(daemon.socket, validEnvelope())).status).toBe(200)
  const { body } = await request(daemon.socket, '/v1/health')
  expect(body.details).toEqual([expect.stringContaining('Evidence is not recorded')])
})

/** A ledger on a disk that is full for a while, and then has room again. */
const PROGRAM = `
import { spawnSync } from 'node:child_process'
import { EvidenceFile } from './src/daemon/evidence-file.ts'
import { VoltLedger } from './src/daemon/volt-ledger.ts'
import { readEnvironment } from './src/host/config/paths.ts'
import { systemClock } from './src/core/clock.ts'
const turn = () => new Promise((resolve) => setImmediate(resolve))
const warnings: unknown[] = []
const log = { info() {}, error() {}, warn: (_event: string, fields: unknown) => void warnings.push(fields) }
const daemon: any = { config: { stateDir: process.argv[2] }, environment: readEnvironment(), clock: systemClock, log }
const file = new EvidenceFile(daemon, 'volt', new VoltLedger(systemClock))
const record = async () => {
  for (let i = 0; i < 20; i += 1) {
    file.refused('field-invalid', i)
    await turn()
    await turn()
  }
}
await record()
spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited'])
await record()
file.close()
console.log(warnings.length)
`

test.runIf(hasProgram('prlimit'))(
  'a disk that was full for a while costs evidence, is told once, and leaves a chain that verifies (AEE-C14, AEE-C15)',
  async () => {
    await using dir = await createTempDir()
    await using program = await bundleProgram(PROGRAM)
    mkdirSync(dir.file('state'), { mode: 0o700 })

    const { stdout, stderr } = spawnSync(
      'prlimit',
      ['--fsize=3000:unlimited', process.execPath, program.path, dir.file('state')],
      { encoding: 'utf8' },
    )

    expect([stderr, stdout]).toEqual(['', '1\n'])
    const report = verifyVolt(ledgerLines(textsOf(dir, 'volt')))
    expect([report.verdict, shortFaults(report)]).toEqual(['PASS', []])
    expect(report.events).toBeGreaterThan(20)
  },
)
