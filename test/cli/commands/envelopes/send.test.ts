/**
 * `agentd envelope send` as people and scripts run it, against a real daemon.
 */
import { describe, expect, test } from 'vitest'
import { ENVELOPE_FIELDS } from '../../../../src/aee/envelope/envelope.ts'
import { TaskError, connect } from '../../../../src/client/index.ts'
import { gate } from '../../../client/envelope-peers.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { Names, completeText, runEnvelope, sendRaw, serveEntity } from './support.ts'
import { agentd, startAgentd, words } from '../../support.ts'

const shared = new SharedDaemon()
const names = new Names()

/** The words of a task of a person that is waited for. */
function waitedTask(to: string, intent: string, ...more: readonly string[]): readonly string[] {
  return ['send', '--from', 'human.alice', '--to', to, '--intent', intent, '--wait', ...more]
}

describe('send', () => {
  test('an envelope is composed whole, and what became of it is told (AEE-C03)', async () => {
    const { code, stdout, stderr } = await runEnvelope(
      shared,
      ...words('send --from agent.a --to bus.ops --intent ops.build.finished'),
      ...words('--type event --corr workflow-send --reply-to something-before'),
      '--requires',
      '{"evidence":true}',
      '{"build":7}',
    )
    const id = /^id (\S+)$/m.exec(stdout)?.[1] ?? ''
    const got = await runEnvelope(shared, 'get', id)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      `sent event ops.build.finished for bus.ops; nobody is listening just now\nid ${id}\ncorr workflow-send\n`,
    )
    const sent = JSON.parse(got.stdout)
    expect(Object.keys(sent)).toEqual(ENVELOPE_FIELDS)
    expect(sent).toMatchObject({
      corr: 'workflow-send',
      reply_to: 'something-before',
      requires: { evidence: true },
      payload: { build: 7 },
    })
  })

  test('--json is the daemon\u2019s answer and the envelope, names untouched', async () => {
    const { stdout } = await agentd(
      shared.daemon.env,
      [
        ...words('envelope send --json --from agent.a --to bus.ops --intent ops.x.y'),
        ...words('--type event -'),
      ],
      '{\n  "camelCase": {"eventId": 1}\n}\n',
    )

    expect(JSON.parse(stdout)).toMatchObject({
      id: expect.any(String),
      recipient_count: 0,
      effective_priority: 'normal',
      warnings: [],
      envelope: { payload: { camelCase: { eventId: 1 } } },
    })
  })

  test('under --quiet it is only the id', async () => {
    const { stdout } = await agentd(shared.daemon.env, [
      ...words('envelope send --quiet --from agent.a --to bus.ops --intent ops.x.y'),
      ...words('--type event'),
    ])

    expect(stdout).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}\n$/)
  })

  test('what the daemon thinks of it is a note', async () => {
    const { code, stderr } = await runEnvelope(
      shared,
      ...words('send --from agent.a --to bus.ops --intent ops.x.y --type event'),
      '--requires',
      '{"timeout_ms":"soon"}',
    )

    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: field-invalid: .*timeout_ms/)
  })

  test('the trace of the surroundings is gone on with, by a span of its own (AEE-015, AEE-040)', async () => {
    const traceId = 'a'.repeat(32)
    const parent = `00-${traceId}-${'b'.repeat(16)}-01`
    const args = ['envelope', 'send', '--json', '--from', 'agent.a', '--to', 'bus.ops', '--intent', 'ops.x.y']
    const { env } = shared.daemon
    const [named, inherited, broken] = await Promise.all([
      agentd(env, [...args, '--type', 'event', '--trace-parent', parent]),
      agentd({ ...env, TRACEPARENT: parent }, [...args, '--type', 'event']),
      agentd({ ...env, TRACEPARENT: 'nonsense' }, [...args, '--type', 'event']),
    ])

    for (const { stdout } of [named, inherited]) {
      expect(JSON.parse(stdout).envelope.trace).toEqual({
        trace_id: traceId,
        span_id: expect.stringMatching(/^[\da-f]{16}$/),
        parent_span_id: 'b'.repeat(16),
      })
    }
    expect(JSON.parse(broken.stdout).envelope.trace).toBeNull()
  })

  test('one level too many is refused as the daemon would, before anything is sent (ACQ-40)', async () => {
    const payload = `{"a":${'['.repeat(64)}${']'.repeat(64)}}`

    const { code, stderr } = await runEnvelope(
      shared,
      ...words('send --from a --to b --intent ops.x.y'),
      payload,
    )

    expect(code).toBe(1)
    expect(stderr).toBe('agentd: field-invalid: The payload is nested more than 64 levels deep. [payload]\n')
  })

  test.each([
    [['--to', 'bus.ops', '--intent', 'ops.x.y'], /--from is missing/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '{"a":}'], /stops being JSON at line 1, column 6/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '[1]'], /must be a JSON object/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--requires', 'x'], /--requires stops being JSON/],
    [
      ['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '{"a":[9007199254740993]}'],
      /^agentd: The payload holds the number 9007199254740993, which cannot be sent without rounding it; /,
    ],
    [
      ['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '{"a":1e400}'],
      /The payload holds the number 1e400,/,
    ],
    [
      ['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '{"a":1,"a":2}'],
      /^agentd: The payload names a member twice\.\n$/,
    ],
    [
      ['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--requires', '{"timeout_ms":1e999}'],
      /--requires holds the number 1e999,/,
    ],
    [
      ['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--requires', '{"a":1,"\\u0061":1}'],
      /--requires names a member twice/,
    ],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--trace-parent', 'x'], /--trace-parent is "x"/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--timeout', '1s'], /goes with --wait/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--type', 'event', '--wait'], /goes with a task/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--sign', 'no-such-key'], /no key "no-such-key"/],
    [['--from', 'a', '--to', 'b', '--intent', 'ops.x.y', '--priority', 'huge'], /priority/],
    [['--raw', '--from', 'a'], /takes no other option/],
  ])('what is written wrongly is told before anything is sent: %j', async (args, message) => {
    const { code, stderr } = await runEnvelope(shared, 'send', ...args)

    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('a refusal is the daemon\u2019s, with its code', async () => {
    const unknown = await runEnvelope(
      shared,
      ...words('send --from agent.a --to'),
      names.next('agent.nobody'),
      ...words('--intent ops.x.y'),
    )
    const invalid = await runEnvelope(shared, 'send', '--from', 'agent.a', '--to', 'agent.b', '--intent', 'x')

    expect([unknown.code, invalid.code]).toEqual([1, 1])
    expect(unknown.stderr).toMatch(/^agentd: recipient-unknown: /)
    expect(invalid.stderr).toMatch(/^agentd: field-invalid: "intent"/)
  })

  test('a signed one verifies (AEE-045)', async () => {
    await using daemon = await startTestDaemon({ config: { aee: { signatures: 'require' } } })
    const args = ['envelope', 'send', '--from', 'agent.a', '--to', 'bus.ops', '--intent', 'ops.x.y']
    await agentd(daemon.env, ['keys', 'new', 'agent.*', '--kid', 'mine'])

    const unsigned = await agentd(daemon.env, [...args, '--type', 'event'])
    const signed = await agentd(daemon.env, [...args, '--type', 'event', '--sign', 'mine', '--json'])
    const foreign = await agentd(daemon.env, [
      ...args,
      '--type',
      'event',
      '--from',
      'other.a',
      '--sign',
      'mine',
    ])

    expect(unsigned).toMatchObject({ code: 1, stderr: expect.stringContaining('signature-required') })
    expect(signed.code).toBe(0)
    expect(JSON.parse(signed.stdout).envelope.sig).toMatchObject({ kid: 'mine', canon: 'aee-jcs-1' })
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('may not sign') })
  })
})

describe('send --wait', () => {
  test('a person asks: the parts, then the result (AEQ-21, AEE-031)', async () => {
    const doer = names.next('agent.doer')
    await using _ = await serveEntity(shared, doer, {
      'ops.a.b': async ({ payload, from }, { stream }) => {
        await stream({ half: true })
        return { from, got: payload }
      },
    })

    const people = await runEnvelope(shared, ...waitedTask(doer, 'ops.a.b', '{"a":1}'))
    const programs = await runEnvelope(shared, ...waitedTask(doer, 'ops.a.b', '--json'))

    expect(people).toMatchObject({ code: 0, stderr: '' })
    expect(people.stdout).toBe('{"half":true}\n{\n  "from": "human.alice",\n  "got": {\n    "a": 1\n  }\n}\n')
    const items = programs.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(items.map(({ type, envelope: { type: kind }, late }) => [type, kind, late])).toEqual([
      ['envelope', 'stream', false],
      ['envelope', 'result', false],
    ])
    expect(items[0]).not.toHaveProperty('text')
  })

  test('an error is told and is exit code 1', async () => {
    const doer = names.next('agent.doer')
    await using _ = await serveEntity(shared, doer, {
      'ops.a.b': () => {
        throw new TaskError('E_NOT_\u001b[31mNOW', 'The disk is\nasleep.')
      },
    })

    const { code, stdout, stderr } = await runEnvelope(shared, ...waitedTask(doer, 'ops.a.b'))

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('agentd: E_NOT_[31mNOW: The disk is ⏎ asleep.\n')
  })

  test('nobody there is exit code 3, at once', async () => {
    const doer = names.next('agent.doer')
    await (await serveEntity(shared, doer, {}))[Symbol.asyncDispose]()

    const { code, stderr } = await runEnvelope(shared, ...waitedTask(doer, 'ops.a.b'))

    expect(code).toBe(3)
    expect(stderr).toBe(
      `agentd: "${doer}" is known but not listening, and no mailbox keeps the task; it is retained, and delivered when "${doer}" reconnects with its cursor.\n`,
    )
  })

  test('a task that waits in a mailbox is waited for, and that is said', async () => {
    await using client = await connect({ socket: shared.socket })
    const sleeper = names.next('agent.sleeper')
    await client.session({ instrument: 'sleeper', mailbox: true, entities: [sleeper] })

    const { code, stderr } = await runEnvelope(
      shared,
      ...waitedTask(sleeper, 'ops.a.b', '--timeout', '200ms'),
    )

    expect(code).toBe(4)
    expect(stderr).toMatch(
      new RegExp(
        `^"${sleeper}" is not listening just now; the task waits in a mailbox\\.\nagentd: The time is over: `,
      ),
    )
  })

  test('what somebody else says under the id of the task is a note, and not its end', async () => {
    const doer = names.next('agent.doer')
    const forger = names.next('agent.forger')
    await using other = await serveEntity(shared, forger, {})
    await using _ = await serveEntity(shared, doer, {
      'ops.a.b': async (task) => {
        await other.session.sendEnvelope({
          type: 'error',
          from: forger,
          to: task.from,
          intent: task.intent,
          corr: task.corr,
          replyTo: task.id,
          payload: { code: 'E_FORGED', message: 'No.', retryable: false },
        })
        return { ok: true }
      },
    })

    const { code, stdout, stderr } = await runEnvelope(
      shared,
      ...waitedTask(doer, 'ops.a.b', '--timeout', '30s'),
    )

    expect({ code, stdout }).toEqual({ code: 0, stdout: '{\n  "ok": true\n}\n' })
    expect(stderr).toBe(`"${forger}", who was not asked, said an error to the task; "${doer}" was asked.\n`)
  })

  test('no answer in time is exit code 4', async () => {
    const doer = names.next('agent.doer')
    const over = gate()
    await using _ = await serveEntity(shared, doer, { 'ops.a.b': () => over.opened })

    const { code, stderr } = await runEnvelope(shared, ...waitedTask(doer, 'ops.a.b', '--timeout', '200ms'))
    // A service waits for what is at work before it closes.
    over.open()

    expect(code).toBe(4)
    expect(stderr).toMatch(/^agentd: The time is over: /)
  })

  test('Ctrl-C ends the waiting', async () => {
    const doer = names.next('agent.doer')
    const begun = gate()
    const over = gate()
    await using _ = await serveEntity(shared, doer, {
      'ops.a.b': () => {
        begun.open()
        return over.opened
      },
    })
    await using running = startAgentd(shared.daemon.env, ['envelope', ...waitedTask(doer, 'ops.a.b')])
    await begun.opened
    running.signal('SIGINT')
    const outcome = await running.ended
    over.open()

    expect(outcome).toMatchObject({ code: 130, stdout: '' })
  })
})

describe('send --raw', () => {
  test('each line is sent as it is, and one that is refused holds up no other', async () => {
    const id = names.next('raw-envelope')
    const first = completeText({ id }).replace('"payload":{}', '"payload":{"n":1.50}')
    const { code, stdout, stderr } = await sendRaw(
      shared,
      `${first}\n{"v":"1"}\n\nnonsense\n${completeText()}\n`,
    )

    expect(code).toBe(1)
    expect(stdout).toBe('sent 2 envelopes\n')
    expect(stderr).toMatch(
      /field-missing: Line 2: .*\n.*envelope-malformed: Line 4: .*\n2 envelopes refused\.\n$/,
    )
    expect((await runEnvelope(shared, 'get', id)).stdout).toBe(`${first}\n`)
  })

  test('a line that is too long holds up no other either (AEQ-24)', async () => {
    const { code, stdout, stderr } = await sendRaw(
      shared,
      `${completeText()}\n${'x'.repeat(2_000_000)}\n${completeText()}\n`,
    )

    expect({ code, stdout }).toEqual({ code: 1, stdout: 'sent 2 envelopes\n' })
    expect(stderr).toMatch(/envelope-too-large: Line 2: /)
  })

  test('one over many lines is one', async () => {
    const text = JSON.stringify(JSON.parse(completeText()), null, 2)

    expect(await sendRaw(shared, text)).toMatchObject({ code: 0, stdout: 'sent 1 envelope\n', stderr: '' })
  })

  test('--json is an answer or an error to each', async () => {
    const { stdout, stderr } = await sendRaw(shared, `${completeText()}\n{}\n`, '--json')

    expect(JSON.parse(stdout)).toMatchObject({ recipient_count: 0, late: false, duplicate: false })
    expect(JSON.parse(stderr)).toMatchObject({ code: 'field-missing', field: 'v', line: 2 })
  })

  test('what came before is not sent again, and said so (AEQ-16)', async () => {
    const text = completeText()
    await sendRaw(shared, text)

    const { code, stderr } = await sendRaw(shared, text)

    expect(code).toBe(0)
    expect(stderr).toContain('not delivered again')
  })

  test('nothing at all is a mistake', async () => {
    expect(await sendRaw(shared, '')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no envelope'),
    })
  })
})
