/**
 * What the person decides about envelopes, through configuration, key files and schema folders of the real daemon.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readKey, type Key } from '../../../src/aee/keys/key.ts'
import { createKey, revokeKey } from '../../../src/aee/keys/new-key.ts'
import { signEnvelope } from '../../../src/aee/keys/signature.ts'
import { E0_TEXT, ED25519_FILE, HS256_FILE } from '../../aee/vectors.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { listenFor, nextEnvelope, sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { post, request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { detailsBesides } from '../../support/without-sqlite.ts'

/** Puts a key file into the folder as a careful hand does: whole, private, under its name at once. */
function placeKey(daemon: Pick<TestDaemon, 'dir'>, name: string, text: string): void {
  const folder = daemon.dir.file('state', 'keys')
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const draft = daemon.dir.file('state', 'keys', `.${name}.draft`)
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, daemon.dir.file('state', 'keys', `${name}.json`))
}

function newKey(options: Partial<Parameters<typeof createKey>[0]> = {}): { key: Key; text: string } {
  const { text } = createKey({ alg: 'ed25519', entities: ['agent.*'], nowMs: Date.now(), ...options })
  return { key: readKey(text), text }
}

function signed(key: Key, changes: object = {}, form: 'object' | 'jws' = 'object') {
  const envelope = validEnvelope({ ...changes })
  return { ...envelope, sig: signEnvelope(JSON.parse(JSON.stringify(envelope)), key, { form }) }
}

async function outcome(daemon: TestDaemon, envelope: object | string): Promise<unknown> {
  const { status, body } = await sendEnvelope(daemon.socket, envelope)
  return status === 200 ? 'taken' : `${status} ${body.code} ${body.field}`
}

const UNVERIFIABLE = '403 signature-unverifiable sig'
const INVALID = '403 signature-invalid sig'

test('what is signed by a trusted key is taken, what was changed since is refused, and unsigned is well (AEE-044…AEE-050, AEE-082, AEE-084, AEE-085)', async () => {
  await using daemon = await startTestDaemon()
  const [ed, hs] = [newKey(), newKey({ alg: 'HS256' })]
  placeKey(daemon, ed.key.kid, ed.text)
  placeKey(daemon, hs.key.kid, hs.text)
  using stream = await listenFor(daemon.socket, 'bus.ops')

  for (const { key } of [ed, hs]) {
    for (const form of ['object', 'jws'] as const) {
      const good = signed(key, { requires: { human_approval: true } }, form)
      expect(await outcome(daemon, good)).toBe('taken')
      expect(JSON.parse(await nextEnvelope(stream))).toEqual(good)
      // trace, priority and what nobody knows are not bound (AEQ-14).
      const moved = {
        ...signed(key, {}, form),
        trace: { trace_id: 'a', span_id: 'b' },
        priority: 'low',
        x: 1,
      }
      expect(await outcome(daemon, moved)).toBe('taken')
      expect(JSON.parse(await nextEnvelope(stream))).toEqual(moved)
      for (const change of [
        { payload: {} },
        { requires: null },
        { to: 'bus.other' },
        { from: 'agent.else' },
        { reply_to: 'somebody-else' },
        { intent: 'ops.x.y' },
      ]) {
        const forged = { ...signed(key, { requires: { human_approval: true } }, form), ...change }
        expect([key.alg, form, change, await outcome(daemon, forged)]).toEqual([
          key.alg,
          form,
          change,
          INVALID,
        ])
      }
    }
  }
  const unsigned = validEnvelope()
  expect(await outcome(daemon, unsigned)).toBe('taken')
  expect(JSON.parse(await nextEnvelope(stream)).id).toBe(unsigned.id)
})

test('a signature says whose key it is, and the key says for whom and when (AEE-086, AEQ-13)', async () => {
  await using daemon = await startTestDaemon()
  const now = Date.now()
  const { key, text } = newKey({ entities: ['agent.one', 'service.*'] })
  const others = {
    expired: newKey({ notAfter: now - 1_000 }),
    early: newKey({ notBefore: now + 3_600_000 }),
    hs: newKey({ alg: 'HS256' }),
    unknown: newKey(),
  }
  placeKey(daemon, key.kid, text)
  for (const other of [others.expired, others.early, others.hs]) placeKey(daemon, other.key.kid, other.text)

  const by = (own: Key, from: string) => outcome(daemon, signed(own, { from }))
  expect(await by(key, 'agent.one')).toBe('taken')
  expect(await by(key, 'service.any.thing')).toBe('taken')
  const free = newKey({ kid: key.kid, entities: ['*'] })
  expect(await by(free.key, 'agent.two')).toBe(UNVERIFIABLE)
  expect(await by(free.key, 'agent.one')).toBe(INVALID)
  expect(await by(others.expired.key, 'agent.one')).toBe(UNVERIFIABLE)
  expect(await by(others.early.key, 'agent.one')).toBe(UNVERIFIABLE)
  expect(await by(others.unknown.key, 'agent.one')).toBe(UNVERIFIABLE)
  const confused = signed(key, { from: 'agent.one' })
  expect(await outcome(daemon, { ...confused, sig: { ...Object(confused.sig), alg: 'HS256' } })).toBe(INVALID)
  expect(await outcome(daemon, { ...confused, sig: { ...Object(confused.sig), value: 'AAAA' } })).toBe(
    INVALID,
  )
  expect(
    await outcome(daemon, { ...confused, sig: { ...Object(confused.sig), kid: others.hs.key.kid } }),
  ).toBe(INVALID)
})

test('where signatures are required, a key that is revoked, removed or added counts from the next one on, without a restart (AEE-083, AEE-086)', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { signatures: 'require' } } })
  const { key, text } = newKey()
  const send = () => outcome(daemon, signed(key))

  expect(await outcome(daemon, validEnvelope())).toBe('403 signature-required sig')
  expect(await outcome(daemon, validEnvelope({ sig: undefined }))).toBe('403 signature-required sig')
  expect(await send()).toBe(UNVERIFIABLE)
  placeKey(daemon, key.kid, text)
  expect(await send()).toBe('taken')
  placeKey(daemon, key.kid, revokeKey(text))
  expect(await send()).toBe(UNVERIFIABLE)
  placeKey(daemon, key.kid, text)
  expect(await send()).toBe('taken')
  unlinkSync(daemon.dir.file('state', 'keys', `${key.kid}.json`))
  expect(await send()).toBe(UNVERIFIABLE)
})

test('with signatures required the daemon still answers signed tasks, and its thread is whole (AEE-058)', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { signatures: 'require' } } })
  const { key, text } = newKey()
  placeKey(daemon, key.kid, text)
  using stream = await listenFor(daemon.socket, 'agent.asker')

  expect(
    await outcome(
      daemon,
      signed(key, { from: 'agent.asker', to: 'service.agentd', intent: 'aee.status.ping', payload: {} }),
    ),
  ).toBe('taken')

  expect(JSON.parse(await nextEnvelope(stream)).payload).toMatchObject({ pong: true })
})

test('a relay passes on whatever signature there is, unread (AEQ-13)', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { signatures: 'relay' } } })
  using stream = await listenFor(daemon.socket, 'bus.ops')

  for (const sig of ['', 'any', {}, { alg: 'none' }, { alg: 'ed25519', kid: 'x', value: 'A' }]) {
    const envelope = validEnvelope({ sig })
    expect(await outcome(daemon, envelope)).toBe('taken')
    expect(JSON.parse(await nextEnvelope(stream))).toEqual(envelope)
  }
})

test('a key folder that others may read holds no key, and health says so from the start (R-02)', async () => {
  await using dir = await createTempDir()
  const { key, text } = newKey()
  placeKey({ dir }, key.kid, text)
  chmodSync(dir.file('state'), 0o700)
  chmodSync(dir.file('state', 'keys', `${key.kid}.json`), 0o644)
  await using daemon = await startTestDaemon({ dir })

  const before = await request(daemon.socket, '/v1/health')
  const sent = await outcome(daemon, signed(key))
  const after = await request(daemon.socket, '/v1/health')

  expect(sent).toBe(UNVERIFIABLE)
  expect(after.body.status).toBe('degraded')
  expect(detailsBesides(after.body.details)).toEqual([expect.stringContaining('0644')])
  expect(before.body.status).toBe('degraded')
})

test('the published vectors hold from end to end, and the ten fields only where they are allowed (docs/requirements.md §9, AEQ-14)', async () => {
  const vectors = [
    [
      'key-2',
      'ed25519',
      '46H2ddLduMYAzAsy1rnjiXCgFCFjygmudzDo+A52SlvdTQmxTaoD1gpotIolNN+p7bEZp1I6KzDJPsq2B+Z/AQ==',
      undefined,
    ],
    [
      'key-2',
      'ed25519',
      '46H2ddLduMYAzAsy1rnjiXCgFCFjygmudzDo+A52SlvdTQmxTaoD1gpotIolNN+p7bEZp1I6KzDJPsq2B+Z/AQ==',
      'aee-jcs-1',
    ],
    [
      'key-2',
      'ed25519',
      'VIlZtWbQZdUMhdljeGY6yimg7/5Ho4llNYUmq2ZGy3Pm4TyYNfuOkI3nVkUDz1ar3zNznj8mEKRskXoVnvS+Cw==',
      'aee-jcs-10',
    ],
    ['shared-1', 'HS256', 'PwmeVa2st60lg+7KIokcI7okzl0yoGz8vJ8U+zCTmRA=', 'aee-jcs-10'],
  ] as const
  for (const allowsTen of [false, true]) {
    await using daemon = await startTestDaemon({
      profile: 'conformance',
      config: { aee: { ten_field_signatures: allowsTen } },
    })
    placeKey(daemon, 'key-2', JSON.stringify(ED25519_FILE))
    placeKey(daemon, 'shared-1', JSON.stringify(HS256_FILE))
    using stream = await listenFor(daemon.socket, 'agent.backup_auditor')
    for (const [kid, alg, value, canon] of vectors) {
      const sig = JSON.stringify({ alg, kid, value, ...(canon !== undefined && { canon }) })
      const envelope = E0_TEXT.replace('"sig": null', `"sig": ${sig}`)
      const isTaken = allowsTen || canon !== 'aee-jcs-10'
      expect(await outcome(daemon, envelope)).toBe(isTaken ? 'taken' : '403 signature-unverifiable sig.canon')
      if (isTaken) expect(JSON.parse(await nextEnvelope(stream))).toEqual(JSON.parse(envelope))
      const forged = envelope.replace('"24h"', '"25h"')
      expect(await outcome(daemon, forged)).toBe(isTaken ? INVALID : '403 signature-unverifiable sig.canon')
      // Stripping the approval leaves the ten fields as they were: that is why they do not do.
      const stripped = envelope.replace('"human_approval": false', '"human_approval": true')
      expect(await outcome(daemon, stripped)).toBe(
        canon === 'aee-jcs-10' ? (allowsTen ? 'taken' : '403 signature-unverifiable sig.canon') : INVALID,
      )
      if (canon === 'aee-jcs-10' && allowsTen) await nextEnvelope(stream)
    }
  }
})

const SCHEMA = { type: 'object', required: ['window'], properties: { window: { type: 'string' } } }

function placeSchema(folder: string, name: string, schema: unknown): void {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  writeFileSync(`${folder}/.draft`, text, { mode: 0o600 })
  renameSync(`${folder}/.draft`, `${folder}/${name}.schema.json`)
}

test('payloads are held against the schemas of a folder as the policy says, and a change of the folder counts while it runs (AEE-020, AEE-022, AEE-067, AEE-068)', async () => {
  await using dir = await createTempDir()
  const folder = dir.file('schemas')
  mkdirSync(folder, { mode: 0o700 })
  for (const intent of ['ops.enforced', 'ops.warned', 'ops.off', 'docs.any'])
    placeSchema(folder, `${intent}.task`, SCHEMA)
  await using daemon = await startTestDaemon({
    config: {
      aee: {
        schemas: [folder],
        payloads: { 'ops.*': 'enforce', 'ops.warned': 'warn', 'ops.off': 'off', '*': 'warn' },
      },
    },
  })
  await post(daemon.socket, '/v1/sessions', { instrument: 'cc', entities: ['bus.ops'], mailbox: true })
  const send = async (intent: string, payload: object, type = 'task') => {
    const { status, body } = await sendEnvelope(
      daemon.socket,
      validEnvelope({ intent, payload, type, ...(type === 'result' && { reply_to: 'abcdefgh' }) }),
    )
    return status === 200
      ? body.warnings.map(({ code }: { code: string }) => code)
      : `${status} ${body.code} ${body.field}`
  }

  expect(await send('ops.enforced', { window: 5, secret: 'hush' })).toBe('422 payload-invalid payload')
  expect(await send('ops.enforced', { window: '24h' })).toEqual([])
  expect(await send('ops.warned', {})).toEqual(['payload-invalid'])
  expect(await send('ops.off', {})).toEqual([])
  expect(await send('docs.any', {})).toEqual(['payload-invalid'])
  // Nobody published a schema for these (AEE-056).
  expect(await send('ops.unpublished', {})).toEqual([])
  expect(await send('ops.enforced', {}, 'result')).toEqual([])
  expect(await send('ops.enforced', {}, 'event')).toEqual([])
  const refusal = await sendEnvelope(
    daemon.socket,
    validEnvelope({ intent: 'ops.enforced', payload: { window: { a: 'hush' } } }),
  )
  expect(refusal.body.message).toContain('window')
  expect(refusal.text).not.toContain('hush')

  placeSchema(folder, 'ops.unpublished.task', SCHEMA)
  await expect.poll(() => send('ops.unpublished', {})).toBe('422 payload-invalid payload')
  placeSchema(folder, 'ops.enforced.task', { type: 'object' })
  await expect.poll(() => send('ops.enforced', {})).toEqual([])
  rmSync(`${folder}/ops.unpublished.task.schema.json`)
  await expect.poll(() => send('ops.unpublished', {})).toEqual([])
  placeSchema(folder, 'ops.broken.task', '{"type":')
  const details = async () => detailsBesides((await request(daemon.socket, '/v1/health')).body.details)
  await expect.poll(async () => (await details()).length).toBe(1)
  expect(await send('ops.warned', {})).toEqual(['payload-invalid'])
})

test('a schema that is being edited counts as it was before, until it is mended or goes (AEE-022, AEE-067)', async () => {
  await using dir = await createTempDir()
  const folder = dir.file('schemas', 'intents')
  mkdirSync(folder, { mode: 0o700, recursive: true })
  placeSchema(folder, 'ops.edited.task', SCHEMA)
  placeSchema(folder, 'ops.fine.task', { $ref: 'ops.edited.task.schema.json' })
  await using daemon = await startTestDaemon({
    config: { aee: { schemas: [dir.file('schemas')], payloads: { '*': 'enforce' } } },
  })
  const path = `${folder}/ops.edited.task.schema.json`
  const send = (intent = 'ops.edited') => outcome(daemon, validEnvelope({ intent, payload: {} }))
  const details = async (): Promise<readonly string[]> =>
    detailsBesides((await request(daemon.socket, '/v1/health')).body.details)
  const refused = '422 payload-invalid payload'

  expect([await send(), await send('ops.fine'), await details()]).toEqual([refused, refused, []])
  for (const [text, says] of [
    ['{"type":', 'is not valid JSON'],
    [{ pattern: '(?=x)' }, 'cannot be matched in bounded time'],
    ['', 'is not valid JSON'],
  ] as const) {
    placeSchema(folder, 'ops.edited.task', text)
    await expect
      .poll(details)
      .toEqual([expect.stringContaining(says), expect.stringContaining('counts as it was before')])
    expect([await send(), await send('ops.fine')]).toEqual([refused, refused])
  }
  placeSchema(folder, 'ops.edited.task', SCHEMA)
  await expect.poll(details).toEqual([])
  chmodSync(path, 0o666)
  placeSchema(folder, 'ops.other.task', SCHEMA)
  await expect
    .poll(details)
    .toEqual([
      expect.stringContaining('others may write it'),
      expect.stringContaining('counts as it was before'),
    ])
  expect([await send(), await send('ops.fine')]).toEqual([refused, refused])
  rmSync(path)
  await expect.poll(() => send()).toBe('taken')
})

test('a schema folder without schemas is told in health (AEE-067)', async () => {
  await using dir = await createTempDir()
  const folder = dir.file('schemas')
  mkdirSync(folder, { mode: 0o700 })
  await using daemon = await startTestDaemon({ config: { aee: { schemas: [folder] } } })

  const { body } = await request(daemon.socket, '/v1/health')
  expect(body.status).toBe('degraded')
  expect(detailsBesides(body.details)).toEqual([expect.stringContaining('holds no <intent>')])
})

test('a schema folder that is not there is told in health, and costs nothing else (AEE-067)', async () => {
  await using dir = await createTempDir()
  await using daemon = await startTestDaemon({
    config: { aee: { schemas: [dir.file('nowhere')], payloads: { '*': 'enforce' } } },
  })

  expect(await outcome(daemon, validEnvelope())).toBe('taken')
  const { body } = await request(daemon.socket, '/v1/health')
  expect(body.status).toBe('degraded')
  expect(detailsBesides(body.details)).toEqual([expect.stringContaining('nowhere')])
})

/** Rewrites the configuration and has it read again; what comes from then on is judged by it. */
async function reload(daemon: TestDaemon, config: object | string): Promise<void> {
  const count = (): number => daemon.stderr().match(/"event":"reload/g)?.length ?? 0
  const before = count()
  const path = daemon.dir.file('config', 'agentd.json')
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config), { mode: 0o600 })
  process.kill(daemon.pid, 'SIGHUP')
  // Not polled at intervals: the very next envelope is to be judged by the new rules.
  while (count() === before) await request(daemon.socket, '/v1/health')
}

test('what is decided about envelopes changes with a reload, at once (docs/http.md §1)', async () => {
  await using dir = await createTempDir()
  const folder = dir.file('schemas')
  mkdirSync(folder, { mode: 0o700 })
  placeSchema(folder, 'ops.enforced.task', SCHEMA)
  await using daemon = await startTestDaemon({ config: {} })
  const odd = () => outcome(daemon, validEnvelope({ ts: 'about noon' }))
  const unfit = () => outcome(daemon, validEnvelope({ intent: 'ops.enforced' }))
  const unsigned = () => outcome(daemon, validEnvelope())
  const all = async () => [await odd(), await unfit(), await unsigned()]
  const taken = ['taken', 'taken', 'taken']

  expect(await all()).toEqual(taken)
  await reload(daemon, { aee: { profile: 'strict' } })
  expect(await all()).toEqual(['400 field-invalid ts', 'taken', 'taken'])
  await reload(daemon, { aee: { signatures: 'require' } })
  expect(await unsigned()).toBe('403 signature-required sig')
  await reload(daemon, { aee: { payloads: { '*': 'enforce' }, schemas: [folder] } })
  expect(await all()).toEqual(['taken', '422 payload-invalid payload', 'taken'])
  await reload(daemon, { aee: { payloads: { '*': 'nonsense' } } })
  expect(await unfit()).toBe('422 payload-invalid payload')
  await reload(daemon, '{')
  expect(await unfit()).toBe('422 payload-invalid payload')
  await reload(daemon, {})
  expect(await all()).toEqual(taken)
  await reload(daemon, { aee: { volt: true, ward: true } })
  expect(daemon.stderr()).toMatch(/"need_restart":"aee\.volt, aee\.ward"/)
})

test.each([
  [{ aee: { profil: 'strict' } }, 'aee.profil'],
  [{ aee: { signatures: 'sometimes' } }, 'aee.signatures'],
  [{ aee: { schemas: ['relative'] } }, 'aee.schemas.0'],
  [{ aee: { payloads: { 'ops.*': 'on' } } }, 'aee.payloads'],
  [{ aee: { boundary: { max_priority: 'asap' } } }, 'aee.boundary.max_priority'],
  [{ aee: { boundary: { allow: [] } } }, 'aee.boundary.allow'],
  [{ limits: { priority_burst: 0 } }, 'limits.priority_burst'],
  [{ aee: true }, 'aee'],
])(
  'the configuration %j stops the start with 78 and names the key (docs/http.md §1)',
  async (config, key) => {
    await expect(startTestDaemon({ config })).rejects.toMatchObject({
      exit: { code: 78 },
      stderr: expect.stringContaining(`"${key}`),
    })
  },
)
