/**
 * Forgetting from a terminal: which, how much that is, and once more whether (W-8, SEAT-23).
 */
import { expect, test } from 'vitest'
import type { CallOutcome } from '../../../src/ui/seat/outcome.ts'
import { busyModel, sit, type MadeUpOutcome, type Sat } from './support.ts'

const done = (body: Extract<CallOutcome, { kind: 'done' }>['body']): CallOutcome => ({
  kind: 'done',
  body,
  version: '1',
})

const ITEM = done({ event_id: 'e1-11', frame: { kind: 'agent_advisory', payload: {} } })

/** Counts seven of whatever it is asked about, and forgets six of them. */
const counting: MadeUpOutcome = (request) => {
  if (request === undefined) return ITEM
  const isDry = request.path.includes('dry_run=true')
  return done(isDry ? { forgotten: 0, would_forget: 7, up_to: 'e1-40' } : { forgotten: 6 })
}

/** With the newest item open. */
async function openItem(outcome: MadeUpOutcome): Promise<Sat> {
  const sat = sit(busyModel(), outcome)
  sat.press('g', 'p', 'ArrowUp', 'Enter')
  await sat.settled()
  expect(sat.screen()).toMatch(/x forget/)
  return sat
}

async function press(sat: Sat, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    sat.press(key)
    await sat.settled()
  }
}

test('what goes is counted, asked about by number, and then that and nothing behind it is forgotten (SEAT-23, SEAT-30)', async () => {
  const sat = await openItem(counting)
  await press(sat, 'x')
  for (const choice of ['this item', 'every advisory', 'this item and all before it'])
    expect(sat.screen()).toContain(choice)
  await press(sat, 'ArrowDown', 'Enter')
  expect(sat.screen()).toContain('Press Enter to forget 7 items for good (every advisory), Esc to leave it.')
  expect(sat.requests.map(({ path }) => path)).toEqual(['/v1/frames?kind=agent_advisory&dry_run=true'])
  await press(sat, 'Enter')

  expect(sat.requests.slice(1)).toEqual([
    { method: 'DELETE', path: '/v1/frames?kind=agent_advisory&up_to=e1-40', body: undefined },
  ])
  expect(sat.screen()).toContain('Forgot 6 items.')
  expect(sat.screen()).toContain('PASSING')
})

test.each([
  ['another choice', ['ArrowDown']],
  ['Esc', ['Escape']],
])('%s instead of the second key forgets nothing (SEAT-30)', async (_, keys) => {
  const sat = await openItem(counting)
  await press(sat, 'x', 'Enter', ...keys, 'j')

  expect(sat.requests).toHaveLength(1)
  expect(sat.screen()).not.toContain('Press Enter to forget')
})

test('Esc goes back to the item, and from there to what passes', async () => {
  const sat = await openItem(counting)
  await press(sat, 'x', 'Escape')
  expect(sat.screen()).toContain('as it was accepted'.toUpperCase())
  await press(sat, 'Escape')
  expect(sat.screen()).toContain('PASSING')
})

test.each([
  [
    'nothing left',
    done({ forgotten: 0, would_forget: 0, up_to: 'e1-40' }),
    'Nothing of it is retained any more.',
  ],
  [
    'a refusal',
    { kind: 'refused', code: 'forbidden', message: 'Only the principal may.' } as const,
    'Not forgotten. Only the principal may.',
  ],
  ['no answer', { kind: 'unanswered' } as const, 'it may or may not have been forgotten'],
])('%s is said, and nothing is asked (SEAT-23)', async (_, outcome, says) => {
  const sat = await openItem((request) => (request === undefined ? ITEM : outcome))
  await press(sat, 'x', 'Enter')

  expect(sat.screen()).toContain(says)
  expect(sat.screen()).not.toContain('Press Enter')
})

test('x does nothing where no item is open', () => {
  const sat = sit(busyModel(), counting)
  sat.press('x', 'g', 'p', 'x')

  expect(sat.seat.view.panel).toBeUndefined()
  expect(sat.requests).toEqual([])
})
