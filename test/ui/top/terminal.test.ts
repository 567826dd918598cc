/**
 * What is written to a terminal, and what is read from one.
 */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { FakeClock } from '../../support/fake-clock.ts'
import { ShownNeeds, SHOWN_MS } from '../../../src/ui/top/shown-needs.ts'
import { FIRST_VIEW } from '../../../src/ui/top/state/view.ts'
import type { KeyPress } from '../../../src/ui/top/state/key-press.ts'
import { listenToKeys } from '../../../src/ui/top/terminal/keyboard.ts'
import { LEAST_PAUSE_MS, Painter } from '../../../src/ui/top/terminal/painter.ts'
import { Terminal } from '../../../src/ui/top/terminal/terminal.ts'
import { busyModel } from './support.ts'

function record() {
  const written: string[] = []
  const raw: boolean[] = []
  const terminal = new Terminal(
    { write: (text) => written.push(text) },
    { setRawMode: (isRaw) => raw.push(isRaw) },
  )
  return { terminal, written, raw, last: () => written.at(-1) ?? '' }
}

test('only lines that changed are written, each to its place, in one piece that is shown at once (SEAT-38)', () => {
  const { terminal, written, last } = record()
  terminal.take()
  expect(terminal.paint(['one', 'two', 'three'], undefined)).toBe(3)
  expect(terminal.paint(['one', '2', 'three'], undefined)).toBe(1)

  expect(last()).toBe('\u001b[?2026h\u001b[?25l\u001b[2;1H\u001b[K2\u001b[?2026l')
  const before = written.length
  expect(terminal.paint(['one', '2', 'three'], undefined)).toBe(0)
  expect(written).toHaveLength(before)
  expect(written.join('')).not.toContain('\n')
})

test('after a new size every line is written again (SEAT-39)', () => {
  const { terminal } = record()
  terminal.take()
  terminal.paint(['one', 'two'], undefined)
  terminal.forget()

  expect(terminal.paint(['one', 'two'], undefined)).toBe(2)
})

test('what was taken is given back, once, in the opposite order (SEAT-38)', () => {
  const { terminal, written, raw } = record()
  terminal.take()
  terminal.take()
  terminal.giveBack()
  terminal.giveBack()

  expect(written).toEqual([
    '\u001b[22;2t\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h',
    '\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l\u001b[23;2t',
  ])
  expect(raw).toEqual([true, false])
  expect(terminal.paint(['late'], undefined)).toBe(0)
})

test('the window is named when its name changes, and the person is called by bell and notice, while it is ours (SEAT-42)', () => {
  const { terminal, written } = record()
  terminal.name('too early')
  terminal.call('too early')
  terminal.take()
  terminal.name('(1) agentd')
  terminal.name('(1) agentd')
  terminal.call('4;1;50')

  expect(written.slice(1)).toEqual(['\u001b]2;(1) agentd\u001b\\', '\u0007\u001b]9;agentd: 4;1;50\u001b\\'])
})

test('a flood is painted ten times a second at the most, and the last change is painted (SEAT-38)', () => {
  const clock = new FakeClock()
  let painted = 0
  const painter = new Painter(clock, () => (painted += 1))
  for (let ms = 0; ms < 2_000; ms += 2) {
    painter.ask()
    clock.advance(2)
  }

  expect(painted).toBeGreaterThan(15)
  expect(painted).toBeLessThanOrEqual(21)
  painter.ask()
  clock.advance(LEAST_PAUSE_MS)
  const before = painted
  clock.advance(10_000)
  expect(painted).toBe(before)
})

test.each([
  ['a', { key: 'a' }],
  ['?', { key: '?' }],
  [' ', { key: ' ' }],
  ['Q', { key: 'Q' }],
  ['語', { key: '語' }],
  ['\r', { key: 'Enter' }],
  ['\u001b\r', { key: 'Enter', isAlt: true }],
  ['\n', { key: 'Enter', isAlt: true }],
  ['\u001b[A', { key: 'ArrowUp' }],
  ['\u001bOB', { key: 'ArrowDown' }],
  ['\u007f', { key: 'Backspace' }],
  ['\u0003', { key: 'c', isCtrl: true }],
  ['\u0007', { key: 'g', isCtrl: true }],
  ['\u001b[5~', { key: 'PageUp' }],
])('%j is read as %j', async (octets, press) => {
  expect(await readKeys(octets, 1)).toEqual([{ isCtrl: false, isAlt: false, isPasted: false, ...press }])
})

test('a lone Escape is one, and what is pasted is marked as pasted (SEAT-30)', async () => {
  expect((await readKeys('\u001b', 1)).map(({ key }) => key)).toEqual(['Escape'])
  const pasted = await readKeys('\u001b[200~y\r\u001b[201~n', 3)
  expect(pasted.map(({ key, isPasted }) => [key, isPasted])).toEqual([
    ['y', true],
    ['Enter', true],
    ['n', false],
  ])
})

function readKeys(octets: string, count: number): Promise<readonly KeyPress[]> {
  const input = new PassThrough()
  const presses: KeyPress[] = []
  return new Promise((resolve) => {
    const stop = listenToKeys(input, (press) => {
      presses.push(press)
      if (presses.length < count) return
      stop()
      resolve(presses)
    })
    input.write(octets)
  })
}

test('an item is said to be seen when its card was open for a second, and once (SEAT-04)', () => {
  const seen: string[] = []
  const shown = new ShownNeeds((eventId) => void seen.push(eventId))
  const open = {
    ...FIRST_VIEW,
    panel: { name: 'need', needId: 'q1', item: undefined, willSign: undefined },
  } as const
  const model = busyModel()
  shown.look(model, open, 0)
  shown.look(model, FIRST_VIEW, SHOWN_MS)
  shown.look(model, open, SHOWN_MS + 1)
  shown.look(model, open, 2 * SHOWN_MS)
  expect(seen).toEqual([])
  for (const ms of [2 * SHOWN_MS + 1, 3 * SHOWN_MS]) shown.look(model, open, ms)

  expect(seen).toEqual(['e1-3'])
})
