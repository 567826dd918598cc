/**
 * The Codex CLI: one turn at a time, and its app server, which holds sessions that are idle.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, until } from './waiting.mjs'

/** How long one `codex exec`, and one call of the app server may take, in milliseconds. */
const EXEC_MS = 90_000
const CALL_MS = 40_000
const TURN_MS = 60_000

/** A person does not press Enter in the same instant. */
const KEY_MS = 500

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'PreCompact',
  'SessionEnd',
]

/** Lets it do as the script says. */
const RIGHTS = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

/** The name of a model it knows to patch files with a tool of its own. */
export const PATCHING_MODEL = 'gpt-5.5'

/** The home of somebody who has used Codex before, with hooks and a provider of their own. */
export function furnishCodex(stage, model, repositories, { name = 'mock', isWatched = true } = {}) {
  const hook = { type: 'command', command: stage.captureCommand('codex').join(' ') }
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]]))
  if (isWatched) stage.writeHome('.codex/hooks.json', { hooks })
  const projects = repositories.map((path) => `[projects."${path}"]\ntrust_level = "trusted"\n`)
  stage.writeHome(
    '.codex/config.toml',
    `# mine
model = "${name}"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "${model.url}/v1"
wire_api = "responses"

${projects.join('\n')}`,
  )
}

/** One whole turn. @returns `{code, out, err, ms}` */
export function codexExec(stage, { cwd, actor, prompt, isTrusted = true, resume }) {
  const trust = isTrusted ? ['--dangerously-bypass-hook-trust'] : []
  const words = resume === undefined ? [prompt] : ['resume', resume, prompt]
  return stage.run(stage.programs.get('codex'), ['exec', ...RIGHTS, ...trust, ...words], {
    cwd,
    env: stage.variables({ E2E_ACTOR: actor }),
    timeoutMs: EXEC_MS,
  })
}

/** One whole turn that may be killed; see `Stage.start`. */
export function codexSpawn(stage, { cwd, actor, prompt, resume }) {
  const words = resume === undefined ? [prompt] : ['resume', resume, prompt]
  const args = ['exec', ...RIGHTS, '--dangerously-bypass-hook-trust', ...words]
  return stage.start(stage.programs.get('codex'), args, { cwd, env: stage.variables({ E2E_ACTOR: actor }) })
}

/** What the hooks of a Codex session were sent. */
export function codexEvents(stage, actor) {
  return stage.captured('codex', actor).map(({ payload }) => payload)
}

/** The app server, over its stdin and stdout. */
export class CodexServer {
  messages = []
  #child
  #calls = 0
  #log = ''

  static async start(stage, { cwd, actor }) {
    const server = new CodexServer()
    const env = stage.variables({ E2E_ACTOR: actor })
    server.stage = stage
    server.cwd = cwd
    server.#child = stage.spawn(stage.programs.get('codex'), ['app-server'], { cwd, env })
    server.#watch()
    await server.call('initialize', { clientInfo: { name: 'e2e', title: 'e2e', version: '0.0.0' } })
    server.#send({ method: 'initialized' })
    return server
  }

  #watch() {
    let rest = ''
    this.#child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      this.messages.push(...lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)))
    })
    this.#child.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.#log = (this.#log + chunk).slice(-20_000)
    })
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** @returns the result @throws Error with the server's words */
  async call(method, params) {
    this.#calls += 1
    const id = this.#calls
    this.#send({ method, id, params })
    const answer = await until(
      () => this.messages.find((message) => message.id === id && message.method === undefined),
      CALL_MS,
      `codex app-server does not answer ${method}: ${this.#log.slice(-500)}`,
    )
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    return answer.result
  }

  /** Its hooks, as it sees them. */
  async hooks() {
    return (await this.call('hooks/list', { cwds: [this.cwd] })).data[0].hooks
  }

  /** Does what `/hooks` does when a person says yes to all of them. */
  async trustHooks() {
    const hooks = await this.hooks()
    const entries = hooks.map(
      ({ key, currentHash }) => `\n[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`,
    )
    const path = join(this.stage.home, '.codex/config.toml')
    this.stage.writeHome('.codex/config.toml', readFileSync(path, 'utf8') + entries.join(''))
    return await this.hooks()
  }

  /** @returns the id of a new thread */
  async startThread() {
    const params = { cwd: this.cwd, approvalPolicy: 'never', sandbox: 'danger-full-access' }
    return (await this.call('thread/start', params)).thread.id
  }

  /** One turn, to its end. */
  async turn(threadId, text) {
    const before = this.#turns()
    await this.call('turn/start', { threadId, input: [{ type: 'text', text }] })
    await until(() => this.#turns() > before, TURN_MS, 'the turn of Codex did not end')
    await this.stage.quiet()
  }

  #turns() {
    return this.messages.filter(({ method }) => method === 'turn/completed').length
  }

  /** Ends it as closing its input does. */
  async end() {
    this.#child.stdin.end()
    await until(() => this.#child.exitCode !== null, CALL_MS, 'codex app-server did not end')
  }
}

/** What a terminal answers when it is asked what it is, and where its cursor stands. */
const TERMINAL_ANSWERS = [
  ['\u001B[6n', '\u001B[1;1R'],
  ['\u001B[c', '\u001B[?62c'],
  ['\u001B]10;?', '\u001B]10;rgb:ffff/ffff/ffff\u0007'],
  ['\u001B]11;?', '\u001B]11;rgb:0000/0000/0000\u0007'],
]

/** In a terminal, as a person has it. */
export class CodexTerminal {
  #child
  #stage
  #actor
  #screen = ''

  /** Starts it; it begins a session with the first prompt. */
  constructor(stage, { cwd, actor }) {
    const words = [stage.programs.get('codex'), '--dangerously-bypass-hook-trust', ...RIGHTS.slice(1)]
    const line = `stty cols 140 rows 45; exec ${words.join(' ')}`
    const script =
      process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qefc', line, '/dev/null']
    this.#stage = stage
    this.#actor = actor
    this.#child = stage.spawn('script', script, { cwd, env: stage.variables({ E2E_ACTOR: actor }) })
    this.#child.stdout.setEncoding('utf8').on('data', (chunk) => {
      this.#screen = (this.#screen + chunk).slice(-50_000)
      for (const [question, answer] of TERMINAL_ANSWERS) {
        if (chunk.includes(question)) this.#child.stdin.write(answer)
      }
    })
  }

  #count(name) {
    return codexEvents(this.#stage, this.#actor).filter((event) => event.hook_event_name === name).length
  }

  /** Waits until its hooks have been called more often than before. */
  event(name, before, timeoutMs = TURN_MS) {
    return until(() => this.#count(name) > before, timeoutMs, `Codex never came to ${name}`)
  }

  /** Types a prompt and waits for the end of its turn. */
  async prompt(text) {
    const stops = this.#count('Stop')
    await this.submit(text)
    await this.event('Stop', stops)
    await this.#stage.quiet()
  }

  /** Types a prompt and does not wait. */
  async submit(text) {
    await until(() => this.#screen.includes('Ask Codex'), TURN_MS, 'Codex shows no prompt')
    for (const key of [text, '\r']) await this.press(key)
  }

  /** Presses a key, or pastes a text. */
  async press(key) {
    await sleep(KEY_MS)
    this.#child.stdin.write(key)
  }

  /** Leaves as a person does. */
  async exit() {
    for (const key of ['\u0003', '\u0003']) {
      await sleep(KEY_MS)
      this.#child.stdin.write(key)
    }
    await until(() => this.#child.exitCode !== null, CALL_MS, 'Codex did not end')
  }
}
