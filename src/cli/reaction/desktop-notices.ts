/**
 * What passes, on the desktop: a few at once, and of more than that how many they are.
 *
 * @see docs/commands.md "On the desktop"; SEAT-43
 */
import type { Clock } from '../../core/clock.ts'
import type { LogFields, Logger } from '../../core/log.ts'
import { formatCount } from '../../core/text/counts.ts'
import type { Desktop, Notice } from '../../ui/serve/alerts/desktop.ts'

/** Notifications within {@link NOTICE_WINDOW_MS}; with one that is taken back, as many programs as the desktop takes at once. */
export const MAX_NOTICES = 2

/** In milliseconds. What passes beyond that is told at its end, in one. */
export const NOTICE_WINDOW_MS = 10_000

/** Notifications that stand there at a time; the oldest goes for the next. */
export const MAX_STANDING = 8

/** What it is made from. */
export interface NoticesParts {
  readonly desktop: Pick<Desktop, 'show' | 'withdraw'>
  readonly clock: Clock
}

export class DesktopNotices {
  readonly #parts: NoticesParts
  /** How many were shown, ever: the key of each. */
  #shown = 0
  /** Of those, within the window that is open. */
  #recent = 0
  #untold = 0
  #isOpen = false

  constructor(parts: NoticesParts) {
    this.#parts = parts
  }

  /** Shows it, or counts it. */
  take(words: Pick<Notice, 'title' | 'body'>): void {
    this.#open()
    if (this.#recent >= MAX_NOTICES) this.#untold += 1
    else this.#show(words)
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#recent = 0
    this.#parts.clock.after(NOTICE_WINDOW_MS, () => this.#close())
  }

  #close(): void {
    this.#isOpen = false
    if (this.#untold === 0) return
    this.#open()
    this.#show({ title: formatCount(this.#untold, 'more message'), body: 'agentd history shows them' })
    this.#untold = 0
  }

  #show(words: Pick<Notice, 'title' | 'body'>): void {
    const { desktop } = this.#parts
    this.#shown += 1
    this.#recent += 1
    desktop.withdraw(keyOf(this.#shown - MAX_STANDING))
    desktop.show({ ...words, key: keyOf(this.#shown), isQuiet: false })
  }
}

function keyOf(number: number): string {
  return `passed-${number}`
}

/** What is off with the program that shows them, as sentences: each is said once. */
export function desktopTrouble(complain: (sentence: string) => void): Logger {
  return {
    info() {},
    error() {},
    warn: (event, fields = {}) => complain(sentenceOf(event, fields)),
  }
}

function sentenceOf(event: string, fields: LogFields): string {
  const program = `"${String(fields['program'])}"`
  if (event === 'notifier-missing')
    return `Nothing is shown on the desktop: ${program} cannot be started (${String(fields['code'])}).`
  if (event === 'notifier-hangs') return `Some are not shown on the desktop: ${program} does not answer.`
  const how = fields['signal'] === null ? `exit code ${String(fields['code'])}` : String(fields['signal'])
  return `Nothing is shown on the desktop: ${program} ended with ${how}. Is there a desktop here?`
}
