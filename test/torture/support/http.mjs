/**
 * One request over a Unix socket, as a stranger would send it.
 */
import { request as httpRequest } from 'node:http'

/** How long an answer may take, in milliseconds, unless said otherwise. */
const TIMEOUT_MS = 10_000

/**
 * Sends a request on a connection of its own and reads the whole answer.
 *
 * @returns `{status, headers, text, body}`; `body` is the JSON, or undefined
 * @throws Error with Node's code when the connection fails, or `ETIMEDOUT` when no answer comes
 */
export function request(socketPath, path, options = {}) {
  const { json, token, headers = {}, timeoutMs = TIMEOUT_MS } = options
  const body = options.body ?? (json === undefined ? undefined : JSON.stringify(json))
  const method = options.method ?? (body === undefined ? 'GET' : 'POST')
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        socketPath,
        path,
        method,
        agent: false,
        headers: {
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks = []
        incoming.on('data', (chunk) => chunks.push(chunk))
        incoming.once('error', reject)
        incoming.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: incoming.statusCode, headers: incoming.headers, text, body: readJson(text) })
        })
      },
    )
    const timer = setTimeout(() => {
      outgoing.destroy(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }))
    }, timeoutMs)
    outgoing.once('error', reject)
    outgoing.once('close', () => clearTimeout(timer))
    outgoing.end(body)
  })
}

function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
