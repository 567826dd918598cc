/**
 * Texts without a secret that are handed over: written to a file, or to stdout.
 */
import { isatty } from 'node:tty'
import { UsageError } from '../../../core/errors.ts'
import { readJudgedFile } from '../../../host/files/own-file.ts'
import { askBesideStdout, askPerson } from '../../authority/person.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { readTextOption } from '../../run/options.ts'
import { printOut } from '../../terminal/print.ts'
import { writeNew } from '../../../host/files/new-file.ts'

const STDOUT = 1

/** A request or an invitation has two documents at the most. */
const MAX_HANDED_OCTETS = 262_144

/** Asks, on a terminal that stdout need not be. @throws UsageError as `askPerson` */
export function askBesideFile(context: CommandContext, question: string): boolean {
  const isBeside = readTextOption(context.options, 'to') === undefined && !isatty(STDOUT)
  return isBeside ? askBesideStdout(context, question) : askPerson(context, question)
}

/** Writes a text to `--to`, or to stdout. @returns where it is; undefined for stdout */
export function handOver({ options, output }: CommandContext, text: string): string | undefined {
  const path = readTextOption(options, 'to')
  if (path !== undefined) writeNew(path, text)
  else if (!output.json) printOut(text)
  return path
}

/** What somebody has handed over; anybody may have read it. @throws UsageError for no such file, and for one too large */
export function readHandedOver(path: string): string {
  const file = readJudgedFile(path, ({ size }) =>
    size > MAX_HANDED_OCTETS ? `it is larger than ${MAX_HANDED_OCTETS} bytes` : undefined,
  )
  if (file.kind === 'text') return file.text
  throw new UsageError(
    `The file ${path} cannot be taken: ${file.kind === 'absent' ? 'it is not there' : file.reason}.`,
  )
}
