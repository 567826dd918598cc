/**
 * What a reader of the documentation sits at: terminals in one checkout, one home, one daemon.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')

/** How long a terminal may take to show what is waited for, on a busy machine. */
const PATIENCE_MS = 30_000

/** How often that is looked at. */
const LOOK_MS = 20

/** One terminal: a process and everything it has printed. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcess
  #shown = ''

  constructor(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd: string }) {
    this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#shown += text
      })
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** What matches in what was shown so far. */
  find(pattern: RegExp): RegExpExecArray | null {
    return pattern.exec(this.#shown)
  }

  /** Waits until the terminal shows something, and returns what matched. */
  shows(pattern: RegExp, patienceMs = PATIENCE_MS): Promise<RegExpExecArray> {
    const startedMs = performance.now()
    return vi.waitUntil(
      () => {
        const hasEnded = this.#child.exitCode !== null || performance.now() - startedMs > patienceMs
        const match = this.find(pattern)
        if (match === null && hasEnded) {
          throw new Error(`${String(pattern)} was not shown; this was:\n${this.#shown}`)
        }
        return match
      },
      { timeout: patienceMs * 2, interval: LOOK_MS },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child
    if (this.#child.exitCode !== null || pid === undefined) return
    const gone = once(this.#child, 'exit')
    process.kill(-pid, 'SIGKILL')
    await gone
  }
}

/** A reader's desk. The checkout is one of links, so that what a page writes into it is not written into ours. */
export class Desk implements AsyncDisposable {
  readonly checkout: string
  readonly #env: NodeJS.ProcessEnv
  readonly #terminals: Terminal[] = []
  #blocks = 0

  /** @param home - a directory that is removed by who made it */
  constructor(home: string) {
    this.checkout = join(home, 'agentd')
    mkdirSync(this.checkout)
    for (const name of readdirSync(ROOT).filter((entry) => !entry.startsWith('.'))) {
      symlinkSync(join(ROOT, name), join(this.checkout, name))
    }
    this.#env = {
      PATH: process.env['PATH'],
      HOME: home,
      TMPDIR: home,
      USER: userInfo().username,
      TERM: 'dumb',
      NPM_CONFIG_PREFIX: join(home, '.npm-global'),
      NPM_CONFIG_OFFLINE: 'true',
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    }
  }

  open(command: string, args: readonly string[]): Terminal {
    const terminal = new Terminal(command, args, { env: this.#env, cwd: this.checkout })
    this.#terminals.unshift(terminal)
    return terminal
  }

  shell(): Terminal {
    return this.open('bash', ['-eu'])
  }

  /** Types a block into a shell and waits until the last line of it has succeeded. */
  async run(shell: Terminal, text: string, patienceMs?: number): Promise<void> {
    await shell.shows(this.start(shell, text), patienceMs)
  }

  /** Types a block into a shell. @returns what the shell shows when the last line of it has succeeded */
  start(shell: Terminal, text: string): RegExp {
    this.#blocks += 1
    shell.type(`${text}\necho "block ${this.#blocks} is done"\n`)
    return new RegExp(`block ${this.#blocks} is done`)
  }

  /** Runs a program to its end, beside the terminals. @returns what it printed */
  now(command: string, args: readonly string[]): string {
    return spawnSync(command, args, { env: this.#env, cwd: this.checkout, encoding: 'utf8' }).stdout
  }

  /** Waits until some terminal shows something, and returns what matched. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    const find = (): RegExpExecArray | undefined =>
      this.#terminals.map((terminal) => terminal.find(pattern)).find((match) => match !== null) ?? undefined
    const options = { timeout: PATIENCE_MS, interval: LOOK_MS }
    const found = await vi.waitUntil(find, options).catch(() => undefined)
    if (found === undefined) throw new Error(`${String(pattern)} was not shown in any terminal`)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A page may have left a daemon in the background.
    this.now(process.execPath, ['bin/agentd.cjs', 'stop'])
    for (const terminal of this.#terminals) await terminal[Symbol.asyncDispose]()
  }
}
