/** What needs the person: how each sort opens and comes to its end (SEAT-08, SEAT-10; docs/http.md §7). */
import { expect, test } from 'vitest'
import { NEED_MS } from '../../../src/broker/needs/open-needs.ts'
import type { LiveNeeds } from '../../../src/broker/needs/live-needs.ts'
import type { NeedClosing } from '../../../src/protocol/http/need.ts'
import { NeedsBench, idsOf, watch, type Asked } from './needs-bench.ts'

type Ending = readonly [by: NeedClosing, end: (bench: NeedsBench, asked: Asked) => unknown]

const ANSWER: Ending = ['answer', (bench, asked) => bench.answer(asked)]
const RETURN: Ending = ['return', (bench, asked) => bench.giveBack(asked)]
const TIME: Ending = ['expired', (bench) => bench.clock.advance(NEED_MS)]
const FORGOTTEN: Ending = ['forgotten', (bench, { id }) => bench.forget({ key: keyOf(bench, id) })]

const OF_FRAMES = [ANSWER, RETURN, TIME, FORGOTTEN]
const OF_TASKS: readonly Ending[] = [
  ['result', (bench, asked) => bench.end('result', asked)],
  ['error', (bench, asked) => bench.end('error', asked)],
  TIME,
  FORGOTTEN,
]
const OF_PROMPTS: readonly Ending[] = [
  ['activity', (bench) => bench.act({ state: 'working' })],
  ['activity', (bench) => bench.act({ state: 'idle' })],
  ['left', (bench) => bench.broker.sessions.close(bench.agent)],
  TIME,
]

/** Each sort × each way to its end. */
const TABLE = [
  ['question', (bench: NeedsBench) => bench.question(), OF_FRAMES],
  ['decision', (bench: NeedsBench) => bench.decision(), OF_FRAMES],
  ['diagnostic', (bench: NeedsBench) => bench.diagnostic(), [['answer', diagnose], RETURN, TIME, FORGOTTEN]],
  ['task', (bench: NeedsBench) => bench.task(), OF_TASKS],
  ['approval', (bench: NeedsBench) => bench.approval(), OF_TASKS],
  ['prompt', (bench: NeedsBench) => bench.prompt(), OF_PROMPTS],
] as const satisfies readonly (readonly [string, (bench: NeedsBench) => Asked, readonly Ending[]])[]

const CASES = TABLE.flatMap(([type, open, endings]) =>
  endings.map(([by, end]: Ending) => ({ type, open, by, end })),
)

function diagnose(bench: NeedsBench, asked: Asked): void {
  bench.diagnose(asked)
}

/** What a frame or an envelope that opened a need is found by. */
function keyOf(bench: NeedsBench, id: string): string {
  for (const retained of bench.ring.read(0, 100)) if (retained.text.includes(id)) return retained.key
  throw new Error(`nothing retained has the id ${id}`)
}

function typesOf(needs: LiveNeeds): readonly string[] {
  return needs.list().map(({ type }) => type)
}

test.for(CASES)('a $type opens and is closed by $by (SEAT-08)', async ({ type, open, by, end }) => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  const told = watch(needs)

  const asked = open(bench)
  const opened = needs.list()
  await end(bench, asked)

  expect(opened).toMatchObject([{ need_id: asked.id, type, event_id: asked.eventId, state: 'open' }])
  expect(needs.list()).toEqual([])
  expect(told.at(-1)).toMatchObject({ need_id: asked.id, type, state: 'closed', closed_by: by })
})

test.for(CASES.filter(({ type, by }) => type !== 'prompt' && by !== 'expired'))(
  'a $type closed by $by before anybody looked is found by nobody (SEAT-08)',
  async ({ open, end }) => {
    const bench = new NeedsBench()
    const asked = open(bench)
    await end(bench, asked)

    expect(idsOf(await bench.look())).toEqual([])
  },
)

test('what was asked before anybody looked is found, but not what is older than a day (SEAT-08)', async () => {
  const bench = new NeedsBench()
  bench.question()
  bench.clock.advance(NEED_MS)
  const asked = [
    bench.decision(),
    bench.task(),
    bench.approval(),
    bench.question(),
    bench.diagnostic(),
    bench.prompt(),
  ]

  const found = idsOf(await bench.look())

  expect(new Set(found)).toEqual(new Set(asked.map(({ id }) => id)))
})

test('an answer that comes while the past is read closes what is found there (SEAT-08)', async () => {
  const bench = new NeedsBench()
  const [first, second] = [bench.question(), bench.question()]
  const looking = bench.look()
  bench.answer(first)

  expect(idsOf(await looking)).toEqual([second.id])
})

test('only what a person can be meant by opens one; what a person asks opens none (SEAT-08, W-3)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  for (const scope of ['~alice/cc-*', '~alice/codex@k2']) bench.question({ scope })
  bench.question({ from: bench.person })
  bench.publish({ kind: 'agent_query', frame: { drafted_with: '~human' } })
  bench.diagnostic('info')
  bench.tell(
    { from: 'human.bob', to: 'human.alice' },
    bench.session('human', 'p2', { tool: 'human', entities: ['human.bob'] }),
  )
  bench.tell({ type: 'event', from: 'agent.cc', to: 'human.alice' }, bench.agent)
  bench.act({ state: 'idle' })
  const nothing = typesOf(needs)

  const scopes = ['~alice', '~alice/*', '~alice/h*', '~alice/human*', '~alice/human@p1']
  for (const scope of scopes) bench.question({ scope })

  expect(nothing).toEqual([])
  expect(needs.list().map(({ addressed }) => addressed)).toEqual(['you', 'you', 'anyone', 'anyone', 'anyone'])
  expect(needs.count()).toMatchObject({ you: 2, anyone: 3 })
})

test('a task is closed by whoever was asked, and by nobody else (SEAT-08)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  const asked = bench.task()

  bench.end('result', asked, bench.agent)
  const after = idsOf(needs)
  bench.end('result', asked)

  expect(after).toEqual([asked.id])
  expect(idsOf(needs)).toEqual([])
})

test('it is late when the asker waits no longer, and those who watch are told (W-3)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  const told = watch(needs)
  const { id } = bench.question({ timeoutMs: 60_000 })

  bench.clock.advance(60_000)

  expect(told.map(({ need_id, state }) => [need_id, state])).toEqual([
    [id, 'open'],
    [id, 'late'],
  ])
  expect(needs.list()).toMatchObject([{ need_id: id, state: 'late' }])
})

test('who asks for ever waits for a day (SEAT-08)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  bench.question({ timeoutMs: Number.MAX_SAFE_INTEGER })
  bench.task({ requires: { timeout_ms: 1e300 } })

  const ends = needs.list().map(({ asked_at, until }) => Date.parse(until ?? '') - Date.parse(asked_at))

  expect(ends).toEqual([NEED_MS, NEED_MS])
})

test('it says who asks, what is asked, and has what was sent (W-3, SEAT-10)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  bench.decision()
  bench.approval()
  bench.prompt()

  const [decision, approval, prompt] = needs.list()

  const from = { address: '~alice/cc-opus@s1', title: 'api refactor', present: true, name: 'api-refactor' }
  expect(decision).toMatchObject({ from, text: 'The migration can go two ways.' })
  expect(decision?.frame?.kind).toBe('agent_binding_moment')
  expect(approval).toMatchObject({ from, text: 'Drop the table?', envelope: { intent: 'approval.request' } })
  expect(prompt).toMatchObject({ from, text: 'run "npm test"?', event_id: null, until: null })
})

test('another prompt of the same session is another need; the same said again is none (SEAT-10)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  const told = watch(needs)
  bench.prompt('first')
  bench.prompt('first')
  bench.clock.advance(1_000)
  bench.prompt('second')

  expect(told.map(({ text, state }) => [text, state])).toEqual([
    ['first', 'open'],
    ['first', 'closed'],
    ['second', 'open'],
  ])
})

test('what the ring holds no longer is nobody’s need (SEAT-08, AC-192)', async () => {
  const bench = new NeedsBench({ maxFrames: 2 })
  const needs = await bench.look()
  bench.question()
  const kept = bench.question()
  bench.publish()

  expect(idsOf(needs)).toEqual([kept.id])
})

test('once it is closed, nothing is told or looked at any more', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  const told = watch(needs)

  needs.close()
  bench.question()
  bench.prompt()
  bench.clock.advance(NEED_MS)

  expect(told).toEqual([])
})

test('a session that has waited for a day is told of no more, whatever else it says of itself (SEAT-08)', async () => {
  const bench = new NeedsBench()
  const needs = await bench.look()
  bench.prompt()
  bench.clock.advance(NEED_MS)
  const told = watch(needs)

  bench.open(bench.agent)

  expect(told).toEqual([])
})
