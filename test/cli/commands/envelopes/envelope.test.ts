/**
 * `agentd envelope` as people and scripts run it: fetching, drawing, checking and exporting.
 */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../../src/aee/envelope/canonical.ts'
import { TaskError } from '../../../../src/client/index.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { Names, completeText, runEnvelope, sendRaw, serveEntity } from './support.ts'
import { agentd, startOnTerminal, words, type Outcome } from '../../support.ts'
import { hasProgram } from '../../../support/needs.ts'

const shared = new SharedDaemon()
const names = new Names()

/** A workflow of a task that is done, one that failed, one that is open, and one that was refuted. */
async function converse(corr: string): Promise<void> {
  const doer = names.next('agent.doer')
  await using _ = await serveEntity(shared, doer, {
    'ops.a.done': () => ({ ok: true }),
    'ops.a.fails': () => {
      throw new TaskError('E_NO', 'No.')
    },
  })
  const send = (...more: readonly string[]): Promise<Outcome> =>
    runEnvelope(shared, 'send', '--json', '--from', 'agent.asker', '--to', doer, '--corr', corr, ...more)
  await send('--intent', 'ops.a.done', '--wait')
  await send('--intent', 'ops.a.fails', '--wait')
  const open = await runEnvelope(
    shared,
    ...words('send --json --from agent.asker --to bus.ops --corr'),
    corr,
    ...words('--intent ops.a.open --priority high'),
  )
  const { id } = JSON.parse(open.stdout)
  await runEnvelope(
    shared,
    ...words('send --from agent.asker --to service.agentd --intent aee.context.refute'),
    JSON.stringify({ id, reason: 'not\nso' }),
    '--wait',
  )
}

/** Runs `agentd envelope check` where no daemon is and none may be started. */
function check(input: string, ...args: readonly string[]): Promise<Outcome> {
  return agentd(
    { ...shared.daemon.env, AGENTD_SOCKET: '/nowhere/a.sock' },
    ['envelope', 'check', ...args],
    input,
  )
}

const LOG_LINE = '{"v":"1","id":"a-log-line","type":"event","from":"a","intent":"ops.x"}'

async function workflow(): Promise<string> {
  const corr = names.next('workflow')
  const lines = [
    completeText({
      corr,
      intent: 'ops.build.finished',
      priority: 'urgent',
      payload: { user: { email: 'a@b' } },
    }),
    completeText({ corr, intent: 'secret.thing.told' }),
  ]
  await sendRaw(shared, lines.join('\n'))
  return corr
}

describe('get', () => {
  test('what is not there is not-found', async () => {
    expect(await runEnvelope(shared, 'get', 'no-such-envelope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not-found'),
    })
  })

  test('a locator leads there too, and a hash is held against it (AEQ-22)', async () => {
    const id = names.next('an envelope/')
    const text = completeText({ id })
    await sendRaw(shared, text)
    const locator = `store://envelopes/${encodeURIComponent(id)}`
    const hash = hashOf(JSON.parse(text))

    const good = await runEnvelope(shared, 'get', locator, '--hash', hash)
    const bad = await runEnvelope(shared, 'get', id, '--hash', `sha256:${'0'.repeat(64)}`)

    expect(good).toMatchObject({ code: 0, stdout: `${text}\n` })
    expect(bad).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('hash-mismatch') })
  })

  test.each([
    [['store://else/envelope-1'], /names another store/],
    [['store://envelopes/'], /names another store/],
    [['envelope-1', '--hash', 'sha256:abc'], /--hash is "sha256:abc"; it is sha256: and 64 hex digits/],
    [['envelope-1', '--hash', '0'.repeat(64)], /--hash is/],
  ])('what is written wrongly is told: %j', async (args, message) => {
    expect(await runEnvelope(shared, 'get', ...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
  })

  test.runIf(hasProgram('script'))(
    'on a terminal it is indented, and nothing of it moves the cursor',
    async () => {
      const id = names.next('safe-envelope')
      const text = completeText({ id, payload: { text: 'a\u202eb\u001b[2J' } })
      await sendRaw(shared, text)
      await using running = startOnTerminal(shared.daemon.env, ['envelope', 'get', id])

      const { stdout } = await running.ended
      expect(stdout).toContain(`{\r\n  "v": "1",\r\n  "id": "${id}",`)
      for (const unsafe of ['\u202e', '\u001b']) expect(stdout).not.toContain(unsafe)
    },
  )
})

describe('thread', () => {
  test('a workflow is drawn: who asked whom, how long it took, what is open (AEE-C12)', async () => {
    const corr = names.next('workflow')
    await converse(corr)

    const { code, stdout } = await runEnvelope(shared, 'thread', corr)

    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^ENVELOPE +WHO +AFTER +NOTES$/),
      expect.stringMatching(/^task ops\.a\.done +agent\.asker → agent\.doer-\d+$/),
      expect.stringMatching(/^└ result ops\.a\.done +agent\.doer-\d+ → agent\.asker +\+\d+m?s$/),
      expect.stringMatching(/^task ops\.a\.fails +agent\.asker → agent\.doer-\d+$/),
      expect.stringMatching(/^└ error ops\.a\.fails +agent\.doer-\d+ → agent\.asker +\+\d+m?s +E_NO$/),
      expect.stringMatching(
        /^task ops\.a\.open +agent\.asker → bus\.ops +open, \[high\], nobody was listening, refuted by agent\.asker: not ⏎ so$/,
      ),
      expect.stringMatching(/^5 envelopes, 1 task open, [\d.]+m?s from first to last$/),
      '',
    ])
  })

  test('--json is its items and the tree, flat', async () => {
    const corr = names.next('workflow')
    await converse(corr)

    const { stdout } = await runEnvelope(shared, 'thread', corr, '--json')

    const thread = JSON.parse(stdout)
    const ids = thread.items.map((item: { envelope: { id: string } }) => item.envelope.id)
    expect(thread).toMatchObject({ corr, unreadable: 0, open: [ids[4]] })
    expect(
      thread.tree.map(({ id, depth, parent, is_open }: Record<string, unknown>) => [
        id,
        depth,
        parent,
        is_open,
      ]),
    ).toEqual([
      [ids[0], 0, null, false],
      [ids[1], 1, ids[0], false],
      [ids[2], 0, null, false],
      [ids[3], 1, ids[2], false],
      [ids[4], 0, null, true],
    ])
    expect(thread.tree[1]).toMatchObject({
      after_ms: expect.any(Number),
      after_by_senders_ms: expect.any(Number),
      on_its_way_ms: expect.any(Number),
    })
    expect(thread.items[4].refuted).toMatchObject([{ by: 'agent.asker', reason: 'not\nso' }])
  })

  test('--mermaid is a sequence diagram', async () => {
    const corr = names.next('workflow')
    await converse(corr)

    const { stdout } = await runEnvelope(shared, 'thread', corr, '--mermaid')

    expect(stdout.split('\n').map((line) => line.replace(/ \(.*/, ''))).toEqual([
      'sequenceDiagram',
      '  participant p0 as agent.asker',
      expect.stringMatching(/^ {2}participant p1 as agent\.doer-\d+$/),
      '  participant p2 as bus.ops',
      '  p0->>p1: task ops.a.done',
      '  p1-->>p0: result ops.a.done',
      '  p0->>p1: task ops.a.fails',
      '  p1--xp0: error ops.a.fails',
      '  p0->>p2: task ops.a.open',
      '',
    ])
  })

  test('a workflow that nobody knows is nothing', async () => {
    expect(await runEnvelope(shared, 'thread', 'no-such-workflow')).toMatchObject({
      code: 0,
      stdout: 'nothing is retained of no-such-workflow\n',
    })
    const { code, stdout } = await runEnvelope(shared, 'thread', 'no-such-workflow', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ items: [], tree: [], open: [], unreadable: 0 })
  })

  test('a diagram is no JSON', async () => {
    expect(await runEnvelope(shared, 'thread', 'workflow-1', '--mermaid', '--json')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('give one of the two'),
    })
  })
})

describe('check', () => {
  test('every line is judged, and one that falls short is exit code 1 (AEE-041, AEE-042)', async () => {
    const { code, stdout } = await check(`${completeText()}\n${LOG_LINE}\nnonsense\n`)

    expect(code).toBe(1)
    expect(stdout).toMatch(/^stdin:1: MVE-Required\n/)
    expect(stdout).toMatch(/\nstdin:2: MVE-5\n {2}fail AEE-036 .*ts/)
    expect(stdout).toMatch(/\nstdin:3: no level\n {2}fail AEE-001 /)
    expect(stdout).toMatch(/\n3 checked, 2 fall short\n$/)
  })

  test('what has to be reached can be said', async () => {
    const { code, stdout } = await check(LOG_LINE, '--level', 'mve-5')

    expect({ code, hasFailure: stdout.includes('fail') }).toEqual({ code: 0, hasFailure: false })
    expect(stdout).toMatch(/^stdin:1: MVE-5\n/)
    expect((await check('{"v":"1"}', '--level', 'mve-5')).stdout).toMatch(/ {2}fail AEE-/)
    expect(await check(LOG_LINE)).toMatchObject({ code: 1 })
  })

  test('--json has every rule', async () => {
    const { stdout } = await check(completeText({ id: 'short' }), '--json')

    const report = JSON.parse(stdout)
    expect(report).toMatchObject({ file: '-', line: 1, level: 'none' })
    expect(report.rules).toContainEqual(
      expect.objectContaining({ rule: 'AEE-004', field: 'id', outcome: 'fail' }),
    )
    expect(report.rules).toContainEqual(expect.objectContaining({ rule: 'AEE-003', outcome: 'pass' }))
  })

  test('files are read: many lines may be one envelope, and .ndjson never is', async () => {
    const { dir } = shared.daemon
    const one = dir.file(names.next('one.json'))
    const lines = dir.file(`${names.next('lines')}.ndjson`)
    const indented = JSON.stringify(JSON.parse(completeText()), null, 2)
    writeFileSync(one, indented)
    writeFileSync(lines, `${completeText()}\n${completeText()}\n`)
    const broken = dir.file(`${names.next('broken')}.ndjson`)
    writeFileSync(broken, indented)

    const good = await check('', one, lines)
    const bad = await check('', broken)

    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('3 checked, 0 fall short') })
    expect(good.stdout).toContain(`${one}: MVE-Required`)
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining(`${broken}:1: no level`) })
  })

  test('bytes that are no UTF-8 are no envelope, nor is a line that is too long (AEQ-24)', async () => {
    const { dir } = shared.daemon
    const file = dir.file(names.next('bytes'))
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))

    expect(await check('', file)).toMatchObject({ code: 1, stdout: expect.stringContaining('UTF-8') })
    const { code, stdout, stderr } = await check(
      `${completeText()}\n${'x'.repeat(1_048_577)}\n${'\u00e4'.repeat(1_048_577)}\r\n${completeText()}\n`,
    )

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => !line.startsWith('  warn '))).toEqual([
      'stdin:1: MVE-Required',
      'stdin:2: no level',
      expect.stringMatching(/^ {2}fail AEQ-24 /),
      'stdin:3: no level',
      expect.stringMatching(/^ {2}fail AEQ-24 /),
      'stdin:4: MVE-Required',
      '4 checked, 2 fall short',
    ])
  })

  test('a file that is not there, and nothing at all, are mistakes', async () => {
    expect(await check('', '/nowhere/file')).toMatchObject({
      code: 2,
      stderr: 'agentd: /nowhere/file cannot be read: there is no such file.\n',
    })
    expect(await check('')).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to check') })
  })
})

describe('export', () => {
  test('nothing leaves unless it is named (AEE-093)', async () => {
    const { code, stdout, stderr } = await runEnvelope(shared, 'export', await workflow())

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('0 of 2 envelopes may leave')
  })

  test('of a workflow that nobody knows nothing leaves, and that is said', async () => {
    expect(await runEnvelope(shared, 'export', 'no-such-workflow', '--intents', 'ops.*')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'nothing is retained of no-such-workflow\n',
    })
  })

  test('what is named leaves redacted and no more urgent than allowed (AEE-093, AEE-095)', async () => {
    const { code, stdout, stderr } = await runEnvelope(
      shared,
      'export',
      await workflow(),
      ...words('--intents ops.* --redact payload.user.email'),
    )

    expect(code).toBe(0)
    expect(stdout).not.toContain('a@b')
    expect(JSON.parse(stdout)).toMatchObject({
      intent: 'ops.build.finished',
      priority: 'normal',
      sig: null,
      payload: { user: {} },
    })
    expect(stderr).toMatch(/kept back: .*secret\.thing\.told/)
    expect(stderr).toContain('1 of 2 envelopes may leave')
  })

  test('the configuration says what may leave, and an option overrides it', async () => {
    const boundary = { intents: ['secret.*'], max_priority: 'low' }
    await using daemon = await startTestDaemon({ config: { aee: { boundary } } })
    const corr = names.next('workflow')
    const lines = [
      completeText({ corr, priority: 'high' }),
      completeText({ corr, intent: 'secret.thing.told' }),
    ]
    await agentd(daemon.env, ['envelope', 'send', '--raw'], lines.join('\n'))

    const configured = await agentd(daemon.env, ['envelope', 'export', corr])
    const overridden = await agentd(daemon.env, [
      ...words('envelope export'),
      corr,
      ...words('--intents ops.* --max-priority high'),
    ])

    expect(JSON.parse(configured.stdout)).toMatchObject({ intent: 'secret.thing.told', priority: 'low' })
    expect(JSON.parse(overridden.stdout)).toMatchObject({ intent: 'ops.build.finished', priority: 'high' })
  })
})
