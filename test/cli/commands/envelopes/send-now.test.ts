/** `agentd envelope send --raw` for people, and `--now` for what was written long ago (AEQ-21, AEE-080). */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { E0, E0_ERROR, E0_RESULT, HELLO_RESULT, HELLO_TASK, SAMPLES } from '../../../aee/samples.ts'
import { SharedDaemon } from '../../../server/shared-daemon.ts'
import { completeText, Names, runEnvelope, sendRaw } from './support.ts'

const shared = new SharedDaemon()
const names = new Names()

const linesOf = (envelopes: readonly object[]): string =>
  envelopes.map((envelope) => `${JSON.stringify(envelope)}\n`).join('')

/** The entities have been heard of, and nobody holds them any more. */
async function introduce(entities: readonly string[]): Promise<void> {
  await using client = await connect({ socket: shared.socket })
  for (const entity of entities) {
    const tool = entity.startsWith('human.') ? 'human' : 'other'
    await (await client.session({ instrument: 'introduced', tool, entities: [entity] })).close()
  }
}

/** Whether a task for it needs somebody who has been heard of. */
function isTaken(to: unknown): to is string {
  return typeof to === 'string' && !/^(?:bus|log|service)\./.test(to)
}

describe('send --raw', () => {
  test('speaks for a person as --from does, and others go on as the principal (AEQ-21)', async () => {
    const person = names.next('human.alice')
    const input = [completeText({ from: person }), completeText(), completeText({ from: person })]

    const { code, stdout, stderr } = await sendRaw(shared, `${input.join('\n')}\n`)

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'sent 3 envelopes\n', stderr: '' })
    const { body } = await shared.get('/v1/handles/~alice/roster')
    expect(JSON.stringify(body)).not.toContain(person)
  })

  test('what one says is there before another answers it (AEE-026)', async () => {
    const { agent, person } = { agent: names.next('agent.router'), person: names.next('human.adam') }
    await introduce([agent])
    const task = JSON.parse(completeText({ type: 'task', from: person, to: agent }))
    const answers = ['stream', 'result'].map((type) =>
      JSON.parse(completeText({ type, from: agent, to: person, corr: task.corr, reply_to: task.id })),
    )

    const { code, stderr } = await sendRaw(shared, linesOf([task, ...answers]))

    expect(code, stderr).toBe(0)
    const { body } = await shared.get(`/v1/threads/${task.corr}`)
    const ids = body.items.map(({ envelope }: { envelope: { id: string } }) => envelope.id)
    expect(ids.filter((id: string) => [task, ...answers].some((one) => one.id === id))).toHaveLength(3)
  })
})

describe('send --raw --now', () => {
  test('sends every example of the draft and of its repository, as often as one likes (AEE-C01)', async () => {
    const samples = SAMPLES.map(([, envelope]) => envelope)
    await introduce([...new Set(samples.map(({ to }) => to).filter(isTaken))])

    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await sendRaw(shared, linesOf(samples), '--now')
      expect(stderr).not.toMatch(/refused|not delivered again/)
      expect([code, stdout.endsWith(`\nsent ${samples.length} envelopes\n`)]).toEqual([0, true])
    }
  })

  test('what they were written as is refused: it is long ago (AEE-081)', async () => {
    const { code, stderr } = await sendRaw(shared, linesOf([HELLO_TASK]))

    expect(code).toBe(1)
    expect(stderr).toContain('timestamp-stale')
  })

  test('keeps together what belongs together, and changes nothing else (AEE-026, AEE-076)', async () => {
    await introduce([E0.to, E0.from, HELLO_TASK.to])
    const reference = { id: E0.id, corr: E0.corr, type: 'aee.envelope', locator: 'store://x' }
    const pointing = { ...E0_ERROR, payload: { ...E0_ERROR.payload, references: [reference, 7], n: 1.5 } }

    const input = linesOf([E0, E0_RESULT, pointing, HELLO_TASK, HELLO_RESULT])
    const { stdout } = await sendRaw(shared, input, '--now', '--json')

    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => String(JSON.parse(line).id))
    const sent = await Promise.all(
      ids.map(async (id) => JSON.parse((await runEnvelope(shared, 'get', id)).stdout)),
    )
    const [task, result, error, hello, answer] = sent
    expect(task).toEqual({ ...E0, id: task.id, ts: task.ts, corr: task.corr })
    expect(result).toMatchObject({ reply_to: task.id, corr: task.corr, payload: E0_RESULT.payload })
    expect(error.payload).toEqual({
      ...E0_ERROR.payload,
      references: [{ ...reference, id: task.id, corr: task.corr }, 7],
      n: 1.5,
    })
    expect(answer).toMatchObject({ reply_to: hello.id, corr: hello.corr })
    expect(hello.corr).not.toBe(task.corr)
    expect(new Set([...ids, E0.id, HELLO_TASK.id]).size).toBe(7)
  })

  test('says the new names of each, by which its thread is found (AEE-026)', async () => {
    await introduce([E0.to, E0.from])

    const { stdout } = await sendRaw(shared, linesOf([E0, E0_RESULT]), '--now')
    const [task = [], result = []] = [...stdout.matchAll(/^sent (.*)\nid (\S+)\ncorr (\S+)$/gm)]
    const thread = await runEnvelope(shared, 'thread', task[3] ?? '', '--json')
    const json = await sendRaw(shared, linesOf([E0]), '--now', '--json')
    const quiet = await sendRaw(shared, linesOf([E0]), '--now', '--quiet')

    expect(task[1]).toContain(`task ${E0.intent} for ${E0.to}`)
    expect([task[2], task[3]]).not.toContain(E0.id)
    expect(result[3]).toBe(task[3])
    expect(thread.stdout).toContain(task[2])
    expect(thread.stdout).toContain(result[2])
    const { id, envelope } = JSON.parse(json.stdout)
    expect(envelope).toEqual({ ...E0, id, ts: envelope.ts, corr: envelope.corr })
    expect(quiet.stdout).toMatch(/^[\w-]+\n$/)
  })

  test('refuses what is signed, and what would be rounded (AEE-083)', async () => {
    const signed = completeText({ sig: { alg: 'ed25519', kid: 'k', value: 'AAAA' } })
    const exact = completeText({ payload: { n: 1 } }).replace('"n":1', '"n":9007199254740993')

    const { code, stderr } = await sendRaw(shared, `${signed}\n${exact}\n`, '--now')

    expect(code).toBe(1)
    expect(stderr).toMatch(/signature-invalid: Line 1: .*\n.*field-invalid: Line 2: .*9007199254740993/)
  })

  test('goes with --raw alone', async () => {
    const { code, stderr } = await runEnvelope(shared, 'send', '--now', '--from', 'agent.a')

    expect(code).toBe(2)
    expect(stderr).toContain('--now goes with --raw')
  })
})
