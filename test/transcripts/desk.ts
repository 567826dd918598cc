/**
 * What a reader of the documentation sits at: terminals in one checkout, one home, one daemon.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** How long a terminal may take to show what is waited for, on a busy machine. */
const PATIENCE_MS = 30_000

/** One terminal: a process and everything it has printed. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcess
  #shown = ''
  readonly #printed = new EventEmitter()

  constructor(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd: string }) {
    this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#shown += text
        this.#printed.emit('more')
      })
    }
    this.#child.on('exit', () => this.#printed.emit('more'))
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Waits until the terminal shows something, and returns what matched. */
  async shows(pattern: RegExp, patienceMs = PATIENCE_MS): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(patienceMs)
    for (;;) {
      const match = pattern.exec(this.#shown)
      if (match !== null) return match
      if (deadline.aborted || this.#child.exitCode !== null) {
        throw new Error(`${String(pattern)} was not shown; this was:\n${this.#shown}`)
      }
      await Promise.race([once(this.#printed, 'more'), once(deadline, 'abort')])
    }
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
  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return Promise.any(this.#terminals.map((terminal) => terminal.shows(pattern)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A page may have left a daemon in the background.
    this.now(process.execPath, ['bin/agentd.cjs', 'stop'])
    for (const terminal of this.#terminals) await terminal[Symbol.asyncDispose]()
  }
}
