/**
 * What a bench has made and must not leave behind: processes and directories.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { within } from './waiting.mjs'

const children = new Set()
const directories = new Set()

/** How long a server may take to end when it is asked to, in milliseconds; after that it is killed. */
const END_MS = 10_000

/** A private directory with a short path, since sockets live in it. */
export function createTempDir() {
  const path = mkdtempSync(join(tmpdir(), 'agb-'))
  directories.add(path)
  return {
    path,
    file: (...names) => join(path, ...names),
    remove() {
      rmSync(path, { recursive: true, force: true })
      directories.delete(path)
    },
  }
}

/**
 * Starts a server and remembers it.
 *
 * @param command - program and arguments
 * @returns `{pid, stdin, stdout, exited, output(), stop(signal)}`; `stop` waits until it is gone
 */
export function spawnServer(command, options = {}) {
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000)
    })
  }
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: -1, why: error.message }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  }).finally(() => children.delete(child))
  const isAlive = () => child.exitCode === null && child.signalCode === null
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    isAlive,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (isAlive()) child.kill(signal)
      try {
        await within(exited, END_MS, 'a server did not end')
      } catch {
        child.kill('SIGKILL')
        await exited
      }
    },
  }
}

/** Ends and removes everything; harmless when there is nothing. */
export function cleanUp() {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const path of directories) rmSync(path, { recursive: true, force: true })
  directories.clear()
}

/** Cleans up however this process ends. */
export function cleanUpAtExit() {
  process.on('exit', cleanUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
}
