/**
 * More than a screen holds, through the pager of the person: only where they sit at a terminal with both ends.
 *
 * Nothing is lost by it: where there is no pager, or it will not start, the text is printed as ever.
 */
import { spawnSync } from 'node:child_process'
import { isatty } from 'node:tty'
import { widthOf } from '../../core/display/width.ts'
import { printOut } from './print.ts'

const STDIN = 0

/** Ends at once when all fits, keeps colours and nothing else of what steers a terminal, leaves the text where it is. */
const USUAL_PAGER = 'less -FRX'

/** What a shell ends with for a program that may not be run, and for one that is not there. */
const NOT_RUN = new Set([126, 127])

/** What decides whether a text is paged. */
export interface Paging {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Columns of stdout; undefined where it is no terminal, or the text is for a program. */
  readonly columns: number | undefined
  /** What the person said with `--no-pager`. */
  readonly isWanted: boolean
  /** Where it goes that is not paged; stdout when absent. */
  readonly print?: (text: string) => void
}

/** Prints a text that is safe to print, by a pager where it is longer than the screen. */
export function printPaged(text: string, { env, columns, isWanted, print = printOut }: Paging): void {
  const pager = env['AGENTD_PAGER'] ?? (env['PAGER'] || USUAL_PAGER)
  const isPaged = isWanted && columns !== undefined && isatty(STDIN) && env['TERM'] !== 'dumb'
  if (!isPaged || pager === '' || pager === 'cat' || !overflows(text, columns)) return print(text)
  if (!page(text, pager, env)) print(text)
}

/** Whether it takes more lines than the terminal has, as it breaks them; one that does not say how many is a program's, where nobody would leave a pager. */
function overflows(text: string, columns: number): boolean {
  const { rows } = process.stdout
  if (!rows) return false
  let taken = 0
  for (const line of text.trimEnd().split('\n')) {
    taken += Math.max(1, Math.ceil(widthOf(withoutColours(line)) / columns))
    // One row is the prompt's.
    if (taken >= rows) return true
  }
  return false
}

/** Select graphic rendition takes no room (ECMA-48 SGR); the text has no other controls. */
const COLOUR = new RegExp(String.raw`\u001b\[[\d;]*m`, 'gu')

function withoutColours(line: string): string {
  return line.replaceAll(COLOUR, '')
}

function ignore(): void {}

/** Ctrl-C is the pager's meanwhile. @returns false when there is no such program */
function page(text: string, pager: string, env: Paging['env']): boolean {
  process.on('SIGINT', ignore)
  try {
    const { status, error } = spawnSync('sh', ['-c', pager], {
      input: text,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    })
    // Who leaves it early has seen enough: what could not be written to it is no fault.
    const isThere = error === undefined || !('code' in error) || error.code === 'EPIPE'
    return isThere && !NOT_RUN.has(status ?? 0)
  } finally {
    process.off('SIGINT', ignore)
  }
}
