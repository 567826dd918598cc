/**
 * Where one scenario takes place: an empty home, a repository, variables made from nothing, a daemon of its own.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeDirectory, endGroup, ownDirectory, ownGroup, processesOf } from './cleanup.mjs'
import { until } from './waiting.mjs'

/** The built tree that is run: the one around this file, or `AGENTD_E2E_ROOT`. */
export const ROOT =
  process.env.AGENTD_E2E_ROOT === undefined
    ? fileURLToPath(new URL('../../../../', import.meta.url))
    : resolve(process.env.AGENTD_E2E_ROOT)

export const AGENTD = join(ROOT, 'bin/agentd.cjs')
const CAPTURE = fileURLToPath(new URL('./capture-hook.mjs', import.meta.url))

/** The runtimes as a person has them: by name, on PATH. */
const COMMANDS = {
  'claude-code': 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
  copilot: 'copilot',
}

/** How long a command may take, and the daemon to answer, in milliseconds. */
const COMMAND_MS = 40_000
const ANSWER_MS = 15_000

const OUTPUT_BYTES = 4 * 1024 * 1024
const OUTPUT_CHARS = 20_000

/** How long something may take to be on the roster, or gone from it. */
const ROSTER_MS = 20_000

/** Whatever a person has told git. */
const GIT = ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.org', '-c', 'commit.gpgsign=false']

/** @throws Error when there is no build */
export function requireBuild() {
  for (const path of [join(ROOT, 'dist/daemon/main.js'), join(ROOT, 'dist/cli/fast/fast.cjs')]) {
    if (!existsSync(path)) throw new Error(`${path} is missing; run "npm run build" first`)
  }
}

export class Stage {
  /** Variables that a scenario adds for all, or has otherwise. */
  extra = {}
  #observer

  /** @param parts - `models`, the server of the mocks, and `programs`, name → path of what was installed */
  constructor({ models, programs }) {
    this.models = models
    this.programs = programs
    // Short, since a socket lives in it.
    this.path = mkdtempSync(join(tmpdir(), 'agr-'))
    ownDirectory(this.path)
    for (const name of ['home', 'run', 'tmp', 'bin', 'captured']) mkdirSync(this.file(name), { mode: 0o700 })
    this.home = this.file('home')
    this.socket = this.file('run', 'agentd', 'agentd.sock')
    for (const [name, path] of programs) {
      if (COMMANDS[name] !== undefined) symlinkSync(path, this.file('bin', COMMANDS[name]))
    }
  }

  file(...names) {
    return join(this.path, ...names)
  }

  /**
   * The variables of whatever is started, made from nothing. `XDG_RUNTIME_DIR` is there to keep the run away
   * from the daemon of the person who runs it, the proxy to keep it away from everything else.
   */
  variables(more = {}) {
    const proxy = this.models.url
    return {
      PATH: [this.file('bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: this.home,
      TERM: 'xterm-256color',
      TMPDIR: this.file('tmp'),
      XDG_RUNTIME_DIR: this.file('run'),
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1,localhost',
      ...this.extra,
      ...more,
    }
  }

  /** A file below the home, with its folders. @returns its path */
  writeHome(name, content) {
    const path = join(this.home, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
    return path
  }

  readHome(name) {
    return readFileSync(join(this.home, name), 'utf8')
  }

  /** A repository with one commit. @returns its path */
  repository(name = 'repo', files = { 'README.md': 'A project.\n' }) {
    const path = this.file(name)
    mkdirSync(path)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
    const git = (...args) =>
      execFileSync('git', [...GIT, ...args], { cwd: path, env: this.variables(), stdio: 'ignore' })
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'First')
    return path
  }

  /** Starts a program that leads a group of its own. */
  spawn(program, args, { cwd, env, stdin = 'pipe' }) {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
    child.on('error', () => {})
    child.stdin?.on('error', () => {})
    ownGroup(child)
    return child
  }

  /** Starts a program that may be killed, itself and nothing else. @returns `{ended, said(), kill()}`; `ended` is what it said */
  start(program, args, { cwd, env }) {
    const child = this.spawn(program, args, { cwd, env, stdin: 'ignore' })
    let said = ''
    const keep = (chunk) => {
      said = (said + chunk).slice(-OUTPUT_CHARS)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    return {
      ended: new Promise((resolve) => child.once('close', () => resolve(said))),
      said: () => said,
      kill: () => child.kill('SIGKILL'),
    }
  }

  /** Runs a program to its end. @returns `{code, out, err, ms, isLate}` */
  run(
    program,
    args,
    { cwd = this.path, env = this.variables(), timeoutMs = COMMAND_MS, stdin = 'ignore' } = {},
  ) {
    const startedMs = performance.now()
    const child = this.spawn(program, args, { cwd, env, stdin })
    let [out, err, isLate] = ['', '', false]
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out = (out + chunk).slice(-OUTPUT_BYTES)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      err = (err + chunk).slice(-OUTPUT_BYTES)
    })
    const timer = setTimeout(() => {
      isLate = true
      endGroup(child)
    }, timeoutMs)
    return new Promise((done, failed) => {
      child.once('error', failed)
      child.once('close', (code) => {
        clearTimeout(timer)
        done({ code, out, err, isLate, ms: Math.round(performance.now() - startedMs) })
      })
    })
  }

  /** Runs `agentd` as the person would. @returns what it printed @throws Error with its stderr */
  agentd(...args) {
    const options = { cwd: this.path, env: this.variables(), timeout: COMMAND_MS, maxBuffer: OUTPUT_BYTES }
    return new Promise((done, failed) => {
      execFile(process.execPath, [AGENTD, ...args], options, (error, stdout, stderr) => {
        if (error === null) done(stdout)
        else failed(new Error(`agentd ${args.join(' ')}: ${stderr.trim() || error.message}`))
      })
    })
  }

  /** The command that records the payloads of a runtime and says nothing. */
  captureCommand(runtime) {
    return [process.execPath, CAPTURE, this.file('captured', runtime)]
  }

  /** Has the hook of somebody else take its time over an event, or, with 0, no longer. */
  slowDown(runtime, event, ms) {
    writeFileSync(`${this.file('captured', runtime)}.slow-${event}`, String(ms))
  }

  /** What a runtime has sent to its hooks so far, in order: `{payload, env}`; of one named session, or of all. */
  captured(runtime, actor) {
    const folder = this.file('captured', runtime)
    const actors = actor === undefined ? listIfThere(folder) : [actor]
    return actors.flatMap((name) =>
      listIfThere(join(folder, name))
        .filter((file) => /^\d.*\.json$/.test(file))
        .toSorted()
        .map((file) => JSON.parse(readFileSync(join(folder, name, file), 'utf8'))),
    )
  }

  /** Starts the daemon, where no hook is to do that. */
  async startDaemon() {
    await this.agentd('start')
  }

  /** One request to the daemon. @returns `{status, body}` */
  ask(path, { method = 'GET', body, token } = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((done, failed) => {
      const outgoing = httpRequest({
        socketPath: this.socket,
        path,
        method,
        agent: false,
        timeout: ANSWER_MS,
        headers: {
          host: 'agentd',
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      })
      outgoing.once('timeout', () => outgoing.destroy(new Error('the daemon does not answer')))
      outgoing.once('error', failed)
      outgoing.once('response', async (incoming) => {
        const chunks = []
        for await (const chunk of incoming) chunks.push(chunk)
        const content = Buffer.concat(chunks).toString('utf8')
        done({ status: incoming.statusCode, body: content === '' ? undefined : JSON.parse(content) })
      })
      outgoing.end(text)
    })
  }

  /** A session of the test's own, to look and to speak with; it has a mailbox, and is in no repository. */
  async observer() {
    if (this.#observer !== undefined) return this.#observer
    const body = { instrument: 'observer', session_id: 'observer', mailbox: true }
    const reply = await this.ask('/v1/sessions', { method: 'POST', body })
    if (reply.status !== 201) throw new Error(`the observer cannot register: ${JSON.stringify(reply.body)}`)
    this.#observer = reply.body
    return this.#observer
  }

  /** Ends the observer, until one is needed again. */
  async dismissObserver() {
    const { token } = await this.observer()
    this.#observer = undefined
    await this.ask('/v1/sessions/self', { method: 'DELETE', token })
  }

  /** A verb of the observer's. @returns the answer's body */
  async say(verb, body) {
    const { token } = await this.observer()
    const reply = await this.ask(`/v1/verbs/${verb}`, { method: 'POST', token, body })
    if (reply.status >= 300) throw new Error(`${verb}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  /** Tells one session something that is not urgent. @returns the answer, with `frame_id` */
  tell(address, text) {
    return this.say('agent_broadcast', { event_class: 'merged', text, recipient_scope: address })
  }

  /** The receipt of a frame at the session of an id: `{state, at}`; undefined where it was not for it. */
  async receiptAt(frameId, sessionId) {
    const { token } = await this.observer()
    const { body } = await this.ask(`/v1/frames/${frameId}`, { token })
    return body.receipts.find(({ address }) => address.endsWith(`@${sessionId}`))
  }

  /** What became of it there. */
  async stateAt(frameId, sessionId) {
    return (await this.receiptAt(frameId, sessionId))?.state
  }

  /** Waits until a frame has become this at the session of an id. */
  becomes(frameId, sessionId, state) {
    const isIt = async () => (await this.stateAt(frameId, sessionId)) === state
    return until(isIt, ROSTER_MS, `the message never was ${state}`)
  }

  /** Asks one session something; that is urgent by its kind. */
  query(address, text) {
    return this.say('agent_query', { text, recipient_scope: address })
  }

  /** Sessions that are there, but for the observer; none where there is no daemon. */
  async roster() {
    if (!existsSync(this.socket)) return []
    const { handle, token, address } = await this.observer()
    const { body } = await this.ask(`/v1/handles/${encodeURIComponent(handle)}/roster`, { token })
    return body.sessions.filter((one) => one.address !== address)
  }

  /** Waits until somebody is there. @returns the first one's entry */
  someone() {
    return until(async () => (await this.roster())[0], ROSTER_MS, 'nobody came to the roster')
  }

  /** Waits for a session of this runtime's id. @returns its entry */
  joined(sessionId, timeoutMs = ROSTER_MS) {
    const look = async () => (await this.roster()).find((one) => one.session_id === sessionId)
    return until(look, timeoutMs, `session ${sessionId} never came to the roster`)
  }

  /** Waits until it is gone. */
  async left(sessionId, timeoutMs = ROSTER_MS) {
    const isGone = async () => !(await this.roster()).some((one) => one.session_id === sessionId)
    await until(isGone, timeoutMs, `session ${sessionId} never left the roster`)
  }

  /** Waits until no hook of ours runs any more but those that wait: the end of a turn is over for us as well. */
  async quiet() {
    await until(() => !processesOf(this.path).some(isHook), ROSTER_MS, 'a hook does not end')
  }

  /** Frames of a kind the daemon keeps, oldest first. */
  async frames(kind) {
    if (!existsSync(this.socket)) return []
    const { body } = await this.ask(`/v1/frames?filter=kind:${kind}&limit=200`)
    return body.items
  }

  /** Waits for an advisory of a session about this file. */
  announced(sessionId, file) {
    const isIt = ({ sender, frame }) =>
      sender?.endsWith(`@${sessionId}`) === true && frame.payload.file_refs?.includes(file) === true
    return until(
      async () => (await this.frames('agent_advisory')).find(isIt),
      ROSTER_MS,
      `${sessionId} never announced its edit of ${file}`,
    )
  }

  /** Ends and removes everything of this scenario. */
  close() {
    removeDirectory(this.path)
  }
}

function listIfThere(folder) {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** One that answers an event, and not one that waits: a line of `curl`, its `curl`, and Node where there is no line. */
function isHook({ command }) {
  return /agentd-hook [a-z-]+ |v1\/hooks\/[a-z-]+$|agentd\.cjs hook [a-z-]+$/.test(command)
}
