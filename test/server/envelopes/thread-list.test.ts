/**
 * Which workflows there are, a page at a time (W-5; docs/http.md §9).
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { request } from '../../support/http.ts'
import { ISO_TIME, SharedDaemon } from '../shared-daemon.ts'

const shared = new SharedDaemon()

/** Sends a task of a workflow, and its result where one is wanted. */
async function work(socket: string, { isDone = false } = {}): Promise<string> {
  const task = validEnvelope()
  await sendEnvelope(socket, task)
  const back = { type: 'result', corr: task.corr, reply_to: task.id, from: 'agent.doer', to: 'bus.ops' }
  if (isDone) await sendEnvelope(socket, validEnvelope(back))
  return task.corr
}

test('a workflow is listed with when, who, what and how much of it is open, the newest first (W-5)', async () => {
  const older = await work(shared.socket)
  const corr = await work(shared.socket, { isDone: true })

  const { headers, body } = await shared.get('/v1/threads?limit=2')

  expect(headers['content-type']).toBe('application/json')
  expect(body).toEqual({
    items: [
      {
        corr,
        first_at: expect.stringMatching(ISO_TIME),
        last_at: expect.stringMatching(ISO_TIME),
        envelopes: 2,
        participants: ['agent.sender', 'bus.ops', 'agent.doer'],
        intent: 'ops.backup.check',
        open_tasks: 0,
        last_type: 'result',
      },
      expect.objectContaining({ corr: older, envelopes: 1, open_tasks: 1, last_type: 'task' }),
    ],
    next: null,
  })
})

test.each([
  ['on disk', {}],
  ['in memory', { env: {}, config: { ring: { enabled: false } } }],
])(
  'a daemon whose ring is %s pages its workflows, open ones alone too, and a program has it by name (W-5)',
  async (_, options) => {
    await using daemon = await startTestDaemon(options)
    const corrs: string[] = []
    for (let i = 0; i < 7; i += 1) corrs.unshift(await work(daemon.socket, { isDone: i % 2 === 0 }))
    await using client = await connect({ socket: daemon.socket })
    const list = async (open?: true): Promise<readonly string[]> => {
      const found: string[] = []
      let before: string | undefined
      do {
        const page = await client.threads({ before, limit: 2, open })
        found.push(...page.items.map(({ corr }) => corr))
        before = page.next ?? undefined
      } while (before !== undefined)
      return found
    }

    expect(await list()).toEqual(corrs)
    expect(await list(true)).toEqual(corrs.filter((_corr, i) => i % 2 === 1))
    expect((await client.threads()).items[0]).toMatchObject({
      openTasks: 0,
      lastType: 'result',
      envelopes: 2,
    })
  },
)

test('a page has fifty of them when nobody says otherwise, and five hundred at the most (W-5)', async () => {
  await using daemon = await startTestDaemon()
  for (let i = 0; i < 51; i += 1) await work(daemon.socket)
  const get = (query: string) => request(daemon.socket, `/v1/threads${query}`)

  const usual = await get('')
  expect(usual.body.items).toHaveLength(50)
  expect((await get(`?before=${usual.body.next}`)).body).toMatchObject({ items: [{}], next: null })
  expect((await get('?limit=500')).body.items).toHaveLength(51)
  for (const [query, code, field] of [
    ['?limit=501', 'field-invalid', 'limit'],
    ['?limit=0', 'field-invalid', 'limit'],
    ['?limit=x', 'field-invalid', 'limit'],
    ['?open=1', 'field-invalid', 'open'],
    ['?before=nonsense', 'field-invalid', 'before'],
    [`?before=${randomUUID().slice(0, 8)}-1`, 'field-invalid', 'before'],
    ['?after=x', 'field-unknown', 'after'],
  ]) {
    expect([query, (await get(query ?? '')).body]).toMatchObject([query, { code, field }])
  }
})
