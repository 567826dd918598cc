/** `agentd tail --notify`: however much passes, the desktop is told a little of it, and how much it was. */
import { expect, test } from 'vitest'
import {
  DesktopNotices,
  desktopTrouble,
  MAX_NOTICES,
  MAX_STANDING,
  NOTICE_WINDOW_MS,
} from '../../../src/cli/reaction/desktop-notices.ts'
import type { Notice } from '../../../src/ui/serve/alerts/desktop.ts'
import { FakeClock } from '../../support/fake-clock.ts'

function noticesOn() {
  const shown: Notice[] = []
  const standing = new Set<string>()
  const clock = new FakeClock()
  const desktop = {
    show(notice: Notice) {
      shown.push(notice)
      standing.add(notice.key)
    },
    withdraw: (key: string) => void standing.delete(key),
  }
  return { notices: new DesktopNotices({ desktop, clock }), clock, shown, standing }
}

test('as many as may are shown as they pass; of one more, and a hundred, only the number, when the window is over', () => {
  const { notices, clock, shown } = noticesOn()
  for (let at = 0; at < MAX_NOTICES + 101; at += 1) notices.take({ title: `${at}`, body: '' })
  const titles = (): readonly string[] => shown.map(({ title }) => title)
  expect(titles()).toEqual(['0', '1'])

  clock.advance(NOTICE_WINDOW_MS - 1)
  expect(titles()).toHaveLength(MAX_NOTICES)
  clock.advance(1)

  expect(titles()).toEqual(['0', '1', '101 more messages'])
})

test('who was told the number is told fewer of the next, and nothing is left running when all is quiet', () => {
  const { notices, clock, shown } = noticesOn()
  for (let at = 0; at <= MAX_NOTICES; at += 1) notices.take({ title: 'first', body: '' })
  clock.advance(NOTICE_WINDOW_MS)
  for (let at = 0; at < MAX_NOTICES; at += 1) notices.take({ title: 'next', body: '' })

  expect(shown.map(({ title }) => title)).toEqual(['first', 'first', '1 more message', 'next'])
  clock.advance(2 * NOTICE_WINDOW_MS)
  expect(shown.at(-1)?.title).toBe('1 more message')
  expect(clock.pendingTimers).toBe(0)
})

test('the oldest goes for the next: never more than eight stand there', () => {
  const { notices, clock, shown, standing } = noticesOn()
  for (let at = 0; at <= MAX_STANDING; at += 1) {
    notices.take({ title: `${at}`, body: '' })
    clock.advance(NOTICE_WINDOW_MS)
  }

  expect(shown).toHaveLength(MAX_STANDING + 1)
  expect([...standing]).toEqual(shown.slice(1).map(({ key }) => key))
})

test('each trouble with the program is a sentence', () => {
  const said: string[] = []
  const log = desktopTrouble((sentence) => void said.push(sentence))
  log.warn('notifier-missing', { program: 'notify-send', code: 'ENOENT' })
  log.warn('notifier-hangs', { program: 'notify-send' })
  log.warn('notifier-failed', { program: 'notify-send', code: 1, signal: null })
  log.warn('notifier-failed', { program: 'osascript', code: null, signal: 'SIGKILL' })

  expect(said).toEqual([
    'Nothing is shown on the desktop: "notify-send" cannot be started (ENOENT).',
    'Some are not shown on the desktop: "notify-send" does not answer.',
    'Nothing is shown on the desktop: "notify-send" ended with exit code 1. Is there a desktop here?',
    'Nothing is shown on the desktop: "osascript" ended with SIGKILL. Is there a desktop here?',
  ])
})
