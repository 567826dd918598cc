/**
 * A real terminal: a pane of tmux with a shell in it, of any size, looked at whenever something is written to it.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createTempDir } from './temp-dir.ts'
import { Changes } from './within.ts'

/** Use it with `await using`: the server and all that runs in it are ended. */
export interface TmuxPane extends AsyncDisposable {
  /** What stands on the screen, without what follows the last letter of a line. */
  screen(): string
  /** Waits until the screen shows it. */
  untilShown(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits until the screen does not show it any more. */
  untilGone(pattern: RegExp): Promise<true>
  /** Presses keys, by tmux's names for them. */
  press(...keys: readonly string[]): void
  /** Types a text as it is. */
  type(text: string): void
  resize(columns: number, rows: number): void
  /** Waits until the terminal is called so. */
  untilTitled(title: string): Promise<true>
  /** Whether a program has the alternate screen. */
  isAlternate(): boolean
}

/** How a pane differs from a usual one. */
export interface TmuxOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env: Readonly<Record<string, string>>
}

/** Opens one, with a shell at its prompt `$ `. */
export async function openPane({ columns = 80, rows = 24, env }: TmuxOptions): Promise<TmuxPane> {
  const dir = await createTempDir()
  const server = ['-S', dir.file('tmux.sock'), '-f', '/dev/null']
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', [...server, ...words], { encoding: 'utf8', env: { ...env, LC_ALL: 'C.UTF-8' } })
  tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, 'env PS1="$ " bash --norc --noprofile')
  // A client that is told of all that is written, and draws nothing.
  const watcher = spawn('tmux', [...server, '-C', 'attach', '-f', 'ignore-size'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
  })
  const changes = new Changes()
  watcher.stdout.on('data', () => changes.tell())
  const screen = (): string => tmux('capture-pane', '-p').replaceAll(/[ \t]+$/gm, '')
  return {
    screen,
    untilShown: (pattern) =>
      changes.until(() => pattern.exec(screen()) ?? undefined, `${pattern} on\n${screen()}`),
    untilGone: (pattern) =>
      changes.until(() => (pattern.test(screen()) ? undefined : true), `an end of ${pattern}`),
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    resize: (width, height) => void tmux('resize-window', '-x', `${width}`, '-y', `${height}`),
    untilTitled: (title) =>
      changes.until(
        () => (tmux('display-message', '-p', '#{pane_title}').trim() === title ? true : undefined),
        `the title ${title}`,
      ),
    isAlternate: () => tmux('display-message', '-p', '#{alternate_on}').trim() === '1',
    async [Symbol.asyncDispose]() {
      watcher.kill()
      // It ends by itself with its shell.
      spawnSync('tmux', [...server, 'kill-server'], { env })
      await dir[Symbol.asyncDispose]()
    },
  }
}
