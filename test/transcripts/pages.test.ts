/**
 * The documentation as a reader follows it: every line of every `sh` block, in the order of its page, with a daemon of
 * the page's own.
 *
 * The info string of a block says what the words around it say: `terminal=each` goes into every terminal,
 * `terminal=<name>` into one of its own that is left running, until it holds a stream (`until=stream`) or shows
 * a word (`until=<word>`); `answers=<name>` lets what that terminal runs come to its end; `fails=<code>` ends with that
 * exit code; `takes=minutes` may take that long; `file=<name>` is a program to save under that name; `asks=y` asks the
 * person at each line, on a terminal of its own, and that is the answer.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { PAGES, blocksOf, pageAt, type Block } from '../support/pages.ts'
import { hasProgram } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { Desk, type Terminal } from './desk.ts'
import { NOT_RUN } from './not-run.ts'
import { WELL } from '../support/without-sqlite.ts'

/** A block that says of itself that it takes minutes, when the machine is busy. */
const MINUTES_MS = 120_000

/** A whole page; the one with the bench is the longest. */
const PAGE_MS = 240_000

/** Typed into each terminal of the pages that take the README's first steps for granted. */
const FIRST_STEP =
  blocksOf(pageAt('README.md')).find(({ tags }) => tags.get('terminal') === 'each')?.text ?? ''

/** Page → what its terminals show, in any order. */
const SHOWN: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /rewriting the token refresh.*src\/auth\.ts/,
    /merged: feature\/login is on main/,
    /Tests for refresh\(\) are red on purpose/,
    /who is working on src\/auth\.ts\?/,
    /I am, until noon/,
    /editing src\/auth\.ts/,
    /sent agent_advisory to 1 terminal/,
    /\+\s+"SessionStart": \[/,
    /\[mcp_servers\.agentd\]/,
    /Directories, socket and files are for this user alone/,
  ],
  'CONTRIBUTING.md': [/test\/core\/text/, /sent agent_advisory; nobody is listening/],
  'docs/client.md': [
    /~\w+\/my-agent@\S+ for ~/,
    /answered I am, until noon/,
    /too late: editing src\/old\.ts\s+heard: editing src\/new\.ts/,
    /1 waiting\s+agent_broadcast feature\/login is on main/,
    /is at it: rewriting the refresh/,
    /taken: The refresh is half done/,
    /result \{ status: 'ok', disk: 'sda' \}/,
    /^\s*verified/m,
    /true TimeoutError/,
    /true true unreachable\s+field-invalid ttl_ms/,
  ],
  'docs/configuration.md': [/agentd started/],
  'docs/conformance.md': [/Nothing that the text of a draft demands failed/, /memo +5\.10/, /memo +7\.1/],
  'docs/envelopes.md': [
    /agent\.auditor is at work/,
    /"step":\s*"reading the log"/,
    /"status":\s*"ok"/,
    /3 envelopes, no task open/,
    /sequenceDiagram/,
    /bus\.ops; nobody is listening/,
    /aee\.status\.ping/,
    /MVE-Required/,
    /"completion": "hello"/,
    /\[redacted\]/,
  ],
  'docs/errors.md': [/field-missing: "payload\.advisory_text" is required\./],
  'docs/frames.md': [
    /rewriting the token refresh/,
    /peer_diagnostic_request/,
    /frame [0-9a-f-]{36} \([a-z ]+, [^)]*\) was sent/,
  ],
  'docs/http.md': [/"sessions":\[/, /"remaining":0/, /event: agent_frame/, /"openapi":"3/],
  'docs/organisations.md': [
    /~alice-work +sovereign/,
    /"sender_handle":"~alice-work"/,
    /~alice-work +dev/,
    /sent agent_advisory/,
    /~alice-work is no member of ~acme any more/,
    /members of ~acme may send agent_advisory, agent_query, agent_response to ~globex/,
    /the accord between ~acme and ~globex of epoch 1 is installed/,
    /the accord between ~acme and ~globex is revoked/,
  ],
  'docs/performance.md': [/S-01 +deliveries, 100 subscribers/, /bench-plots\/fan-out\.svg/],
  'docs/operations.md': [
    /readable by +this user and root/,
    /ListenStream=/,
    /"event":"serving"/,
    new RegExp(`"status":"${WELL}"`),
    /agentd_frames_accepted_total/,
    /Directories, socket and files are for this user alone/,
  ],
}

/** What a line of a block that is not run begins with, when it is a command after all; a screen has more than one blank there. */
const COMMAND = /^\s*(?:\$ )?(?:agentd|npm|npx|node|curl|git|echo) (?! )|^export \w+=/m

const isRun = ({ language }: Block): boolean => language === 'sh'

function linesOf({ text }: Block): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** The text of a block without the lines that are not run, and with the exit code it is to have. */
function runnable(block: Block): string {
  const text = linesOf(block)
    .filter((line) => !NOT_RUN.has(line))
    .join('\n')
  const code = block.tags.get('fails')
  return code === undefined ? text : `if (\n${text}\n); then false; else test $? -eq ${code}; fi`
}

/** A reader who does what a page says. */
class Reader {
  readonly #desk: Desk
  readonly #main: Terminal
  readonly #left = new Map<string, { terminal: Terminal; end: RegExp }>()
  #firstStep: string

  constructor(desk: Desk, firstStep: string) {
    this.#desk = desk
    this.#firstStep = firstStep
    this.#main = desk.shell()
    this.#main.type(firstStep)
  }

  async follow(block: Block): Promise<void> {
    const { tags, text } = block
    const [file, terminal, answers] = [tags.get('file'), tags.get('terminal'), tags.get('answers')]
    if (file !== undefined) writeFileSync(join(this.#desk.checkout, file), text)
    if (!isRun(block)) return
    if (terminal === 'each') this.#firstStep = text
    const said = tags.get('asks')
    if (said !== undefined) return this.#sayAtEach(linesOf(block), said)
    if (terminal !== undefined && terminal !== 'each') return this.#leaveRunning(terminal, block)
    if (answers === undefined)
      return this.#desk.run(this.#main, runnable(block), tags.has('takes') ? MINUTES_MS : undefined)
    await this.#answer(answers, block)
  }

  /** Runs each line on a terminal of its own, and says the same to whatever it asks. */
  async #sayAtEach(lines: readonly string[], said: string): Promise<void> {
    for (const line of lines) {
      const command = `${this.#firstStep}\n${line} && echo "the line is done"`
      const terminal = this.#desk.open('script', ['-qfec', command, '/dev/null'])
      await terminal.shows(/\[y\/N\]/)
      terminal.type(`${said}\r`)
      await terminal.shows(/the line is done/)
    }
  }

  async #leaveRunning(name: string, block: Block): Promise<void> {
    const terminal = this.#desk.shell()
    terminal.type(this.#firstStep)
    const open = this.#openStreams()
    const end = this.#desk.start(terminal, block.text)
    this.#left.set(name, { terminal, end })
    const until = block.tags.get('until')
    if (until === 'stream') await vi.waitUntil(() => this.#openStreams() > open, { timeout: 20_000 })
    else if (until !== undefined) await terminal.shows(new RegExp(until))
  }

  async #answer(name: string, block: Block): Promise<void> {
    const asker = this.#left.get(name)
    if (asker === undefined) throw new Error(`no terminal ${name} was left running`)
    const [, queryId] = await this.#desk.shows(/query ([0-9a-f-]{36})/)
    await this.#desk.run(this.#main, `QUERY_ID=${queryId}\n${runnable(block)}`)
    await asker.terminal.shows(asker.end)
  }

  #openStreams(): number {
    const roster = this.#desk.now(process.execPath, ['bin/agentd.cjs', 'roster', '--json'])
    return [...roster.matchAll(/"subscriptions":([0-9]+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
}

const FOLLOWED = PAGES.filter((page) => blocksOf(page).some(isRun))

test.runIf(hasProgram('curl')).each(FOLLOWED)(
  'every command of $path does what it says, in the order it says it',
  { timeout: PAGE_MS },
  async (page) => {
    await using home = await createTempDir()
    await using desk = new Desk(home.path)
    const reader = new Reader(desk, page.path === 'README.md' ? '' : FIRST_STEP)
    // Who reads the README has `npm start` open; who reads on has a daemon in the background.
    if (page.path === 'README.md') await desk.open('npm', ['start', '--ignore-scripts']).shows(/agentd\.sock/)
    else desk.now(process.execPath, ['bin/agentd.cjs', 'start'])

    for (const block of blocksOf(page)) await reader.follow(block)

    for (const pattern of SHOWN[page.path] ?? []) {
      expect(await desk.shows(pattern)).toBeTruthy()
    }
  },
)

test('a block is run, or is data that holds no command', () => {
  for (const page of PAGES) {
    for (const block of blocksOf(page).filter((one) => !isRun(one))) {
      const place = `${page.path}:${block.line}`
      expect(['', 'js', 'json', 'mermaid', 'text', 'toml', 'ini', 'ts'], place).toContain(block.language)
      if (block.text.includes("from 'agentd-bus'")) expect([...block.tags.keys()], place).toContain('file')
      else expect(block.text, place).not.toMatch(COMMAND)
    }
  }
})

test('what is listed as not run stands on a page', () => {
  const lines = new Set(PAGES.flatMap(blocksOf).filter(isRun).flatMap(linesOf))

  expect([...NOT_RUN.keys()].filter((line) => !lines.has(line))).toEqual([])
})

test("the README's program runs as printed", { timeout: PAGE_MS }, async () => {
  await using home = await createTempDir()
  await using desk = new Desk(home.path)
  const program = blocksOf(pageAt('README.md')).find(({ tags }) => tags.get('file') === 'listen.mjs')
  writeFileSync(join(desk.checkout, 'listen.mjs'), program?.text ?? '')
  const shell = desk.shell()
  await desk.run(shell, `${FIRST_STEP}\nagentd start`)

  const running = desk.open(process.execPath, ['listen.mjs'])
  await desk.run(shell, 'until agentd roster --json | grep -q \'"subscriptions":1\'; do :; done')
  await desk.run(shell, 'agentd handover "the fix is in src/auth.ts"')
  await running.shows(/hands over: the fix is in src\/auth\.ts/)
  await desk.run(shell, 'agentd history --filter kind:agent_advisory')
  await shell.shows(/reading the docs/)
})

test("the README's two commands are on it, and the one that starts comes first", () => {
  const commands = blocksOf(pageAt('README.md')).filter(isRun).flatMap(linesOf)

  expect(commands[0]).toBe('npm ci && npm start')
  expect(commands).toContain('npm ci && npm test')
})

test.runIf(hasProgram('script'))(
  "the README's setup says what it would change, asks on a terminal, and does it after a yes",
  async () => {
    await using home = await createTempDir()
    await using desk = new Desk(home.path)
    mkdirSync(join(home.path, '.codex'))
    const terminal = desk.open('script', ['-qfec', 'node bin/agentd.cjs setup', '/dev/null'])

    await terminal.shows(/config\.toml +MCP server, new file[\s\S]*\?/)
    expect(existsSync(join(home.path, '.codex', 'hooks.json'))).toBe(false)
    terminal.type('y\r')

    await terminal.shows(/Codex CLI:\s+created/)
    expect(existsSync(join(home.path, '.codex', 'hooks.json'))).toBe(true)
  },
)
