/**
 * What the keys do, each flow to the request that it sends.
 */
import { expect, test } from 'vitest'
import { SeatModel } from '../../../src/ui/seat/seat-model.ts'
import { need, NOON_MS, read, snapshot } from '../support/wire.ts'
import { busyModel, sit } from './support.ts'

test('a question is answered with its key, the text and Enter, to who asked (SEAT-21, SEAT-30)', async () => {
  const sat = sit(busyModel())
  sat.press('a')
  sat.type('Yes, with care')
  sat.press('Alt+Enter')
  sat.type('q1234')
  sat.press('Enter')
  await sat.settled()

  expect(sat.requests).toEqual([
    {
      method: 'POST',
      path: '/v1/verbs/agent_respond',
      body: expect.objectContaining({ query_id: 'q1', text: 'Yes, with care\nq1234' }),
    },
  ])
  expect(sat.left).toEqual([])
  expect(sat.screen()).toContain('Sent to 1 session.')
})

test.each([
  ['1', 'option: Keep it one release'],
  ['3', 'option: Make it a view'],
])('option %s of a decision is sent with the second key alone (SEAT-30, W-9)', async (key, text) => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', key)

  expect(sat.screen()).toContain(`Press Enter to choose ${key}`)
  expect(sat.requests).toEqual([])
  sat.press('Enter')
  await sat.settled()
  expect(sat.requests.map(({ body }) => body?.['text'])).toEqual([text])
})

test.each(['Escape', 'j', '4'])('%s instead of the second key sends nothing (SEAT-30)', async (key) => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', '1', key, 'Enter')
  await sat.settled()

  expect(sat.requests).toEqual([])
})

test.each([
  ['o', 'other: a view for now'],
  ['r', 'revise: a view for now'],
])('%s says something else than the options (SEAT-21, W-9)', async (key, text) => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', key)
  sat.type('a view for now')
  sat.press('Enter')
  await sat.settled()

  expect(sat.requests.map(({ body }) => body?.['text'])).toEqual([text])
})

test.each([
  ['y', true],
  ['n', false],
])(
  '%s decides about exactly the task of the hash that is shown (SEAT-11, SEAT-30)',
  async (key, approved) => {
    const sat = sit(busyModel())
    sat.press('ArrowDown', 'ArrowDown', key)

    expect(sat.screen().replaceAll(/\s+│? ?/g, '')).toContain(`sha-256:${'ab'.repeat(32)}`)
    sat.press('Enter')
    await sat.settled()
    expect(sat.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/envelopes',
        body: expect.objectContaining({
          from: 'human.alice',
          to: 'agent.auditor',
          payload: { approved, task: { id: 'task-0001', hash: `sha-256:${'ab'.repeat(32)}` } },
        }),
      },
    ])
  },
)

test('to dismiss takes a second key, and tells the asker (SEAT-12)', async () => {
  const sat = sit(busyModel())
  sat.press('d')
  expect(sat.requests).toEqual([])
  sat.press('Enter')
  await sat.settled()

  expect(sat.requests.map(({ path, body }) => [path, body?.['query_id']])).toEqual([
    ['/v1/verbs/agent_return', 'q1'],
  ])
})

test('whom it reaches is told before it is sent, and only then it goes (SEAT-23)', async () => {
  const sat = sit(busyModel())
  sat.press('s')
  sat.type('~alice/cc*')
  expect(sat.screen()).toContain('reaches 2 sessions')
  sat.press('Enter')
  sat.type('the build is red')
  expect(sat.requests).toEqual([])
  sat.press('Enter')
  await sat.settled()

  expect(sat.requests).toEqual([
    {
      method: 'POST',
      path: '/v1/verbs/agent_advise',
      body: { text: 'the build is red', recipient_scope: '~alice/cc*' },
    },
  ])
})

test.each([
  ['Q', '/v1/verbs/agent_query'],
  ['h', '/v1/verbs/agent_handover'],
])('%s from a session goes to that session', async (key, path) => {
  const sat = sit(busyModel())
  sat.press('PageDown', key)
  sat.type('words')
  sat.press('Enter')
  await sat.settled()

  expect(sat.requests.map((request) => [request.path, request.body?.['recipient_scope']])).toEqual([
    [path, expect.stringMatching(/^~alice\/.+@/)],
  ])
})

test('nobody is sent anything by a name that nobody has (SEAT-23)', () => {
  const sat = sit(busyModel())
  sat.press('s')
  sat.type('nobody')
  sat.press('Enter')

  expect(sat.screen()).toContain('Nobody is called so.')
  expect(sat.seat.view.writing?.what).toBe('to')
})

test('a refusal is told with its reason, and what was typed is still there (SEAT-23)', async () => {
  const sat = sit(busyModel(), { kind: 'refused', code: 'rate-limited', message: 'Too many at once.' })
  sat.press('a')
  sat.type('Yes')
  sat.press('Enter')
  await sat.settled()

  expect(sat.screen()).toContain('Too many at once.')
  expect(sat.screen()).toContain(' > Yes')
})

test('a field that is left keeps what was typed in it', () => {
  const sat = sit(busyModel())
  sat.press('a')
  sat.type('Not yet')
  sat.press('Escape', 'a')

  expect(sat.seat.view.writing?.field.text).toBe('Not yet')
})

test('Ctrl+G has the text edited elsewhere (SEAT-30)', async () => {
  const sat = sit(busyModel())
  sat.press('a')
  sat.type('Yes')
  sat.press('Ctrl+g')
  await sat.settled()

  expect(sat.seat.view.writing?.field.text).toBe('Yes, edited')
})

test('in a field no letter is a key, and on a list no pasted text is (SEAT-30)', () => {
  const sat = sit(busyModel())
  sat.press('a')
  sat.type('q?sy1')
  expect(sat.seat.view.writing?.field.text).toBe('q?sy1')
  expect(sat.left).toEqual([])

  const other = sit(busyModel())
  other.seat.view = { ...other.seat.view, chosen: 'a1' }
  const keys = ['y', 'Enter', 'q']
  expect(keys.map((key) => other.paste(key))).toEqual(keys.map(() => undefined))
  expect([other.requests, other.left]).toEqual([[], []])
})

function approval(id: string) {
  return need(id, { type: 'approval', envelope: { payload: { task: {}, summary: id } } })
}

test('when the chosen need closes, no key is about another one (SEAT-22)', async () => {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 10)
  model.feed(read('snapshot', snapshot({ needs: [approval('a1'), approval('a2')] })))
  const sat = sit(model)
  const { chosen } = sat.seat.view
  model.feed(
    read('need', { change: 'closed', need: need(chosen ?? '', { state: 'closed', closed_by: 'answer' }) }),
  )
  sat.press('y', 'Enter')
  await sat.settled()

  expect(chosen).toMatch(/^a[12]$/)
  expect(sat.requests).toEqual([])
})

test('a need that closed while its card was open says so, and is not answered any more (SEAT-22)', async () => {
  const model = busyModel()
  const sat = sit(model)
  sat.press('ArrowDown', '1')
  model.feed(
    read('need', {
      change: 'closed',
      need: need('d1', { type: 'decision', state: 'closed', closed_by: 'answer' }),
    }),
  )
  sat.press('Enter', '2', 'Enter')
  await sat.settled()

  expect(sat.screen()).toContain('This is settled: answered elsewhere.')
  expect(sat.requests).toEqual([])
})

test('what waits at its own prompt is shown and cannot be answered (SEAT-10)', () => {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 10)
  model.feed(read('snapshot', snapshot({ needs: [need('p1', { type: 'prompt', event_id: null })] })))
  const sat = sit(model)
  sat.press('Enter', 'a')

  expect(sat.screen()).toContain('Answer it only where that session runs.')
  expect(sat.seat.view.writing).toBeUndefined()
})

test('q and Ctrl+C quit, Ctrl+Z stops, also from a field (SEAT-38)', () => {
  const sat = sit(busyModel())
  sat.press('q', 'Ctrl+c', 'a', 'Ctrl+c', 'Ctrl+z')

  expect(sat.left).toEqual(['quit', 'quit', 'quit', 'suspend'])
})
