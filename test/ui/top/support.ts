/**
 * A terminal's seat on a made-up morning, drawn as text, and what it asked for.
 */
import { PLAIN } from '../../../src/core/display/palette.ts'
import type { SeatRequest } from '../../../src/ui/seat/needs/answers.ts'
import type { CallOutcome } from '../../../src/ui/seat/outcome.ts'
import { SeatModel } from '../../../src/ui/seat/seat-model.ts'
import type { ThreadView } from '../../../src/ui/seat/threads/thread-view.ts'
import { drawFrame } from '../../../src/ui/top/lines/frame.ts'
import { formatLine } from '../../../src/ui/top/lines/line.ts'
import { Keys } from '../../../src/ui/top/state/press.ts'
import { TopSeat } from '../../../src/ui/top/state/top-seat.ts'
import { busyMorning, passingOf } from '../support/scene.ts'
import { NOON_MS, read } from '../support/wire.ts'

/** Five sessions, four needs, two collisions. */
export function busyModel(): SeatModel {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 1_000)
  model.feed(read('snapshot', busyMorning(NOON_MS).snapshot))
  for (const [index, item] of passingOf(NOON_MS).entries())
    model.feed(read('passed', item, `e1-${index + 10}`))
  return model
}

/** A terminal without a terminal. */
export interface Sat {
  readonly seat: TopSeat
  /** What was asked for so far. */
  readonly requests: SeatRequest[]
  /** Ways out that were taken. */
  readonly left: string[]
  /** Presses keys, by their names in the table, one after the other. */
  press(...keys: readonly string[]): void
  /** Types a text, a key for each character. */
  type(text: string): void
  /** A key within a text that is pasted. */
  paste(key: string): void
  /** Lets what was asked for be answered. */
  settled(): Promise<void>
  /** The screen as it would be painted. */
  screen(columns?: number, rows?: number): string
}

/** What is known of workflows. */
export interface MadeUpThreads {
  readonly list: () => CallOutcome
  readonly one: (corr: string) => ThreadView | { readonly kind: 'unanswered' }
}

const NO_THREADS: MadeUpThreads = {
  list: () => ({ kind: 'done', body: { items: [], next: null }, version: '1' }),
  one: () => ({ kind: 'unanswered' }),
}

/** What a request comes to; undefined asks for an item. */
export type MadeUpOutcome = (request: SeatRequest | undefined) => CallOutcome

/** @param outcome - what every request comes to, or each */
export function sit(
  model: SeatModel,
  outcome: CallOutcome | MadeUpOutcome = DONE,
  threads: MadeUpThreads = NO_THREADS,
): Sat {
  const answer: MadeUpOutcome = typeof outcome === 'function' ? outcome : () => outcome
  const requests: SeatRequest[] = []
  const left: string[] = []
  const seat = new TopSeat(model, {
    async call(request) {
      requests.push(request)
      return answer(request)
    },
    willSign: async () => false,
    fetchItem: async () => answer(undefined),
    fetchThreads: async () => threads.list(),
    fetchThread: async (corr) => threads.one(corr),
    editText: async (text) => `${text}, edited\n`,
    onChange() {},
    quit: () => void left.push('quit'),
    suspend: () => void left.push('suspend'),
  })
  const keys = new Keys(seat)
  const press = (key: string, isAlt = false, isCtrl = false): void => {
    seat.settle()
    keys.press({ key, isAlt, isCtrl, isPasted: false })
  }
  seat.settle()
  return {
    seat,
    requests,
    left,
    press(...names) {
      for (const name of names)
        press(name.replace(/^(?:Alt|Ctrl)\+/, ''), name.startsWith('Alt+'), name.startsWith('Ctrl+'))
    },
    type(text) {
      for (const character of text) press(character)
    },
    paste: (key) => keys.press({ key, isAlt: false, isCtrl: false, isPasted: true }),
    settled: () => new Promise((resolve) => setImmediate(resolve)),
    screen: (columns = 100, rows = 30) => draw(seat, columns, rows).join('\n'),
  }
}

/** The lines of a screen of this size. */
export function draw(seat: TopSeat, columns: number, rows: number): readonly string[] {
  seat.settle()
  const { model, view, shown } = seat
  return drawFrame({ model, view, columns, rows, nowMs: NOON_MS }, shown).lines.map((line) =>
    formatLine(line, PLAIN),
  )
}

const DONE: CallOutcome = {
  kind: 'done',
  body: { recipient_count: 1, queued_count: 0, event_id: 'e1-99' },
  version: '1',
}
