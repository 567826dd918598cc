/**
 * The log of envelopes, as the real daemon writes it: names and nothing else, in a file that stays small.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { openLines, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'

const MAX_LOG_BYTES = 8 * 1024 * 1024

function linesOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((text): Record<string, unknown> => JSON.parse(text))
}

test("every accepted envelope is one line of seven names and a time, the daemon's own too; a refused one is none (AEE-039, AEE-090)", async () => {
  await using daemon = await startTestDaemon()
  using lines = openLines(daemon.socket, { path: '/v1/envelopes' })
  const sent = Array.from({ length: 50 }, () => validEnvelope({ payload: { secret: 'hush' } }))
  for (const envelope of sent) lines.send(envelope)
  lines.send(sent[0])
  lines.send({ ...sent[0], payload: {} })
  lines.send({ ...validEnvelope(), type: 'x' })
  lines.send(
    validEnvelope({ to: 'service.agentd', intent: 'aee.status.ping', payload: {}, from: 'agent.asker' }),
  )
  await lines.answered(54)
  const path = daemon.dir.file('state', 'envelopes.log')
  await expect.poll(() => linesOf(path).length).toBe(52)
  await daemon.stop()

  const entries = linesOf(path)
  expect(entries.slice(0, 50)).toEqual(
    sent.map(({ id, corr, ...rest }) => ({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      id,
      corr,
      intent: rest['intent'],
      from: rest['from'],
      to: rest['to'],
      type: rest['type'],
      priority: rest['priority'],
    })),
  )
  expect(entries[51]).toMatchObject({ from: 'service.agentd', to: 'agent.asker', type: 'result' })
  expect(readFileSync(path, 'utf8')).not.toContain('hush')
  expect(daemon.stderr()).not.toContain('hush')
})

test('at its bound the log begins anew, and one older generation is kept', async () => {
  await using dir = await createTempDir()
  {
    await using first = await startTestDaemon({ dir })
    await first.stop()
  }
  const path = dir.file('state', 'envelopes.log')
  const filler = `${JSON.stringify({ filler: 'x'.repeat(1_000) })}\n`
  writeFileSync(`${path}.1`, 'older\n', { mode: 0o600 })
  writeFileSync(path, filler.repeat(Math.floor(MAX_LOG_BYTES / filler.length)), { mode: 0o600 })
  await using daemon = await startTestDaemon({ dir })
  const ids: string[] = []
  for (let i = 0; i < 20; i += 1) {
    const { body } = await sendEnvelope(daemon.socket, validEnvelope())
    ids.push(body.id)
  }
  await daemon.stop()

  const [now, before] = [linesOf(path), linesOf(`${path}.1`)]
  expect(statSync(path).size).toBeLessThan(MAX_LOG_BYTES)
  expect([...before, ...now].filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual(ids)
  expect(before[0]).toHaveProperty('filler')
  expect([statSync(path).mode & 0o777, statSync(`${path}.1`).mode & 0o777]).toEqual([0o600, 0o600])
})

test('health says the same to who asks over HTTP and to who asks with an envelope (AEE-060)', async () => {
  await using dir = await createTempDir()
  {
    await using first = await startTestDaemon({ dir })
    await first.stop()
  }
  mkdirSync(dir.file('state', 'envelopes.log'))
  await using daemon = await startTestDaemon({ dir })
  const task = validEnvelope({ to: 'service.agentd', intent: 'aee.status.health', payload: {} })
  await sendEnvelope(daemon.socket, { ...task, id: 'before-it-0001' })
  await sendEnvelope(daemon.socket, task)
  const thread = async () => (await request(daemon.socket, `/v1/threads/${task.corr}`)).body.items
  await expect.poll(async () => (await thread()).length).toBe(4)

  const { body } = await request(daemon.socket, '/v1/health')
  const answers = (await thread()).filter(
    ({ envelope }: { envelope: { type: string } }) => envelope.type === 'result',
  )

  expect(body.status).toBe('degraded')
  expect(answers.at(-1).envelope.payload).toEqual({
    status: 'degraded',
    details: { notes: body.details },
  })
})
