/** A program of Node that runs in a folder until it is ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A script that says when it runs, and goes on. */
export const RUNS = 'console.log("runs"); setInterval(() => {}, 1e6)'

/** Starts it, and waits until it says something. Use it with `await using`. @param args - of Node */
export async function startRunning(
  cwd: string,
  args: readonly string[],
): Promise<ChildProcess & AsyncDisposable & { readonly pid: number }> {
  const child = spawn(process.execPath, [...args], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return Object.assign(child, {
    pid: child.pid ?? -1,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  })
}
