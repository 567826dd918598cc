/**
 * Where the recording takes place: an empty home with a daemon, a repository, two sessions of two runtimes, and a
 * terminal for each.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PANES } from './tape.mjs'

const ROOT = resolve(import.meta.dirname, '..', '..')

/** Of each terminal. */
export const COLUMNS = 92
const ROWS = 13

/** How the shells ask for a command: a green dollar, on every machine. */
const PROMPT = "PS1='\\[\\e[32m\\]$\\[\\e[0m\\] '\n"

/** Session → the events that its runtime sends to its hooks; captured from the published programs. */
const SESSIONS = {
  claude: {
    id: 's1',
    runtime: 'claude-code',
    starts: 'claude-code/session-start',
    events: { edited: 'claude-code/after-edit', 'next-tool': 'claude-code/after-tool' },
  },
  codex: {
    id: 's2',
    runtime: 'codex',
    starts: 'codex/session-start',
    events: { edits: 'codex/before-tool' },
  },
}

export class Stage {
  #home = mkdtempSync(join(tmpdir(), 'agentd-recording-'))
  #work = join(this.#home, 'shop')
  #env = {
    PATH: `${join(ROOT, 'bin')}:${process.env['PATH']}`,
    HOME: this.#home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    AGENTD_PRINCIPAL: '~alice',
  }

  constructor() {
    mkdirSync(join(this.#work, 'src'), { recursive: true })
    writeFileSync(join(this.#work, 'src', 'auth.ts'), 'export const refresh = () => {}\n')
    writeFileSync(join(this.#home, '.rc'), PROMPT)
    this.#run('git', ['init', '--quiet', '--initial-branch=main'])
    this.agentd('start')
    for (const { id } of PANES) this.#open(id)
  }

  /** Runs a command of agentd beside the terminals. @returns what it prints */
  agentd(...args) {
    return this.#run('agentd', args)
  }

  /** Types text into a terminal. */
  type(pane, text) {
    // A semicolon at the end would end the command of tmux.
    this.#tmux('send-keys', '-t', pane, '-l', '--', text.replace(/;$/, '\\;'))
  }

  enter(pane) {
    this.#tmux('send-keys', '-t', pane, 'Enter')
  }

  /** What a terminal shows: its lines with their escape sequences, and where the cursor is. */
  screen(pane) {
    const lines = this.#tmux('capture-pane', '-e', '-p', '-t', pane).split('\n').slice(0, ROWS)
    const [column, row] = this.#tmux('display-message', '-p', '-t', pane, '#{cursor_x} #{cursor_y}')
      .split(' ')
      .map(Number)
    return { lines, column, row }
  }

  close() {
    attempt(() => this.#tmux('kill-server'))
    attempt(() => this.agentd('stop'))
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** A terminal in which one session's own shell runs. */
  #open(pane) {
    const { id, runtime, starts, events } = SESSIONS[pane]
    for (const [name, fixture] of Object.entries(events)) {
      writeFileSync(join(this.#work, `${name}.json`), this.#event(fixture, id))
    }
    this.#run('agentd', ['hook', runtime], { input: this.#event(starts, id) })
    const env = { ...this.#env, AGENTD_TOKEN: this.#tokenOf(runtime, id) }
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)]
    this.#tmux(
      'new-session',
      '-d',
      '-s',
      pane,
      ...size,
      '-c',
      this.#work,
      ...variables,
      'bash --rcfile ../.rc',
    )
    this.#tmux('set-option', '-t', pane, 'status', 'off')
    this.#tmux('resize-window', '-t', pane, ...size)
  }

  /** A captured event, as it would be of this session in this repository. */
  #event(fixture, id) {
    const { payload } = JSON.parse(
      readFileSync(join(ROOT, 'test', 'runtimes', 'fixtures', `${fixture}.json`), 'utf8'),
    )
    const moved = JSON.stringify(payload).replaceAll('/home/alice/proj', this.#work)
    return JSON.stringify({ ...JSON.parse(moved), session_id: id })
  }

  /** As the daemon remembers it of the hooks. */
  #tokenOf(runtime, id) {
    const socket = this.agentd('status', '--quiet').trim()
    const url = `http://agentd/v1/hooks/${runtime}?session=${id}`
    return JSON.parse(this.#run('curl', ['-q', '-s', '--unix-socket', socket, url])).session.token
  }

  #tmux(...args) {
    return this.#run('tmux', ['-S', join(this.#home, 'tmux'), '-f', '/dev/null', ...args]).trimEnd()
  }

  #run(command, args, options = {}) {
    return execFileSync(command, args, { cwd: this.#work, env: this.#env, encoding: 'utf8', ...options })
  }
}

/** What fails at the end keeps nothing else from being ended. */
function attempt(work) {
  try {
    work()
  } catch (error) {
    process.stderr.write(`record: ${error.message}\n`)
  }
}
