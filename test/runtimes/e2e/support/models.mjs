/**
 * Models that say what they are told to, for runtimes that think they talk to their vendor.
 *
 * One server on the loopback interface serves them all: the first words of the path name the model, what
 * follows tells the vendor's dialect. It is the proxy of all runtimes as well, and refuses: whoever desired to
 * reach anything else is written down by name.
 */
import { createServer } from 'node:http'
import { anthropic } from '../dialects/anthropic.mjs'
import { chat } from '../dialects/chat.mjs'
import { gemini } from '../dialects/gemini.mjs'
import { responses } from '../dialects/responses.mjs'
import { until } from './waiting.mjs'

const DIALECTS = [anthropic, responses, chat, gemini]

/** A request longer than this is none of a test's, in octets. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024

/** How long a model waits to be asked, in milliseconds, unless said otherwise. */
const ASKED_MS = 40_000

/** What a model says when it has not been told anything. */
const NOTHING_TO_DO = { text: 'done' }

/**
 * One scripted model.
 *
 * A move is `{text}`, `{tool, input}`, a list of the latter for calls that are made at once, or a function of the conversation
 * (as text) that gives one of these, now or later.
 * `tool` is the end of the name the runtime offers it under, which differs between them. A tool that the runtime
 * keeps back until it is looked for is looked for.
 */
export class Model {
  /**
   * Every request of the main loop: `{tools, text, body, atMs, answeredMs}`, `text` being all that the model was shown, the
   * times those of the clock.
   */
  requests = []
  /** Tools that a move desired and the runtime did not offer. */
  missing = []
  #moves = []

  constructor(url) {
    this.url = url
  }

  /** Queues moves, each for one request. */
  plan(...moves) {
    this.#moves.push(...moves)
  }

  /** Takes back the moves that nobody has asked for. */
  forget() {
    this.#moves = []
  }

  /** Moves that nobody has asked for yet. */
  get left() {
    return this.#moves.length
  }

  /** Requests from now on, for `heard`. */
  mark() {
    return this.requests.length
  }

  /** Waits until a request shows this text. @returns the request */
  heard(text, { since = 0, timeoutMs = ASKED_MS } = {}) {
    const find = () => this.requests.slice(since).find((request) => request.text.includes(text))
    return until(find, timeoutMs, `the model was never shown "${text}"`)
  }

  /** Whether a request showed this text. */
  wasShown(text, since = 0) {
    return this.requests.slice(since).some((request) => request.text.includes(text))
  }

  /** What is said to a request of the main loop. */
  async answer(request) {
    request.atMs = Date.now()
    this.requests.push(request)
    const said = await this.#say(request)
    request.answeredMs = Date.now()
    return said
  }

  async #say(request) {
    const planned = this.#moves.shift() ?? NOTHING_TO_DO
    const move = typeof planned === 'function' ? await planned(request.text) : planned
    if (Array.isArray(move))
      return { calls: move.map(({ tool, input = {} }) => ({ tool: findTool(request, tool), input })) }
    if (move.tool === undefined) return move
    const offered = findTool(request, move.tool)
    if (offered !== undefined) return { calls: [{ tool: offered, input: move.input ?? {} }] }
    const search = findTool(request, 'ToolSearch')
    if (search === undefined || move.wasSought) {
      this.missing.push(move.tool)
      return { text: `there is no tool ${move.tool}` }
    }
    this.#moves.unshift({ ...move, wasSought: true })
    const [name = move.tool] = new RegExp(`mcp__\\w*__${move.tool}`).exec(request.text) ?? []
    return { calls: [{ tool: search, input: { query: `select:${name}`, max_results: 1 } }] }
  }
}

function findTool({ tools }, end) {
  return tools.find(({ name }) => name === end || name.endsWith(`_${end}`) || name.endsWith(`-${end}`))
}

/** Starts the server. @returns `{model(name), url, refused, close()}` */
export async function startModels() {
  const models = new Map()
  const refused = new Set()
  const server = createServer(async (incoming, outgoing) => {
    try {
      await serve({ incoming, outgoing, models, refused })
    } catch (error) {
      process.stderr.write(`model: ${error.stack}\n`)
      outgoing.destroy()
    }
  })
  server.on('connect', ({ url }, socket) => {
    refused.add(String(url))
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    /** Hosts that somebody desired to reach through the proxy. */
    refused,
    model(name) {
      const model = new Model(`${url}/${name}`)
      models.set(name, model)
      return model
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function serve({ incoming, outgoing, models, refused }) {
  if (!incoming.url.startsWith('/')) {
    refused.add(new URL(incoming.url).host)
    outgoing.writeHead(403).end()
    return
  }
  const body = await readBody(incoming)
  const { pathname } = new URL(incoming.url, 'http://localhost')
  const [, name, ...rest] = pathname.split('/')
  const model = models.get(name)
  const dialect = DIALECTS.find((one) => one.speaks(`/${rest.join('/')}`))
  if (model === undefined || dialect === undefined || incoming.method !== 'POST') {
    outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    return
  }
  const request = dialect.read(body)
  // Titles, summaries and the counting of tokens are not what the script is about.
  const said = request.isAside ? NOTHING_TO_DO : await model.answer(request)
  dialect.write(outgoing, said, { body, path: pathname })
}

async function readBody(incoming) {
  const chunks = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > MAX_REQUEST_BYTES) throw new Error('a request to a model is too long')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return {}
  }
}
