/**
 * One line on the terminal for work that takes longer than a moment: what is done, how far it is, and how long it has taken.
 *
 * Silent where nobody reads notes, and where a line cannot be taken back. Ctrl-C takes the line away before it ends the program.
 */
import { cutTo } from '../../core/display/width.ts'
import { formatSpan } from '../../core/text/durations.ts'

/** What is sooner done shows nothing, in milliseconds. */
export const SHOWN_AFTER_MS = 1_000

/** Between two drawings, in milliseconds; more often nobody could read. */
export const DRAWN_EVERY_MS = 200

/** How long work may go on without letting a signal in, in milliseconds. */
const BREATH_EVERY_MS = 50

/** Characters of a bar, and what else has to fit beside it. */
const BAR_COLUMNS = 20
const LEAST_COLUMNS = 60

const SECOND_MS = 1_000

/** What it is drawn on: an `Output`, or a stand-in. */
export interface ProgressScreen {
  /** Whether somebody reads the line, on a terminal that can take it back. */
  readonly redraws: boolean
  readonly noteColumns: number
  status(text: string): void
}

/** Begins when it is made, ends with `stop`. */
export class Progress {
  readonly #screen: ProgressScreen
  /** Safe to print. */
  readonly #what: string
  /** Undefined where the size is not known. */
  readonly #total: number | undefined
  readonly #beganMs = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  #drawnMs = 0
  #breathedMs = this.#beganMs
  #done = 0
  /** Set by the first drawing: only then is there a line to take away. */
  #isShown = false

  /** @param total - how much there is to do, in whatever `advance` counts */
  constructor(screen: ProgressScreen, what: string, total?: number) {
    this.#screen = screen
    this.#what = what
    this.#total = total
    if (!screen.redraws) return
    this.#timer = setInterval(() => this.#draw(), DRAWN_EVERY_MS)
    process.on('SIGINT', this.#onInterrupt)
  }

  /** So much more is done. */
  advance(by: number): void {
    this.#done += by
    if (this.#timer !== undefined && performance.now() - this.#drawnMs >= DRAWN_EVERY_MS) this.#draw()
  }

  /** For work in one go, behind each step: a wait that lets Ctrl-C in, where it is time for one. */
  breathe(): Promise<void> | undefined {
    const nowMs = performance.now()
    if (nowMs - this.#breathedMs < BREATH_EVERY_MS) return undefined
    this.#breathedMs = nowMs
    return new Promise((resolve) => setImmediate(resolve))
  }

  /** Takes the line away. Repeated, it does nothing. */
  stop(): void {
    clearInterval(this.#timer)
    process.off('SIGINT', this.#onInterrupt)
    if (this.#isShown) this.#screen.status('')
    this.#isShown = false
  }

  readonly #onInterrupt = (): void => {
    this.stop()
    // As if nobody had listened: a shell is to see what ended it.
    process.kill(process.pid, 'SIGINT')
  }

  #draw(): void {
    const nowMs = performance.now()
    if (nowMs - this.#beganMs < SHOWN_AFTER_MS) return
    this.#drawnMs = nowMs
    this.#isShown = true
    this.#screen.status(cutTo(this.#line(nowMs - this.#beganMs), this.#screen.noteColumns - 1))
  }

  #line(tookMs: number): string {
    const took = formatSpan(Math.floor(tookMs / SECOND_MS) * SECOND_MS)
    if (this.#total === undefined || this.#total <= 0) return `${this.#what} … ${took}`
    const part = Math.min(1, this.#done / this.#total)
    const percent = `${Math.floor(part * 100)} %`.padStart(5)
    if (this.#screen.noteColumns < LEAST_COLUMNS) return `${this.#what} ${percent}  ${took}`
    const filled = Math.floor(part * BAR_COLUMNS)
    const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_COLUMNS - filled)}`
    return `[${bar}] ${percent}  ${took}  ${this.#what}`
  }
}

/** Shows progress as long as something runs. */
export async function withProgress<T>(
  screen: ProgressScreen,
  what: string,
  work: (progress: Progress) => Promise<T>,
  total?: number,
): Promise<T> {
  const progress = new Progress(screen, what, total)
  try {
    return await work(progress)
  } finally {
    progress.stop()
  }
}
