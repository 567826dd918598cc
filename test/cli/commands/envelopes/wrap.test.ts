/**
 * `agentd wrap`: a gateway in front of programs that know nothing of envelopes (AEE-C18).
 */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeEnvelopeText, type Envelope } from '../../../../src/aee/envelope/envelope.ts'
import { checkEnvelope } from '../../../../src/client/aee.ts'
import { connect } from '../../../../src/client/index.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { agentd, startAgentd, words, type Outcome } from '../../support.ts'

const shared = new SharedDaemon()

const GATEWAY = ['--from', 'gateway.llm', '--intent', 'llm.completion']

/** Nothing listens there, and nothing may be started. */
const NOWHERE = { AGENTD_SOCKET: '/nowhere/a.sock', AGENTD_NO_START: '1' }

/** Deeper than any envelope may be, and than a parser may recurse. */
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000)

/** A program that answers whatever it reads by the same, and ends with a code. */
function echoing(code: number): readonly string[] {
  return ['--', process.execPath, '-e', `process.stdin.pipe(process.stdout); process.exitCode = ${code}`]
}

function wrap(
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return agentd({ ...shared.daemon.env, ...env }, ['wrap', ...GATEWAY, ...args], input)
}

/** The envelopes of a workflow, as the daemon has them. */
async function thread(corr: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await using client = await connect({ socket: shared.socket })
  return (await client.thread(corr)).items.map(({ envelope }) => envelope)
}

function lines(text: string): readonly Envelope[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => decodeEnvelopeText(line).envelope)
}

describe('a program', () => {
  test('its request and its response are a task and its result, and its output is untouched (AEE-C18)', async () => {
    const input = '{"model":"m",  "messages":[1.50]}\n'
    const { code, stdout, stderr } = await wrap(['--corr', 'workflow-wrap-1', ...echoing(0)], input)
    const [task, result, ...more] = await thread('workflow-wrap-1')

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: input, stderr: '' })
    expect(more).toEqual([])
    expect(task).toMatchObject({
      type: 'task',
      from: 'gateway.llm',
      to: 'bus.llm',
      intent: 'llm.completion.request',
      reply_to: null,
      payload: { model: 'm', messages: [1.5] },
    })
    expect(result).toMatchObject({
      type: 'result',
      from: 'gateway.llm',
      to: 'bus.llm',
      intent: 'llm.completion.response',
      reply_to: task?.['id'],
      payload: { model: 'm', messages: [1.5] },
    })
  })

  test('a program that fails is an error, and its exit code is the command\u2019s', async () => {
    const { code } = await wrap(['--corr', 'workflow-wrap-2', ...echoing(3)], '{}')
    const [, error] = await thread('workflow-wrap-2')

    expect(code).toBe(3)
    expect(error).toMatchObject({
      type: 'error',
      payload: { code: 'E_COMMAND_FAILED', message: expect.stringContaining('3'), retryable: false },
    })
  })

  test('a program that is ended by a signal is an error too', async () => {
    const args = ['--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")']
    const { code, stdout } = await wrap(['--emit', ...args], '{}')

    expect(code).toBe(137)
    expect(lines(stdout)[1]).toMatchObject({
      type: 'error',
      payload: { code: 'E_KILLED', signal: 'SIGKILL' },
    })
  })

  test('a program that cannot be started is an error, as a shell says it, and what it was asked is kept', async () => {
    const input = JSON.stringify({ asked: 'x'.repeat(200_000) })
    const { code, stdout, stderr } = await wrap(['--emit', '--', '/nowhere/program'], input)

    expect(code).toBe(127)
    expect(stderr).toMatch(/^agentd: The command cannot be started: /)
    expect(lines(stdout)[0]).toMatchObject({ type: 'task', payload: { asked: 'x'.repeat(200_000) } })
    expect(lines(stdout)[1]).toMatchObject({ type: 'error', payload: { code: 'E_NOT_STARTED' } })
  })

  test('recording never disturbs what is recorded (AEE-C14)', async () => {
    const { code, stdout, stderr } = await wrap(echoing(0), '{"a":1}', NOWHERE)

    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"a":1}' })
    expect(stderr).toMatch(/^not recorded: llm\.completion\.request: .*\nnot recorded: .*response: .*\n$/)
  })

  test.each([
    ['text', 'no JSON', { text: 'no JSON' }],
    ['JSON that is no object', '[1,2]', { value: [1, 2] }],
    ['a name twice', '{"a":1,"a":2}', { text: '{"a":1,"a":2}' }],
    ['a number that would be rounded', '{"a":9007199254740993}', { text: '{"a":9007199254740993}' }],
    ['a number that is none', '[1e400]', { text: '[1e400]' }],
    ['digits in a string', '{"a":"9007199254740993"}', { a: '9007199254740993' }],
    ['deep nesting', DEEP, { text: DEEP }],
    ['nothing', '', { text: '' }],
    ['too much', 'x'.repeat(1_048_577), { omitted: true, octets: 1_048_577 }],
    ['just too much for an envelope', 'x'.repeat(1_048_570), { omitted: true, octets: expect.any(Number) }],
  ])('%s has its place in a payload', async (_, input, payload) => {
    const { code, stdout } = await wrap(['--emit', ...echoing(0)], input, NOWHERE)
    const envelopes = lines(stdout)

    expect(code).toBe(0)
    expect(envelopes.map((envelope) => envelope.payload)).toEqual([payload, payload])
    for (const envelope of envelopes)
      expect(checkEnvelope(JSON.stringify(envelope)).level).toBe('MVE-Required')
  })

  test('a program that reads nothing ends all the same, and its request is what was there', async () => {
    await using running = startAgentd({ ...shared.daemon.env, ...NOWHERE }, [
      'wrap',
      ...GATEWAY,
      ...words('--emit --'),
      process.execPath,
      '-e',
      'process.stdout.write("{}")',
    ])
    const { code, stdout } = await running.ended

    expect(code).toBe(0)
    expect(lines(stdout).map(({ type }) => type)).toEqual(['task', 'result'])
  })

  test('the request can be seen while the program still runs', async () => {
    const program = 'process.stdin.resume(); setInterval(() => {}, 1_000)'
    await using running = startAgentd({ ...shared.daemon.env, ...NOWHERE }, [
      'wrap',
      ...GATEWAY,
      ...words('--emit --'),
      process.execPath,
      '-e',
      program,
    ])
    running.type('{"a":1}')
    running.endInput()
    await running.untilSaid(/llm\.completion\.request.*\n/)
    running.signal('SIGTERM')
    const { code, stdout } = await running.ended

    expect(code).toBe(143)
    expect(lines(stdout)[1]).toMatchObject({ payload: { code: 'E_KILLED', signal: 'SIGTERM' } })
  })

  test('what is no gateway is told before the program runs', async () => {
    await using dir = await createTempDir()
    const mark = dir.file('mark')
    const program = ['--', process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`]
    const unsigned = await wrap(['--sign', 'no-such-key', ...program])
    const both = await wrap(['--emit', '--send', ...program])
    const nameless = await agentd(shared.daemon.env, ['wrap', '--from', '', '--intent', 'llm.x', ...program])
    const missing = await agentd(shared.daemon.env, ['wrap', '--from', 'gateway.llm', ...program])

    expect([unsigned, both, nameless, missing].map(({ code }) => code)).toEqual([2, 2, 1, 2])
    expect(() => writeFileSync(mark, '', { flag: 'wx' })).not.toThrow()
  })
})

describe('pairs', () => {
  const PAIRS = [
    '{"request":{"a":1},"response":{"b":2}}',
    '{"request":{"a":2},"error":{"code":"E_X","retryable":true,"status":429}}',
    '{"request":{"a":3}}',
  ]

  test('each is a workflow of its own, printed as envelopes', async () => {
    const { code, stdout, stderr } = await wrap([], PAIRS.join('\n'), NOWHERE)
    const envelopes = lines(stdout)
    const [task, result, second, error, third] = envelopes

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(envelopes.map(({ type }) => type)).toEqual(['task', 'result', 'task', 'error', 'task'])
    expect(result).toMatchObject({ reply_to: task?.id, corr: task?.corr, payload: { b: 2 } })
    expect(error).toMatchObject({
      reply_to: second?.id,
      payload: { code: 'E_X', message: expect.any(String), retryable: true, status: 429 },
    })
    expect(new Set([task, second, third].map((envelope) => envelope?.corr)).size).toBe(3)
    for (const envelope of envelopes)
      expect(checkEnvelope(JSON.stringify(envelope)).level).toBe('MVE-Required')
  })

  test('or they are sent, as one workflow where that is wanted', async () => {
    const { code, stdout } = await wrap(
      ['--send', '--corr', 'workflow-pairs', '--to', 'bus.seen'],
      PAIRS.join('\n'),
    )

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect((await thread('workflow-pairs')).map(({ type, to }) => [type, to])).toEqual([
      ['task', 'bus.seen'],
      ['result', 'bus.seen'],
      ['task', 'bus.seen'],
      ['error', 'bus.seen'],
      ['task', 'bus.seen'],
    ])
  })

  test('a line that holds no pair is told, and the others are wrapped', async () => {
    const { code, stdout, stderr } = await wrap(
      [],
      `{"response":1}\nnonsense\n${PAIRS[0]}\n{"request":{"a":1e400}}\n`,
      NOWHERE,
    )

    expect(code).toBe(1)
    expect(lines(stdout)).toHaveLength(2)
    expect(stderr).toMatch(
      /^line 1: .*"request".*\nline 2: .*\nline 4: .*1e400.*\n3 records not wrapped or not sent\.\n$/,
    )
  })

  test('what cannot be sent is counted', async () => {
    const { code, stderr } = await wrap(['--send'], PAIRS.join('\n'), NOWHERE)

    expect(code).toBe(1)
    expect(stderr).toContain('5 records not wrapped or not sent')
  })
})
