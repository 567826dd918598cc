/**
 * An implementation as a program: one question of JSON to a line on its standard input, one answer to a line on its
 * standard output, in any order; `id` tells which is which.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { AdapterError, type Adapter, type Answer, type Question } from './adapter.ts'
import { parseObject } from './json.ts'

/** How long one answer may take. */
export const MAX_ANSWER_MS = 10_000

/** How long a program may take to end once its input has. */
export const MAX_END_MS = 2_000

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: AdapterError) => void
}

/** @param command - a line for the shell */
export function openCommand(command: string, maxAnswerMs = MAX_ANSWER_MS): Adapter {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, Waiting>()
  const fail = (message: string): void => {
    for (const { reject } of waiting.values()) reject(new AdapterError(message))
    waiting.clear()
  }
  let ended: string | undefined
  child.once('error', (error) => fail((ended = `the command does not start: ${error.message}`)))
  child.once('close', (code) => fail((ended = `the command ended with ${String(code)}`)))
  // A program that has ended does not read any more; its end is told by 'close'.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => take(line, waiting, fail))
  let last = 0
  return {
    ask: (question: Question) => {
      const id = (last += 1)
      return new Promise<Answer>((resolve, reject) => {
        if (ended !== undefined) return reject(new AdapterError(ended))
        const late = (): void => reject(new AdapterError(`no answer within ${maxAnswerMs} ms`))
        const timer = setTimeout(late, maxAnswerMs)
        const settle = (): boolean => (clearTimeout(timer), waiting.delete(id))
        waiting.set(id, {
          resolve: (answer) => (settle(), resolve(answer)),
          reject: (error) => (settle(), reject(error)),
        })
        child.stdin.write(`${JSON.stringify({ id, ...question })}\n`)
      })
    },
    close: () => end(child),
  }
}

function take(line: string, waiting: ReadonlyMap<number, Waiting>, fail: (message: string) => void): void {
  try {
    const { id, ...answer } = parseObject(line)
    waiting.get(Number(id))?.resolve(answer)
  } catch {
    fail(`this line is no answer: ${line.slice(0, 200)}`)
  }
}

/** Ends a program by the end of its input, and by a signal when it stays. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_END_MS)
  child.stdin?.end()
  await closed
  clearTimeout(timer)
}
