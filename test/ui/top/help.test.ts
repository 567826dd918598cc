import { expect, test } from 'vitest'
import { busyModel, sit } from './support.ts'

test('the help has every key of the table and those of a terminal (SEAT-30)', () => {
  const sat = sit(busyModel())
  sat.press('?')

  const screen = sat.screen(100, 60)
  for (const key of [
    'g n',
    'g p',
    'g t',
    '↑',
    'Enter',
    'Esc',
    'Alt+Enter',
    'Ctrl+G',
    'q',
    'only mine',
    'hand over',
  ])
    expect(screen).toContain(key)
})
