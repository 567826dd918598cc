/**
 * What the fuzzer talks to a daemon with, and how it judges what comes back.
 */
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

const MAX_FAULTS = 8

/** What was found so far; one account for all lanes. */
export function newAccount() {
  return { parsed: 0, sent: 0, faults: 0, samples: [], outcomes: {}, statuses: {}, slowest: {} }
}

export function fault(found, text) {
  found.faults += 1
  if (found.samples.length < MAX_FAULTS) found.samples.push(text.slice(0, 300))
}

/** Whether an answer is one that is documented: a status of the table with a code of the table. */
export function judge({ status, text, where }, codes, found) {
  found.statuses[status] = (found.statuses[status] ?? 0) + 1
  if (status < 400) return
  const code = readCode(text)
  if (code !== undefined && codes[code]?.status === status && status !== 500) return
  fault(found, `${where}: ${status} ${text.slice(0, 200)}`)
}

export function readCode(text) {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}

/** A client with connections that stay open. @returns `send`, `json`, `lines` and `judged` */
export function createClient(socket, { codes, found, token }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const send = ({ headers, ...options }, body) =>
    new Promise((resolve) => {
      const outgoing = httpRequest(
        { socketPath: socket, agent, headers: { ...authorization, ...headers }, ...options },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          incoming.once('end', () => resolve({ status: incoming.statusCode, text }))
          incoming.once('error', () => resolve(undefined))
        },
      )
      outgoing.once('error', () => resolve(undefined))
      outgoing.end(body)
    })
  const post = (path, type, body) =>
    send({ path, method: 'POST', headers: { 'content-type': type, 'content-length': body.length } }, body)
  const judged = async (where, answer) => {
    found.sent += 1
    if (answer === undefined) fault(found, `${where}: no answer`)
    else judge({ ...answer, where }, codes, found)
    return answer
  }
  return {
    send,
    json: (path, body) => post(path, 'application/json', body),
    /** Sends lines; each answer has to be a code of the table, or what `isRight` takes. */
    lines: async (path, lines, isRight) => {
      const whole = Buffer.from(`${lines.join('\n')}\n`, 'latin1')
      const answer = await post(path, 'application/x-ndjson', whole)
      found.sent += lines.length
      if (answer?.status !== 200)
        return fault(found, `lines: ${answer?.status} ${answer?.text.slice(0, 200)}`)
      for (const text of answer.text.trim().split('\n')) {
        const code = readCode(text)
        if (code === undefined ? !isRight(text) : codes[code] === undefined)
          fault(found, `line of ${path}: ${text}`)
      }
    },
    judged,
  }
}

export function statusOf(text) {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
}

/** Of the first response; the request may by chance have been two. */
export function bodyOf(text) {
  const at = text.indexOf('\r\n\r\n') + 4
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN)
  return Number.isNaN(length)
    ? text.slice(at)
    : Buffer.from(text, 'latin1')
        .subarray(at, at + length)
        .toString('utf8')
}

/** Sends, and takes what comes until the end, or until an answer or its first event has come and no more does. */
export function exchange(socket, bytes, patienceMs) {
  return new Promise((resolve) => {
    const connection = connect({ path: socket })
    let text = ''
    const done = () => {
      clearTimeout(quiet)
      connection.destroy()
      resolve(text)
    }
    let quiet = setTimeout(done, patienceMs)
    connection.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      clearTimeout(quiet)
      quiet = setTimeout(done, text.includes('\n\n') || text.includes('}') ? 10 : patienceMs)
    })
    connection.once('close', done)
    connection.once('error', done)
    connection.once('connect', () => connection.write(bytes))
  })
}
