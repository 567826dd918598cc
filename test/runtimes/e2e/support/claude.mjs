/**
 * Claude Code as a person has it, in a terminal; and as a program has it, without one.
 */
import { stripVTControlCharacters } from 'node:util'
import { sleep, until } from './waiting.mjs'

/** How long a start, a turn and an end may take, in milliseconds. */
const START_MS = 45_000
const TURN_MS = 60_000
const END_MS = 30_000

/** A person does not press Enter in the same instant; and presses it again when nothing happens. */
const KEY_MS = 250
const PRESSES = 4
const PRESS_MS = 2_000

const OUTPUT_CHARS = 100_000

/** The hook of somebody else may take its time, in seconds. */
const SLOW_S = 30

/** Nothing, but long enough to be remembered as approved by its end. */
const KEY = 'sk-ant-nothing-at-all-0123456789'

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Stop',
  'StopFailure',
  'PreCompact',
  'Notification',
  'SessionEnd',
]

/**
 * The home of somebody who has used Claude Code before, with a hook of their own.
 *
 * @param repositories - that they have said they trust
 * @param options - `isWatched`: whether there is that hook; what it takes would be measured with ours
 */
export function furnishClaude(stage, repositories, { isWatched = true } = {}) {
  const [command, ...args] = stage.captureCommand('claude-code')
  const hook = { type: 'command', command, args, timeout: SLOW_S }
  stage.writeHome('.claude/settings.json', {
    theme: 'dark',
    permissions: { allow: ['mcp__agentd', 'mcp__plugin_agentd_agentd'], defaultMode: 'acceptEdits' },
    ...(isWatched && { hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) }),
  })
  const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] }
  stage.writeHome('.claude.json', {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(repositories.map((path) => [path, project])),
  })
}

/** What Claude Code needs to take our model for its own, and to leave the rest of the world alone. */
export function claudeVariables(stage, model, actor) {
  return stage.variables({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: model.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    E2E_ACTOR: actor,
  })
}

/** One headless run that may be killed; see `Stage.start`. */
export function claudeSpawn(stage, { cwd, model, actor, words }) {
  const env = claudeVariables(stage, model, actor)
  return stage.start(stage.programs.get('claude-code'), ['-p', ...words], { cwd, env })
}

/** The moves of an edit, of which there are two: a file has to be read before. */
export function readAndEdit(file, from, to) {
  return [
    { tool: 'Read', input: { file_path: file } },
    { tool: 'Edit', input: { file_path: file, old_string: from, new_string: to } },
  ]
}

class ClaudeProcess {
  output = ''
  constructor(stage, actor, child) {
    this.stage = stage
    this.actor = actor
    this.child = child
    const keep = (chunk) => {
      this.output = (this.output + chunk).slice(-OUTPUT_CHARS)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
  }

  get isOver() {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** What its hooks were sent. */
  events(name) {
    const all = this.stage.captured('claude-code', this.actor).map(({ payload }) => payload)
    return name === undefined ? all : all.filter(({ hook_event_name: found }) => found === name)
  }

  /** Waits until a hook has been called more often than before. @returns its last payload */
  async event(name, before = 0, timeoutMs = TURN_MS) {
    const look = () => {
      const found = this.events(name)
      if (found.length > before) return found.at(-1)
      if (this.isOver) throw new Error(`Claude Code has ended: ${this.screen().slice(-1_500)}`)
      return undefined
    }
    return until(look, timeoutMs, `Claude Code never came to ${name}`).catch((error) => {
      throw new Error(`${error.message}\n${this.screen().slice(-1_500)}`, { cause: error })
    })
  }

  /** The process itself, as it tells its hooks. */
  get pid() {
    return Number(this.stage.captured('claude-code', this.actor)[0].env.CLAUDE_PID)
  }

  /** Ends it as no program can hear of. */
  kill() {
    process.kill(this.pid, 'SIGKILL')
  }

  /** What it has printed, without what moves the cursor. */
  screen() {
    return stripVTControlCharacters(this.output)
  }

  async ended(timeoutMs = END_MS) {
    await until(() => this.isOver, timeoutMs, 'Claude Code did not end')
  }
}

/** In a terminal. */
export class ClaudeTerminal extends ClaudeProcess {
  /** Starts a session and waits for its registration. */
  static async start(stage, options) {
    const session = await ClaudeTerminal.open(stage, options)
    session.entry = await stage.joined(session.id)
    return session
  }

  /** Starts a session of which no hook of somebody else's tells. */
  static unwatched(stage, { actor, model, cwd, args = [] }) {
    const program = stage.programs.get('claude-code')
    const words = [program, ...args]
    const line = `stty cols 160 rows 50; exec ${words.join(' ')}`
    const script =
      process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qefc', line, '/dev/null']
    const env = claudeVariables(stage, model, actor)
    const session = new ClaudeTerminal(stage, actor, stage.spawn('script', script, { cwd, env }))
    session.model = model
    return session
  }

  /** Starts a session, which then runs its hooks. */
  static async open(stage, options) {
    const session = ClaudeTerminal.unwatched(stage, options)
    const { session_id: id } = await session.event('SessionStart', 0, START_MS)
    session.id = id
    return session
  }

  get address() {
    return this.entry.address
  }

  /** Types a line and waits until it was taken. */
  async type(line, isTaken) {
    this.child.stdin.write(line)
    for (let presses = 0; presses < PRESSES; presses += 1) {
      await sleep(KEY_MS)
      this.child.stdin.write('\r')
      try {
        return await until(isTaken, PRESS_MS, 'nothing happened')
      } catch {
        // It was drawing its screen; once more.
      }
    }
    throw new Error(`Claude Code does not take "${line}":\n${this.screen().slice(-1_500)}`)
  }

  /** Types a prompt and waits for the end of its turn. */
  async prompt(text) {
    const stops = this.events('Stop').length
    await this.submit(text)
    await this.event('Stop', stops)
    await this.stage.quiet()
  }

  /** Types a prompt and does not wait. */
  async submit(text) {
    const prompts = this.events('UserPromptSubmit').length
    await this.type(text, () => this.events('UserPromptSubmit').length > prompts)
  }

  /** Presses a key. */
  async press(key) {
    this.child.stdin.write(key)
    await sleep(KEY_MS)
  }

  /** Begins anew under another id. @returns what the hooks of that start were sent */
  async clear() {
    const starts = this.events('SessionStart').length
    await this.type('/clear', () => this.events('SessionStart').length > starts)
    return this.events('SessionStart').at(-1)
  }

  /** Leaves as a person does. */
  async exit() {
    await this.type('/exit', () => this.isOver)
    await this.ended()
  }
}

/** Driven by a program: prompts in as JSON, turns out. */
export class ClaudeStream extends ClaudeProcess {
  turns = 0

  static async start(stage, { actor, model, cwd, args = [] }) {
    const usual = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
    const program = stage.programs.get('claude-code')
    const env = claudeVariables(stage, model, actor)
    const session = new ClaudeStream(stage, actor, stage.spawn(program, [...usual, ...args], { cwd, env }))
    session.model = model
    session.#watch()
    return session
  }

  #watch() {
    let rest = ''
    this.child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      this.turns += lines.filter((line) => isResult(line)).length
    })
  }

  /** Sends a prompt and waits for the end of its turn, whether a hook of somebody else's tells of it or not. */
  async begin(text) {
    const before = this.turns
    const message = { type: 'user', message: { role: 'user', content: text } }
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
    await until(() => this.turns > before, TURN_MS, 'the turn did not end')
  }

  /** Sends a prompt and waits for the end of its turn. */
  async prompt(text) {
    await this.begin(text)
    await this.stage.quiet()
    const { session_id: id } = await this.event('SessionStart')
    this.id = id
    this.entry = await this.stage.joined(id)
  }

  async end(timeoutMs = END_MS) {
    this.child.stdin.end()
    await this.ended(timeoutMs)
  }
}

function isResult(line) {
  try {
    return JSON.parse(line).type === 'result'
  } catch {
    // Words for people in between.
    return false
  }
}
