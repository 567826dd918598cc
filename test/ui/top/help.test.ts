import { expect, test } from 'vitest'
import { busyModel, sit } from './support.ts'

test('the help has every key of the table and those of a terminal (SEAT-30)', () => {
  const sat = sit(busyModel())
  sat.press('?')

  const screen = sat.screen(100, 60)
  for (const key of ['g n', 'g p', '↑', 'Enter', 'Esc', 'Alt+Enter', 'Ctrl+G', 'q', 'only mine', 'hand over'])
    expect(screen).toContain(key)
})

test('a key of the page that has no screen here says where that is, and opens nothing', () => {
  const sat = sit(busyModel())
  sat.press('g', 't')

  expect(sat.seat.view.panel).toBeUndefined()
  expect(sat.screen()).toContain('Threads are on the page')
})
