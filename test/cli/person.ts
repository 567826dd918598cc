/**
 * The person at a terminal, who says yes or no where a command asks.
 */
import { startOnTerminal, type Env } from './support.ts'

/** Answers the one question a command asks, and waits for its end. @returns what stood on the terminal, and the code */
export async function atTerminal(
  env: Env,
  args: readonly string[],
  answer: 'y' | 'n' = 'y',
): Promise<{ readonly code: number | null; readonly shown: string }> {
  await using running = startOnTerminal(env, args)
  await running.untilSaid(/\[y\/N\]/)
  running.type(`${answer}\r`)
  const { code, stdout } = await running.ended
  return { code, shown: stdout }
}
