/**
 * What a text goes with: the files it is about, and a note with a verdict.
 */
import { expect, test } from 'vitest'
import { need, read } from '../support/wire.ts'
import { busyModel, sit, type Sat } from './support.ts'

async function sent(sat: Sat): Promise<unknown> {
  sat.press('Enter')
  await sat.settled()
  return sat.requests.map(({ body }) => body)
}

test.each([
  ['s', { text: 'look', file_refs: ['src/a.ts', 'docs/my notes.md'] }],
  ['h', { body: 'look', pointer_refs: ['src/a.ts', 'docs/my notes.md'] }],
])('%s names files after Tab, and the text stays meanwhile (SEAT-23)', async (key, body) => {
  const sat = sit(busyModel())
  sat.press(key)
  sat.type('*')
  sat.press('Enter')
  sat.type('look')
  expect(sat.screen()).toMatch(/Tab files/)
  sat.press('Tab')
  sat.type('src/a.ts, docs/my notes.md,')
  sat.press('Enter')
  expect(sat.screen()).toMatch(/files +src\/a\.ts, docs\/my notes\.md/)
  expect(sat.seat.view.writing).toMatchObject({ what: 'text', field: { text: 'look' } })

  expect(await sent(sat)).toEqual([expect.objectContaining(body)])
  // What was sent is done with, its files too.
  sat.press(key, 'Enter')
  expect(sat.seat.view).toMatchObject({
    panel: { files: [] },
    writing: { what: 'text', field: { text: '' } },
  })
})

test('Esc in the files goes back to the text, and a question has none', () => {
  const sat = sit(busyModel())
  sat.press('s')
  sat.type('*')
  sat.press('Enter', 'Tab')
  sat.type('src/a.ts')
  sat.press('Escape')
  expect(sat.seat.view.writing?.what).toBe('text')
  // Whom it was to go to stands there still.
  sat.press('Escape', 'Q', 'Enter', 'Tab')
  expect(sat.seat.view.writing?.what).toBe('text')
  expect(sat.screen()).not.toMatch(/Tab files/)
})

test.each([
  ['y', true],
  ['n', false],
])(
  '%s takes a note after Tab, and Enter in it is the second key (SEAT-11, SEAT-30)',
  async (key, approved) => {
    const sat = sit(busyModel())
    sat.press('ArrowDown', 'ArrowDown', key)
    expect(sat.screen()).toContain('Tab adds a note.')
    sat.press('Tab')
    sat.type('after the backup')
    expect(sat.requests).toEqual([])

    expect(await sent(sat)).toMatchObject([{ payload: { approved, note: 'after the backup' } }])
    expect(sat.seat.view).toMatchObject({ panel: undefined, asked: undefined, writing: undefined })
  },
)

test('a note that is left leaves the question standing, and what was typed is there again', async () => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', 'ArrowDown', 'y', 'Tab')
  sat.type('only once')
  sat.press('Escape')
  expect(sat.screen()).toContain('Press Enter to approve this task')
  sat.press('Tab')

  expect(sat.seat.view.writing?.field.text).toBe('only once')
  expect(await sent(sat)).toMatchObject([{ payload: { approved: true, note: 'only once' } }])
})

test('what is settled while the note is typed is answered no more, and says so (SEAT-22)', async () => {
  const model = busyModel()
  const sat = sit(model)
  sat.press('ArrowDown', 'ArrowDown', 'y', 'Tab')
  sat.type('yes')
  const { panel } = sat.seat.view
  const needId = panel?.name === 'need' ? panel.needId : ''
  const closed = need(needId, { type: 'approval', state: 'closed', closed_by: 'error' })
  model.feed(read('need', { change: 'closed', need: closed }))

  expect(await sent(sat)).toEqual([])
  expect(sat.screen()).toContain('This is settled: rejected elsewhere.')
})

test('Tab adds nothing to the choice of an option', () => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', '1')
  expect(sat.screen()).not.toContain('Tab adds a note.')
  sat.press('Tab')

  expect(sat.seat.view.writing).toBeUndefined()
})
