/**
 * Ctrl-C as an ordinary end: what is open gets closed first.
 */
import type { ExitCode } from './exit.ts'

/** The reason of an abort that a person asked for; never leaves this file. */
class InterruptAsked extends Error {
  override readonly name = 'InterruptAsked'
}

/**
 * Runs something that ends by itself, or by SIGINT.
 *
 * A second Ctrl-C ends the process at once: the first one has taken its handler away.
 *
 * @param work - rejects with the signal's reason when it is interrupted
 * @param interrupted - the exit code in that case
 * @param signals - what ends it, where more than Ctrl-C does
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<ExitCode>,
  interrupted: ExitCode,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
): Promise<ExitCode> {
  const ending = new AbortController()
  const end = (): void => ending.abort(new InterruptAsked('interrupted'))
  for (const signal of signals) process.once(signal, end)
  try {
    return await work(ending.signal)
  } catch (error) {
    if (error instanceof InterruptAsked) return interrupted
    throw error
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}
