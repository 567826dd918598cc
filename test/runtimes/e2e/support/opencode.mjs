/**
 * OpenCode: one prompt at a time, and its server, which holds sessions that are idle.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { until } from './waiting.mjs'

/** How long one prompt, and the server's start may take, in milliseconds. */
const PROMPT_MS = 120_000
const START_MS = 60_000

/** How long a turn may take until it comes to a place where it is held up. */
const HELD_MS = 30_000

/** The home of somebody who has used it before. */
export function furnishOpencode(stage, model) {
  const mock = { name: 'mock', tool_call: true, limit: { context: 100_000, output: 4_000 } }
  stage.writeHome('.config/opencode/opencode.json', {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'mock/mock',
    small_model: 'mock/mock',
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'mock',
        options: { baseURL: `${model.url}/v1`, apiKey: 'nothing' },
        models: { mock },
      },
    },
    permission: { edit: 'allow', bash: 'allow' },
  })
}

/**
 * A plugin of somebody else's beside ours. OpenCode has no hooks that are commands, so what ours would send is
 * what there is to record: it is ours, word for word, with other programs behind it.
 */
export function recordPlugin(stage) {
  const programs = /^const (launch|call) = .*$/gm
  const ours = stage.readHome('.config/opencode/plugins/agentd.js')
  if (ours.match(programs)?.length !== 2)
    throw new Error('the plugin names its programs in another way than it did')
  const words = JSON.stringify(stage.captureCommand('opencode'))
  const mine = ours.replaceAll(programs, (_line, name) => `const ${name} = ${words}`)
  stage.writeHome('.config/opencode/plugins/mine.js', mine)
}

/**
 * A plugin of somebody else's that takes its time at a hook of OpenCode's until it is let go on: one of the project's, which
 * is asked behind those of the person.
 *
 * @returns `{hold(hook), held(), release()}`, one hook at a time; `held` waits until a turn has come to it
 */
export function holdingPlugin(stage, cwd) {
  const [held, wanted] = [stage.file('held'), stage.file('hold')]
  const folder = join(cwd, '.opencode', 'plugins')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'somebody.js'),
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
const [wanted, held] = ${JSON.stringify([wanted, held])}
const isWanted = (hook) => existsSync(wanted) && readFileSync(wanted, 'utf8') === hook
const at = (hook) => async () => {
  if (isWanted(hook)) writeFileSync(held, hook)
  while (isWanted(hook)) await new Promise((resolve) => setTimeout(resolve, 20))
}
const hooks = ['chat.message', 'experimental.chat.messages.transform']
export const Somebody = async () => Object.fromEntries(hooks.map((hook) => [hook, at(hook)]))
`,
  )
  return {
    hold: (hook) => writeFileSync(wanted, hook),
    held: () => until(() => existsSync(held), HELD_MS, 'OpenCode never came to where it is held up'),
    release: () => rmSync(wanted),
  }
}

function variables(stage) {
  return stage.variables({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  })
}

/** One prompt. @returns `{code, out, err, ms}` */
export function opencodeRun(stage, { cwd, prompt }) {
  const options = { cwd, env: variables(stage), timeoutMs: PROMPT_MS }
  return stage.run(stage.programs.get('opencode'), ['run', '--print-logs', prompt], options)
}

/** The server, as its own clients talk to it. */
export class OpencodeServer {
  log = ''

  static async start(stage, { cwd }) {
    const server = new OpencodeServer()
    const words = ['serve', '--port', '0', '--hostname', '127.0.0.1', '--print-logs']
    const child = stage.spawn(stage.programs.get('opencode'), words, { cwd, env: variables(stage) })
    server.pid = child.pid
    const keep = (chunk) => {
      server.log = (server.log + chunk).slice(-100_000)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    server.url = await until(
      () => /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(server.log)?.[1],
      START_MS,
      'opencode serve does not listen',
    )
    return server
  }

  /** @returns the JSON of the answer */
  call(method, path, body) {
    return new Promise((done, failed) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = text === undefined ? {} : { 'content-type': 'application/json' }
      const outgoing = httpRequest(new URL(path, this.url), { method, headers, timeout: PROMPT_MS })
      outgoing.once('timeout', () => outgoing.destroy(new Error(`opencode does not answer ${path}`)))
      outgoing.once('error', failed)
      outgoing.once('response', async (incoming) => {
        const chunks = []
        for await (const chunk of incoming) chunks.push(chunk)
        const content = Buffer.concat(chunks).toString('utf8')
        done(content === '' ? undefined : JSON.parse(content))
      })
      outgoing.end(text)
    })
  }

  async startSession() {
    return (await this.call('POST', '/session', {})).id
  }

  /** One turn, to its end. */
  prompt(sessionId, text) {
    return this.call('POST', `/session/${sessionId}/message`, { parts: [{ type: 'text', text }] })
  }

  /** One turn, for whose end nobody has to wait. */
  begin(sessionId, text) {
    const turn = this.prompt(sessionId, text)
    turn.catch(() => {})
    return turn
  }

  /** Ends the turn of a session as a person does. */
  abort(sessionId) {
    return this.call('POST', `/session/${sessionId}/abort`)
  }

  /** What it keeps of a session, as text. */
  async history(sessionId) {
    return JSON.stringify(await this.call('GET', `/session/${sessionId}/message`))
  }

  /** Ends it as no program can hear of. */
  kill() {
    process.kill(this.pid, 'SIGKILL')
  }
}
