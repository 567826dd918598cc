import { describe, expect, test } from 'vitest'
import type { ThreadEnvelope } from '../../../src/client/index.ts'
import { toHops } from '../../../src/aee/thread/hops.ts'
import { PLAIN } from '../../../src/core/display/palette.ts'
import { formatHops } from '../../../src/cli/envelope/thread-view.ts'
import { Output } from '../../../src/cli/terminal/output.ts'
import { widthOf } from '../../../src/core/display/width.ts'
import { threadAt as at, threadItem as item } from '../../support/thread-items.ts'

/** From who was asked to who asked. */
const BACK = { from: 'agent.doer', to: 'agent.asker' }

function draw(...items: readonly ThreadEnvelope[]): readonly string[] {
  return formatHops(toHops(items), new Output({ json: false, quiet: false, color: true, env: {} })).split(
    '\n',
  )
}

describe('a tree of hops', () => {
  test('each hop is timed from what it answers, by the daemon\u2019s clock and by the senders\u2019', () => {
    const task = item(0, { id: 'task-0001' })
    const result = item(2_500, { type: 'result', replyTo: 'task-0001', ts: at(500), ...BACK })

    const hops = toHops([task, result])

    expect(hops).toMatchObject([
      { depth: 0, parent: null, afterMs: null, afterBySendersMs: null, onItsWayMs: 0, isOpen: false },
      { depth: 1, parent: 'task-0001', afterMs: 2_500, afterBySendersMs: 500, onItsWayMs: 2_000 },
    ])
    expect(draw(task, result)[2]).toMatch(/\+2\.5s +2\.0s on its way$/)
  })

  test('a clock that is wrong is told once, and by the ts only where the way does not explain it', () => {
    const task = item(5_000, { id: 'task-0001', ts: at(0) })
    const sameClock = item(6_000, { type: 'stream', replyTo: 'task-0001', ts: at(500) })
    const result = item(7_000, { type: 'result', replyTo: 'task-0001', ts: at(6_900) })

    const lines = draw(task, sameClock, result)

    expect(lines[1]).toMatch(/5\.0s on its way$/)
    expect(lines[2]).toMatch(/\+1\.0s$/)
    expect(lines[3]).toMatch(/\+2\.0s +\+6\.9s by its ts$/)
  })

  test('a task that nobody was listening for says so, unless something answers it', () => {
    const unheard = { recipientCount: 0, queuedCount: 0 }
    const alone = { ...item(0, { id: 'task-0001' }), ...unheard }
    const replayed = { ...item(1, { id: 'task-0002' }), ...unheard }
    const queued = { ...item(2, { id: 'task-0003' }), recipientCount: 0, queuedCount: 1 }
    const event = { ...item(3, { type: 'event' }), ...unheard }
    const part = { ...item(4, { type: 'stream', replyTo: 'task-0002' }), ...unheard }

    const lines = draw(alone, replayed, queued, event, part)

    expect(lines.map((line) => line.includes('nobody was listening'))).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('only the last of several is drawn as the last', () => {
    const items = [
      item(0, { id: 'task-0001' }),
      item(1, { id: 'task-0002', replyTo: 'task-0001' }),
      item(2, { type: 'stream', replyTo: 'task-0002' }),
      item(3, { type: 'result', replyTo: 'task-0002' }),
      item(4, { id: 'task-0003', replyTo: 'task-0001' }),
      item(5, { type: 'result', replyTo: 'task-0003' }),
    ]

    const drawn = draw(...items).map((line) => line.replace(/ ops\.backup\.check.*/, ''))

    expect(drawn.slice(1)).toEqual(['task', '├ task', '│ ├ stream', '│ └ result', '└ task', '  └ result'])
  })

  test.each([40, 60, 80, 120])('on a terminal of %d columns no row is longer than it', (columns) => {
    const refuted = [{ by: 'agent.somebody', reason: 'a long reason for it', at: at(0), id: 'envelope-9' }]
    const names = { from: 'agent.with-a-long-name', to: 'agent.with-another-long-name' }
    const task = { ...item(0, { id: 'task-0001', ...names }), refuted }
    const result = item(59_000, { type: 'result', replyTo: 'task-0001', ...names })

    const drawing = formatHops(toHops([task, result]), { paint: PLAIN, columns })

    for (const line of drawing.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns)
  })

  test('a ts that is no time leaves its spans out', () => {
    const task = item(0, { id: 'task-0001', ts: 'yesterday evening' })
    const result = item(10, { type: 'result', replyTo: 'task-0001' })

    expect(toHops([task, result])).toMatchObject([
      { onItsWayMs: null },
      { afterMs: 10, afterBySendersMs: null, onItsWayMs: 0 },
    ])
  })

  test('a task is open until who was asked answers with a result or an error; parts do not end it', () => {
    const tasks = ['task-0001', 'task-0002', 'task-0003', 'task-0004'].map((id, index) => item(index, { id }))
    const answers = (['result', 'error', 'stream'] as const).map((type, index) =>
      item(10 + index, { type, replyTo: `task-000${index + 1}`, ...BACK }),
    )
    const forged = item(20, { type: 'result', replyTo: 'task-0004', from: 'agent.else', to: 'agent.asker' })

    const open = toHops([...tasks, ...answers, forged]).filter(({ isOpen }) => isOpen)

    expect(open.map(({ item: { envelope } }) => envelope.id)).toEqual(['task-0003', 'task-0004'])
  })

  test('a chain of ten thousand is drawn, and its indentation ends', () => {
    const items = Array.from({ length: 10_000 }, (_, index) =>
      item(index, { id: `envelope-${index}`, replyTo: index === 0 ? null : `envelope-${index - 1}` }),
    )

    const lines = draw(...items)

    expect(lines).toHaveLength(10_001)
    expect(lines.at(-1)).toMatch(/^ {30}└ \[9999\] task ops\.backup\.check/)
  })

  test('envelopes that answer themselves or each other hang nothing', () => {
    const own = item(0, { id: 'envelope-1', replyTo: 'envelope-1' })
    const one = item(1, { id: 'envelope-2', replyTo: 'envelope-3' })
    const two = item(2, { id: 'envelope-3', replyTo: 'envelope-2' })

    expect(toHops([own, one, two]).map(({ item: { envelope } }) => envelope.id)).toHaveLength(3)
  })

  test('nothing that a name carries reaches the terminal as a command (R-38)', () => {
    const hostile = { from: 'agent.\u001b[2J', to: 'agent.\u202eevil', intent: 'ops.\nx.y' }
    const refuted = [{ by: 'a\u001b]0;x\u0007', reason: 'b\nc', at: at(0), id: 'envelope-9' }]
    const lines = draw({ ...item(0, hostile), refuted })

    expect(lines).toHaveLength(2)
    // oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(PLAIN.dim('x')).toBe('x')
  })
})
