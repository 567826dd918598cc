/**
 * What a command says on the two streams of the process.
 */
import { escapeUnseen } from '../../core/text/unseen.ts'
import { writeWhole } from './write-whole.ts'

const STDOUT = 1
const STDERR = 2

/** Results go to stdout. A reader that has gone away has all it wanted: the process ends without a word. */
export function printOut(text: string): void {
  if (!writeWhole(STDOUT, text)) process.exit(0)
}

/** A line of JSON, safe on whatever screen it ends up on (HD-19). */
export function printJson(line: string): void {
  printOut(`${escapeUnseen(line)}\n`)
}

/** Everything else goes to stderr; when nobody reads it, there is nobody to tell. */
export function printError(text: string): void {
  writeWhole(STDERR, text)
}
