/**
 * `agentd audit verify` (docs/requirements.md §§2.3, 2.4), which needs no daemon.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatVoltEvent, voltEvent, type VoltEvent } from '../../../../src/aee/evidence/volt.ts'
import { formatWardEntry, wardEntry, type WardEntry } from '../../../../src/aee/evidence/ward.ts'
import { AGENTD, agentd, createUser } from '../../support.ts'

const HASH = '0'.repeat(64)

const Audited = z.strictObject({
  file: z.string(),
  format: z.string(),
  verdict: z.string(),
  entries: z.number(),
  faults: z.array(z.strictObject({ line: z.number(), code: z.string(), message: z.string() })),
  fault_count: z.number(),
  uncovered: z.array(z.string()),
})

/** The lines of a VOLT ledger. */
function voltLines(length: number): readonly string[] {
  const events: VoltEvent[] = []
  for (let i = 1; i <= length; i += 1) {
    const draft = {
      eventId: `E${i}`,
      runId: 'RUN1',
      atMs: i,
      eventType: 'run.started',
      actor: { actor_type: 'system', actor_id: 'a' },
      context: { correlation_id: 'c' },
      payload: {},
    } as const
    events.push(voltEvent(events.at(-1), draft))
  }
  return events.map(formatVoltEvent)
}

/** The lines of a WARD chain. */
function wardLines(length: number): readonly string[] {
  const entries: WardEntry[] = []
  for (let i = 1; i <= length; i += 1) {
    const draft = {
      chainId: 'ward:test',
      entryId: `W${i}`,
      issuerId: 'a',
      atMs: i,
      sourceKind: 'AEE',
      sourceId: `envelope-${i}`,
      payloadHash: HASH,
    } as const
    entries.push(wardEntry(entries.at(-1), draft))
  }
  return entries.map(formatWardEntry)
}

/** Somebody with files of these lines in the place of the daemon's evidence. */
async function createEvidence(files: Readonly<Record<string, readonly string[]>>) {
  const user = await createUser()
  mkdirSync(user.dir.file('state', 'evidence'), { recursive: true, mode: 0o700 })
  const pathOf = (name: string): string => user.dir.file('state', 'evidence', name)
  for (const [name, lines] of Object.entries(files)) writeFileSync(pathOf(name), `${lines.join('\n')}\n`)
  return { ...user, pathOf, [Symbol.asyncDispose]: () => user[Symbol.asyncDispose]() }
}

/** What WARD 0.1 leaves out of its chain is named (HD-22). */
const UNCOVERED = '; not covered: ward_version, issuer_id, source_ts'

test('evidence that is whole ends with 0, and both files of the daemon are looked at', async () => {
  await using user = await createEvidence({ 'volt.ndjson': voltLines(3), 'ward.ndjson': wardLines(1) })

  const outcome = await agentd(user.env, ['audit', 'verify'])

  expect(outcome).toEqual({
    code: 0,
    stdout: `PASS  ${user.pathOf('volt.ndjson')}  VOLT, 3 events\nINTACT  ${user.pathOf('ward.ndjson')}  WARD, 1 receipt${UNCOVERED}\n`,
    stderr: '',
  })
})

test('evidence that was tampered with ends with 1 and says where', async () => {
  const lines = voltLines(3).map((line, i) =>
    i === 1 ? line.replace('"actor_id":"a"', '"actor_id":"b"') : line,
  )
  await using user = await createEvidence({ 'volt.ndjson': lines, 'ward.ndjson': wardLines(2) })

  const text = await agentd(user.env, ['audit', 'verify'])
  const json = await agentd(user.env, ['audit', 'verify', '--json'])

  expect(text).toMatchObject({ code: 1, stderr: '' })
  expect(text.stdout).toContain('FAIL')
  expect(text.stdout).toMatch(/^line 2 +EVENT_HASH_MISMATCH +\S/m)
  expect(json.code).toBe(1)
  const audits = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => Audited.parse(JSON.parse(line)))
  expect(audits).toMatchObject([
    {
      format: 'VOLT',
      verdict: 'FAIL',
      entries: 3,
      fault_count: 1,
      faults: [{ line: 2, code: 'EVENT_HASH_MISMATCH' }],
    },
    {
      format: 'WARD',
      verdict: 'INTACT',
      entries: 2,
      fault_count: 0,
      faults: [],
      uncovered: ['ward_version', 'issuer_id', 'source_ts'],
    },
  ])
})

test('a chain with a line taken out is broken, one whose writer was killed is partial: both end with 1', async () => {
  const [one = '', two = '', three = ''] = wardLines(3)
  await using user = await createEvidence({ a: [one, three], b: [one, two, three.slice(0, 30)] })

  const broken = await agentd(user.env, ['audit', 'verify', user.pathOf('a')])
  const partial = await agentd(user.env, ['audit', 'verify', user.pathOf('b'), '--json'])

  expect(broken).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^BROKEN .*\n.*\nline 2 +SEQ_INVALID/),
  })
  expect(partial.code).toBe(1)
  expect(Audited.parse(JSON.parse(partial.stdout))).toMatchObject({
    verdict: 'PARTIAL',
    entries: 2,
    faults: [{ line: 3, code: 'INCOMPLETE_CHAIN' }],
  })
})

test('the first line says what a file is, and where it is broken its name does', async () => {
  await using user = await createEvidence({
    'ward.ndjson': voltLines(1),
    'volt.ndjson': ['x', ...voltLines(2)],
  })

  const named = await agentd(user.env, ['audit', 'verify', user.pathOf('ward.ndjson')])
  const broken = await agentd(user.env, ['audit', 'verify', user.pathOf('volt.ndjson')])

  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('VOLT, 1 event\n') })
  expect(broken).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^FAIL [^]*line 1 +INVALID_EVENT_JSON/),
  })
})

test('what cannot be read ends with 2, and the rest is verified all the same', async () => {
  await using user = await createEvidence({ good: wardLines(1), empty: [], neither: ['{"a":1}'] })
  const { pathOf } = user

  const outcome = await agentd(user.env, [
    'audit',
    'verify',
    pathOf('absent'),
    pathOf('empty'),
    pathOf('neither'),
    user.dir.path,
    pathOf('good'),
  ])

  expect(outcome).toMatchObject({
    code: 2,
    stdout: `INTACT  ${pathOf('good')}  WARD, 1 receipt${UNCOVERED}\n`,
  })
  const said = outcome.stderr.trimEnd().split('\n')
  expect(said).toHaveLength(4)
  expect(said[0]).toContain(`${pathOf('absent')} cannot be read: there is no such file.`)
  expect(said[1]).toContain('is empty')
  expect(said[2]).toContain('neither a VOLT ledger nor a WARD chain')
  expect(said[3]).toContain('manifest.json cannot be read: there is no such file.')
})

test('where there is no evidence, that is said with 2: nothing was verified', async () => {
  await using user = await createUser()

  const { code, stdout, stderr } = await agentd(user.env, ['audit', 'verify'])

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(user.dir.file('state', 'evidence'))
})

test('a line that is too long ends with 2', async () => {
  await using user = await createEvidence({ long: [...voltLines(1), 'x'.repeat(1_048_577)] })

  const { code, stderr } = await agentd(user.env, ['audit', 'verify', user.pathOf('long')])

  expect({ code, stderr: stderr.includes('too long') }).toEqual({ code: 2, stderr: true })
})

test('a file longer than any chunk is read to its end, without a line break there too', async () => {
  await using user = await createEvidence({})
  const lines = wardLines(400)
  writeFileSync(user.pathOf('long'), lines.join('\n'))

  const { stdout } = await agentd(user.env, ['audit', 'verify', user.pathOf('long')])

  expect(Buffer.byteLength(lines.join('\n'))).toBeGreaterThan(2 * 65_536)
  expect(stdout).toContain('WARD, 400 receipts')
})

test('a pipe can be verified, though it can be read only once', async () => {
  await using user = await createEvidence({ ledger: voltLines(400) })

  const { status, stdout } = spawnSync(
    'sh',
    [
      '-c',
      `cat "$1" | "$2" "$3" audit verify /dev/stdin`,
      'sh',
      user.pathOf('ledger'),
      process.execPath,
      AGENTD,
    ],
    { env: user.env, encoding: 'utf8' },
  )

  expect({ status, stdout }).toEqual({ status: 0, stdout: 'PASS  /dev/stdin  VOLT, 400 events\n' })
})

test('what is wrong in a hundred and one places lists the first hundred', async () => {
  await using user = await createEvidence({ 'volt.ndjson': Array.from({ length: 101 }, () => 'x') })

  const { stdout } = await agentd(user.env, ['audit', 'verify'])

  expect(stdout.match(/INVALID_EVENT_JSON/g)).toHaveLength(100)
  expect(stdout).toContain('and 1 fault more\n')
})
