/** What needs the person, over the socket and over the end of a daemon (docs/http.md §7; W-3, W-6, SEAT-08, SEAT-10). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const DECISION = {
  synopsis: 'The migration drops a column.',
  findings: [],
  recommendations: [],
  offer: 'I can wait.',
  question: {
    stem: 'Drop it?',
    options: [
      { label: 'keep', reasoning: 'safe' },
      { label: 'drop', reasoning: 'clean' },
    ],
    recommended_idx: 0,
  },
}

async function needsOf({ socket }: TestDaemon) {
  const { status, body } = await request(socket, '/v1/needs')
  expect(status).toBe(200)
  return body
}

async function idsOf(daemon: TestDaemon): Promise<readonly string[]> {
  return (await needsOf(daemon)).needs.map((need: { need_id: string }) => need.need_id)
}

/** Everything that a killed daemon has to bring back, each with its answer. */
async function askAll({ socket }: TestDaemon) {
  const seat = { instrument: 'human', tool: 'human', entities: ['human.alice'], mailbox: true }
  const { body: person } = await post(socket, '/v1/sessions', seat)
  const { body: query } = await post(socket, '/v1/verbs/agent_query', {
    text: 'May I?',
    timeout_ms: 3_600_000,
  })
  const { body: decision } = await post(socket, '/v1/verbs/agent_decide', DECISION)
  const diagnostic = { symptom: 'The build hangs.', severity: 'blocked' }
  const { body: blocked } = await post(socket, '/v1/verbs/agent_diagnose', diagnostic)
  const task = validEnvelope({ to: 'human.alice' })
  expect((await sendEnvelope(socket, task)).status).toBe(200)
  const answer = { query_id: query.query_id, text: 'Yes.' }
  const finding = { diagnostic_id: blocked.diagnostic_id, finding: 'The disk is full.' }
  const result = {
    type: 'result',
    from: 'human.alice',
    to: 'agent.sender',
    corr: task.corr,
    reply_to: task.id,
  }
  return [
    { id: query.query_id, end: () => post(socket, '/v1/verbs/agent_respond', answer) },
    {
      id: decision.frame_id,
      end: () =>
        post(socket, '/v1/verbs/agent_respond', { query_id: decision.frame_id, text: 'option: keep' }),
    },
    { id: blocked.diagnostic_id, end: () => post(socket, '/v1/verbs/agent_diagnose_respond', finding) },
    { id: task.id, end: () => sendEnvelope(socket, validEnvelope(result), person.token) },
  ]
}

test.runIf(keepsFrames())(
  'what is asked outlives a killed daemon, and so does that it was answered (SEAT-08)',
  { timeout: 60_000 },
  async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    const asked = await askAll(first)
    const before = await idsOf(first)
    await first.stop('SIGKILL')
    let daemon = await startTestDaemon({ dir })
    const after = await idsOf(daemon)
    const left: (readonly string[])[] = []

    for (const { end } of asked) {
      expect((await end()).status).toBe(200)
      await daemon.stop('SIGKILL')
      daemon = await startTestDaemon({ dir })
      left.push(await idsOf(daemon))
    }
    await daemon.stop()

    const ids = asked.map(({ id }) => id)
    expect(new Set(before)).toEqual(new Set(ids))
    expect(new Set(after)).toEqual(new Set(ids))
    expect(left.map((some) => some.length)).toEqual([3, 2, 1, 0])
  },
)

test('with frames in memory alone, what is asked lives as long as the daemon (SEAT-08)', async () => {
  await using dir = await createTempDir()
  const config = { ring: { enabled: false } }
  const first = await startTestDaemon({ dir, config })
  await post(first.socket, '/v1/verbs/agent_query', { text: 'May I?' })
  const before = await idsOf(first)
  await first.stop()
  await using second = await startTestDaemon({ dir, config })

  expect(before).toHaveLength(1)
  expect(await idsOf(second)).toEqual([])
})

test('a listing says what is asked, by whom and until when, with the counts of both addressings (W-3)', async () => {
  await using daemon = await startTestDaemon()
  const session = { instrument: 'cc-opus', session_id: 's1', title: 'api refactor', cwd: '/work/api' }
  const { body: agent } = await post(daemon.socket, '/v1/sessions', session)
  const text = 'May I force-push?'
  const to = '~alice/human*'
  const asking = { text, timeout_ms: 60_000, recipient_scope: to }
  const { body: asked } = await post(daemon.socket, '/v1/verbs/agent_query', asking, agent.token)
  await post(daemon.socket, '/v1/verbs/agent_query', { text: 'Anybody?' })

  const { needs, counts, displaced } = await needsOf(daemon)

  expect({ counts, displaced }).toEqual({ counts: { you: 1, anyone: 1 }, displaced: 0 })
  expect(needs[0]).toEqual({
    need_id: asked.query_id,
    type: 'question',
    addressed: 'you',
    event_id: asked.event_id,
    asked_at: expect.any(String),
    until: new Date(Date.parse(needs[0].asked_at) + 60_000).toISOString(),
    state: 'open',
    from: {
      address: '~alice/cc-opus@s1',
      name: 'api-refactor',
      title: 'api refactor',
      repository: null,
      branch: null,
      cwd: '/work/api',
      present: true,
    },
    text,
    frame: asked.frame,
  })
  expect(needs[1]).toMatchObject({ addressed: 'anyone', from: { address: null, present: false } })
})

test('a session that waits at its prompt needs the person until it does something else (SEAT-10, W-6)', async () => {
  await using daemon = await startTestDaemon()
  const { body: agent } = await post(daemon.socket, '/v1/sessions', { instrument: 'codex', session_id: 'k2' })
  const activity = '/v1/sessions/self/activity'
  const said = { state: 'waiting', reason: 'permission', text: 'run "npm test"?' }
  await post(daemon.socket, activity, said, agent.token)
  const { needs } = await needsOf(daemon)
  const { body: waiting } = await request(daemon.socket, '/v1/summary')
  await post(daemon.socket, activity, { state: 'working' }, agent.token)

  expect(needs).toMatchObject([
    { need_id: '~alice/codex@k2', type: 'prompt', addressed: 'you', text: said.text },
  ])
  expect(waiting).toEqual({
    sessions: 1,
    waiting: 1,
    needs: { you: 1, anyone: 0 },
    oldest_need_at: needs[0].asked_at,
    last_event_id: expect.stringMatching(/-0$/),
  })
  expect((await request(daemon.socket, '/v1/summary')).body).toMatchObject({
    waiting: 0,
    needs: { you: 0, anyone: 0 },
    oldest_need_at: null,
  })
})

test('what was sent is left out of a listing that would be too long with it, and the text stays (W-3, R-36)', async () => {
  await using daemon = await startTestDaemon({ config: { limits: { submissions_per_second: 10_000 } } })
  const { socket } = daemon
  await post(socket, '/v1/sessions', {
    instrument: 'human',
    tool: 'human',
    entities: ['human.alice'],
    mailbox: true,
  })
  const filling = 'x'.repeat(900_000)
  for (let i = 0; i < 6; i += 1) {
    const task = { to: 'human.alice', intent: 'ops.door.open', payload: { i, filling }, id: randomUUID() }
    expect((await sendEnvelope(socket, validEnvelope(task))).status).toBe(200)
  }

  const { needs } = await needsOf(daemon)

  const whole = needs.map((need: object) => 'envelope' in need)
  expect(whole).toEqual([true, true, true, true, false, false])
  for (const { text } of needs) expect(text).toMatch(/^ops\.door\.open: \{"i":/)
})
