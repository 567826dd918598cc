/**
 * `agentd top` as its own short way: the first screen stands before the seat is loaded.
 *
 * Why it may not even begin is for the full command to say, and so is a screen as text.
 *
 * @see SEAT-40; docs/decisions/006-short-ways.md
 */
import { isatty } from 'node:tty'
import { paletteFor, PLAIN } from '../../core/display/palette.ts'
import { readEnvironment } from '../../host/config/paths.ts'
import { EXIT } from '../run/exit.ts'
import { screenFormOf } from '../seat/full-screen.ts'
import type { runTop as RunTop } from '../seat/run-top.ts'

/** What the launcher can load when it is needed. */
export interface TopReserve {
  /** The seat. */
  readonly seat: () => Promise<{ readonly runTop: typeof RunTop }>
  /** The full command line. */
  readonly main: () => Promise<{ readonly main: (argv: readonly string[]) => Promise<void> }>
}

const STDIN = 0
const STDOUT = 1

/**
 * Runs it, and leaves its exit code with the process.
 *
 * @param words - nothing, or `--no-color`
 */
export async function runTop(words: readonly string[], reserve: TopReserve): Promise<void> {
  const environment = readEnvironment()
  const { env } = environment
  const leaveToMain = async (): Promise<void> => (await reserve.main()).main(['top', ...words])
  const isPlain = words.length > 0
  if (!isatty(STDIN) || !isatty(STDOUT) || screenFormOf(env, isPlain) !== 'full') return leaveToMain()
  const { guardTerminal, paintFirst } = await import('../../ui/top/terminal/first-screen.ts')
  const { stdin, stdout } = process
  const paint = isPlain ? PLAIN : paletteFor(true, env)
  const terminal = paintFirst(stdout, stdin, paint)
  const release = guardTerminal(terminal, stdin, () => process.exit(EXIT.interrupted))
  try {
    const mayStart = !env['AGENTD_NO_START']
    const { runTop: run } = await reserve.seat()
    process.exitCode = await run({ environment, socket: undefined, mayStart, paint }, { terminal, release })
  } catch {
    release()
    terminal.giveBack()
    return leaveToMain()
  }
}
