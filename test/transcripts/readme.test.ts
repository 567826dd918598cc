/**
 * The README's tour, as written: every line of every `sh` block, the program, in the order a reader meets them.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { blocks, type Block } from '../support/readme.ts'
import { createTempDir } from '../support/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname

/** Put on the path by the README itself, for every terminal. */
const PATH_LINE = 'export PATH="$PWD/bin:$PATH"'

/** How long a terminal may take to show what is waited for. */
const PATIENCE_MS = 15_000

/** One terminal: a process and everything it has printed. */
class Terminal implements AsyncDisposable {
  readonly #child: ChildProcess
  #shown = ''
  #wake: (() => void) | undefined

  constructor(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd: string }) {
    this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#shown += text
        this.#wake?.()
      })
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Waits until the terminal shows something, and returns what matched. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(PATIENCE_MS)
    for (;;) {
      const match = pattern.exec(this.#shown)
      if (match !== null) return match
      if (deadline.aborted) throw new Error(`${String(pattern)} was not shown; this was:\n${this.#shown}`)
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
        once(deadline, 'abort'),
      ])
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

/** A person's terminals: one home, one daemon, the checkout as the folder. */
class Desk implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv
  readonly #terminals: Terminal[] = []
  #lines = 0

  constructor(home: string) {
    this.#env = { PATH: process.env['PATH'], HOME: home, USER: userInfo().username, TERM: 'dumb' }
  }

  open(command: string, args: readonly string[], cwd = root): Terminal {
    const terminal = new Terminal(command, args, { env: this.#env, cwd })
    this.#terminals.unshift(terminal)
    return terminal
  }

  /** Types a block into a shell and waits until the last line of it has succeeded. */
  async run(shell: Terminal, text: string): Promise<void> {
    this.#lines += 1
    shell.type(`${text}\necho "block ${this.#lines} is done"\n`)
    await shell.shows(new RegExp(`block ${this.#lines} is done`))
  }

  shell(): Terminal {
    return this.open('bash', ['-eu'])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const terminal of this.#terminals) await terminal[Symbol.asyncDispose]()
  }
}

/** Blocks that need the entity of `worker.mjs` have a tour of their own. */
const needsWorker = ({ tags }: Block): boolean => tags.get('with') === 'worker'

const tour = blocks().filter((block) => !needsWorker(block))
const programNamed = (file: string): Block => {
  const block = tour.find(({ tags }) => tags.get('file') === file)
  if (block === undefined) throw new Error(`the README has no program ${file}`)
  return block
}

/** A folder in which the package is installed, and one program of the README stands. */
function projectWith(home: string, file: string): string {
  const folder = join(home, 'project')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules', 'agentd-bus'), 'dir')
  writeFileSync(join(folder, file), programNamed(file).text)
  return folder
}

test('every command of the README does what it says, in the order it says it', async () => {
  await using home = await createTempDir()
  await using desk = new Desk(home.path)
  const daemon = desk.open(process.execPath, ['bin/agentd.cjs', 'serve'])
  await daemon.shows(/serving|Listening|listening/i)

  const listener = desk.shell()
  const listen = tour.find(({ tags }) => tags.get('terminal') === 'listener')
  listener.type(`${PATH_LINE}\n${listen?.text ?? ''}`)
  const second = desk.shell()
  await desk.run(second, PATH_LINE)
  await desk.run(second, 'until agentd roster --json | grep -q \'"subscriptions":1\'; do :; done')

  let asked = 0
  let ran = 0
  for (const block of tour.filter(({ language }) => language === 'sh')) {
    if (block === listen) continue
    if (block.tags.get('terminal') === 'asker') {
      const asker = desk.shell()
      asker.type(`${PATH_LINE}\n${block.text}`)
      const [, queryId] = await listener.shows(/query ([0-9a-f-]{36})/)
      await desk.run(second, `QUERY_ID=${queryId}`)
      asked += 1
      await desk.run(second, tour.find(({ tags }) => tags.get('answers') === 'asker')?.text ?? 'false')
      await asker.shows(/I am, until noon/)
    } else if (!block.tags.has('answers')) {
      await desk.run(second, block.text)
    }
    ran += 1
  }

  expect(asked).toBe(1)
  expect(ran).toBeGreaterThanOrEqual(6)
  for (const said of [
    /rewriting the token refresh.*src\/auth\.ts/,
    /merged: feature\/login is on main/,
    /Tests for refresh\(\) are red on purpose/,
    /who is working on src\/auth\.ts\?/,
    /editing src\/auth\.ts/,
  ]) {
    await listener.shows(said)
  }
  await second.shows(/sent agent_advisory to 1 session/)
  await second.shows(/"instrument":"cli"/)
  await second.shows(/ListenStream=/)
  await second.shows(/\+\s+"SessionStart": \[/)
  await second.shows(/\[mcp_servers\.agentd\]/)
  await second.shows(/Directories, socket and files are for this user alone/)
  await second.shows(/"remaining":0/)
}, 120_000)

test("the README's program runs as printed", async () => {
  await using home = await createTempDir()
  await using desk = new Desk(home.path)
  const folder = projectWith(home.path, 'listen.mjs')
  const shell = desk.shell()
  await desk.run(shell, `${PATH_LINE}\nagentd start`)

  const program = desk.open(process.execPath, ['listen.mjs'], folder)
  await desk.run(shell, 'until agentd roster --json | grep -q \'"subscriptions":1\'; do :; done')
  await desk.run(shell, 'agentd handover "the fix is in src/auth.ts"')
  await program.shows(/hands over: the fix is in src\/auth\.ts/)
  await desk.run(shell, 'agentd history --filter kind:agent_advisory')
  await shell.shows(/reading the docs/)
  await desk.run(shell, 'agentd stop')
}, 60_000)

test("the README's envelopes go where it says, and the worker it prints answers them", async () => {
  await using home = await createTempDir()
  await using desk = new Desk(home.path)
  const folder = projectWith(home.path, 'worker.mjs')
  const shell = desk.shell()
  await desk.run(shell, `${PATH_LINE}\nagentd start`)
  const worker = desk.open(process.execPath, ['worker.mjs'], folder)
  await worker.shows(/agent\.auditor is at work/)

  const steps = blocks().filter(needsWorker)
  for (const { text } of steps) await desk.run(shell, text)

  expect(steps.length).toBeGreaterThanOrEqual(6)
  for (const said of [
    /"step":\s*"reading the log"/,
    /"status":\s*"ok"/,
    /3 envelopes, no task open/,
    /sequenceDiagram/,
    /bus\.ops; nobody is listening/,
    /aee\.status\.ping/,
    /MVE-Required/,
    /"completion": "hello"/,
    /\[redacted\]/,
  ]) {
    await shell.shows(said)
  }
  await desk.run(shell, 'agentd stop')
}, 120_000)

test("the README's two commands exist, and the first starts the daemon in the foreground", async () => {
  await using home = await createTempDir()
  await using desk = new Desk(home.path)
  const plain = tour.filter(({ language }) => language === '').map(({ text }) => text.trim())

  // The build was made before the tests; `npm ci` and the build itself are the first lines of .ci/run.
  const started = desk.open('npm', ['start', '--ignore-scripts'])

  expect(plain.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  await started.shows(/agentd\.sock/)
}, 60_000)
