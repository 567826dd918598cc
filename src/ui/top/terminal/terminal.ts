/**
 * The terminal while the seat has it: taken, painted, and given back as it was.
 *
 * Whole lines are compared, and those that differ are written, in one piece that the terminal shows at once. Every line has
 * its place told and nothing ends with a line break, so nothing scrolls; and a character that the terminal takes for wider
 * than we do cannot wrap, since wrapping is off.
 *
 * @see SEAT-38, SEAT-39
 */

/** Private modes of xterm: each is `ESC [ ? number h` on, and `l` off. */
const ALTERNATE_SCREEN = 1049
const CURSOR = 25
const WRAP = 7
const PASTE_IN_BRACKETS = 2004
const SYNCHRONIZED = 2026

/** What is needed of `process.stdout`. */
export interface TerminalOutput {
  write(text: string): unknown
}

/** What is needed of `process.stdin`. */
export interface TerminalInput {
  setRawMode(isRaw: boolean): unknown
}

/** Where the cursor stands, counted from 0. */
export interface CursorPlace {
  readonly row: number
  readonly column: number
}

/** One terminal. */
export class Terminal {
  readonly #output: TerminalOutput
  readonly #input: TerminalInput
  #isTaken = false
  /** As they stand on it; empty where that is not known. */
  #painted: readonly string[] = []
  #cursor: CursorPlace | undefined
  #title = ''

  constructor(output: TerminalOutput, input: TerminalInput) {
    this.#output = output
    this.#input = input
  }

  /** Whether the seat has it. */
  get isTaken(): boolean {
    return this.#isTaken
  }

  /** Takes it: another screen, no echo, no wrapping. Repeated, it does nothing. */
  take(): void {
    if (this.#isTaken) return
    this.#isTaken = true
    this.#input.setRawMode(true)
    this.#output.write(
      `${KEEP_TITLE}${on(ALTERNATE_SCREEN)}${off(CURSOR)}${off(WRAP)}${on(PASTE_IN_BRACKETS)}`,
    )
    this.#title = ''
    this.forget()
  }

  /** Gives it back as it was. Repeated, it does nothing. */
  giveBack(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    this.#output.write(
      `${off(PASTE_IN_BRACKETS)}${on(WRAP)}${on(CURSOR)}${off(ALTERNATE_SCREEN)}${TITLE_AS_KEPT}`,
    )
    this.#input.setRawMode(false)
  }

  /** Nothing is known of what stands on it, as after it changed its size: the next painting writes every line. */
  forget(): void {
    this.#painted = []
    this.#cursor = undefined
  }

  /** Names the window, until it is given back. @param title - without anything that a terminal obeys, as the line below */
  name(title: string): void {
    if (!this.#isTaken || title === this.#title) return
    this.#title = title
    this.#output.write(`${OSC}2;${title}${END_OF_OSC}`)
  }

  /** Calls the person: by the bell, and where the terminal shows notices by one. */
  call(line: string): void {
    // With our name in front: what begins with a number is something else to some terminals.
    if (this.#isTaken) this.#output.write(`${BELL}${OSC}9;agentd: ${line}${END_OF_OSC}`)
  }

  /** Shows these lines and no other. @returns how many were written */
  paint(lines: readonly string[], cursor: CursorPlace | undefined): number {
    if (!this.#isTaken) return 0
    const isNew = this.#painted.length !== lines.length
    const changed = lines.flatMap((line, row) =>
      isNew || line !== this.#painted[row] ? [`${placeAt(row, 0)}${ERASE_TO_END}${line}`] : [],
    )
    if (changed.length > 0 || !isSamePlace(cursor, this.#cursor)) {
      const clear = isNew ? ERASE_SCREEN : ''
      const shown = cursor === undefined ? '' : `${placeAt(cursor.row, cursor.column)}${on(CURSOR)}`
      this.#output.write(
        `${on(SYNCHRONIZED)}${off(CURSOR)}${clear}${changed.join('')}${shown}${off(SYNCHRONIZED)}`,
      )
    }
    this.#painted = lines
    this.#cursor = cursor
    return changed.length
  }
}

const ESCAPE = '\u001b['
/** Operating system commands (ECMA-48), by xterm's numbers, and the end of one. */
const OSC = '\u001b]'
const END_OF_OSC = '\u001b\\'
const BELL = '\u0007'

/** The title of the window is put aside and taken back (XTWINOPS). */
const KEEP_TITLE = `${ESCAPE}22;2t`
const TITLE_AS_KEPT = `${ESCAPE}23;2t`
const ERASE_SCREEN = `${ESCAPE}2J`
const ERASE_TO_END = `${ESCAPE}K`

function on(mode: number): string {
  return `${ESCAPE}?${mode}h`
}

function off(mode: number): string {
  return `${ESCAPE}?${mode}l`
}

function placeAt(row: number, column: number): string {
  return `${ESCAPE}${row + 1};${column + 1}H`
}

function isSamePlace(one: CursorPlace | undefined, other: CursorPlace | undefined): boolean {
  return one?.row === other?.row && one?.column === other?.column
}
