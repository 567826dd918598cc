/** One request over a Unix socket, for what is not itself measured. */
import { request as httpRequest } from 'node:http'

const TIMEOUT_MS = 20_000

/**
 * @param options.body - JSON text to post; absent, it is a GET
 * @returns `{status, text, body}`; `body` is the JSON, or undefined
 */
export function request(socketPath, path, { body } = {}) {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ socketPath, path, method, agent: false, headers, timeout: TIMEOUT_MS })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${path} was not answered`)))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const chunks = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: incoming.statusCode, text, body: readJson(text) })
      })
    })
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
