/**
 * Where a command's words go: results to stdout, everything else to stderr; text for people or JSON for
 * programs, never both.
 *
 * @see docs/http.md §11
 */
import { isatty } from 'node:tty'
import { paletteFor, PLAIN, type Palette } from '../../core/display/palette.ts'
import { printPaged } from './pager.ts'
import { printError, printJson, printOut } from './print.ts'
import { toWireNames } from './wire-names.ts'

const STDOUT = 1
const STDERR = 2

/** A terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/** What decides how a command speaks. */
export interface OutputOptions {
  readonly json: boolean
  readonly quiet: boolean
  /** False where no colours are wanted, whatever the variables say. */
  readonly color: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The two streams of one command. */
export class Output {
  readonly json: boolean
  readonly quiet: boolean
  /** Whether a person reads the results as they come. */
  readonly isTerminal: boolean
  /** Whether a person reads the notes. */
  readonly notesAreRead: boolean
  /** Whether a line of notes can be taken back: somebody reads them, on a terminal that is not `dumb`. */
  readonly redraws: boolean
  /** Colours of stdout. */
  readonly paint: Palette
  /** Colours of stderr. */
  readonly notePaint: Palette

  readonly #env: OutputOptions['env']

  constructor({ json, quiet, color, env }: OutputOptions) {
    this.#env = env
    this.json = json
    this.quiet = quiet
    this.isTerminal = isatty(STDOUT) && !json
    this.notesAreRead = isatty(STDERR) && !json && !quiet
    this.redraws = this.notesAreRead && env['TERM'] !== 'dumb'
    const isPlain = json || !color
    this.paint = isPlain ? PLAIN : paletteFor(this.isTerminal, env)
    this.notePaint = isPlain ? PLAIN : paletteFor(isatty(STDERR), env)
  }

  /** Columns a line may take; undefined where nothing is to be cut. Asked anew, since windows change. */
  get columns(): number | undefined {
    return this.isTerminal ? process.stdout.columns || USUAL_COLUMNS : undefined
  }

  /** Lines for people. Under `--json` and `--quiet` nothing is said. */
  say(text: string): void {
    if (!this.json && !this.quiet && text !== '') printOut(`${text}\n`)
  }

  /** What was asked for; said under `--quiet` too. */
  answer(text: string): void {
    if (!this.json) printOut(`${text}\n`)
  }

  /** As {@link answer}, by the person's pager where it is longer than the screen. @param isPaged - false for `--no-pager` */
  answerLong(text: string, isPaged: boolean): void {
    if (!this.json) printPaged(`${text}\n`, { env: this.#env, columns: this.columns, isWanted: isPaged })
  }

  /** What is no result and longer than the screen: by the pager where a person has both streams before them, else to stderr. */
  noteLong(text: string, isPaged: boolean): void {
    const isWanted = isPaged && this.notesAreRead
    if (!this.json)
      printPaged(`${text}\n`, { env: this.#env, columns: this.columns, isWanted, print: printError })
  }

  /** One object on one line, with the names of the wire. */
  data(value: object): void {
    if (this.json) printJson(JSON.stringify(toWireNames(value)))
  }

  /** Something beside the matter, for people. */
  note(text: string): void {
    if (!this.json && !this.quiet && text !== '') printError(`${this.notePaint.dim(text)}\n`)
  }

  /** Replaces the line that stands on the terminal now; empty: clears it. */
  status(text: string): void {
    if (this.notesAreRead) printError(`\r${CLEAR_LINE}${this.notePaint.dim(text)}`)
  }

  /** Columns of the terminal the notes go to. */
  get noteColumns(): number {
    return process.stderr.columns || USUAL_COLUMNS
  }
}

/** Erase in line, to its end (ECMA-48 EL). */
const CLEAR_LINE = '\u001b[K'
