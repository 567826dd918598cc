/**
 * The page's process, as `agentd ui` starts it, and what a browser that means it ill could send.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { ownProcess } from './cleanup.mjs'
import { DIST } from './daemon.mjs'
import { request } from './http.mjs'
import { talk } from './raw.mjs'
import { within } from './waiting.mjs'

const LAUNCHER = resolve(DIST, '../bin/agentd.cjs')

/** A start slower than this has failed, in milliseconds. */
const START_TIMEOUT_MS = 20_000

/** How long an answer may take that nobody holds back, in milliseconds. */
const ANSWER_MS = 8_000

/** Starts one in front of a daemon; a second start takes over what a killed one left. */
export async function startSeat({ dir, socket }) {
  const child = spawn(process.execPath, [LAUNCHER, 'ui', '--foreground', '--no-open', '--json'], {
    cwd: dir.path,
    env: {
      PATH: process.env.PATH,
      HOME: dir.file('home'),
      AGENTD_STATE_DIR: dir.file('state'),
      AGENTD_SOCKET: socket,
      AGENTD_NO_START: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ownProcess(child)
  let said = ''
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (said += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk) => (log += chunk))
  const exited = once(child, 'close')
  const ready = new Promise((resolve) => {
    child.stdout.on('data', () => said.includes('\n') && resolve(true))
    exited.then(() => resolve(false), resolve)
  })
  if ((await within(ready, START_TIMEOUT_MS)) !== true)
    throw new Error(`the page is not served: ${said}${log}`)
  const { port, peer_check: peerCheck, url } = JSON.parse(said.split('\n')[0])
  return {
    child,
    port,
    peerCheck,
    firstKey: keyOf(url),
    authority: `127.0.0.1:${port}`,
    door: `${socket}.ui`,
    log: () => log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}

/** A new key, asked for at the door. */
export async function makeKey({ door }) {
  return keyOf((await request(door, '/link', { method: 'POST' })).body.url)
}

function keyOf(url) {
  return url.split('#key=')[1]
}

/** Signs in with a key. @returns `{status, body}` */
export async function logIn(seat, key) {
  return send(seat, { method: 'POST', path: '/login', json: { key } })
}

/** A token, by a new link. */
export async function signIn(seat) {
  return (await logIn(seat, await makeKey(seat))).body.token
}

/**
 * The octets of a request as the page makes them, but for what is said otherwise.
 *
 * @param options.fields - lines of the head in place of those with the same name; undefined leaves one out
 */
export function textOf({ authority }, { method = 'GET', path = '/', token, json, body, fields = {} }) {
  const content = body ?? (json === undefined ? '' : JSON.stringify(json))
  const head = {
    host: authority,
    origin: method === 'GET' || method === 'HEAD' ? undefined : `http://${authority}`,
    'sec-fetch-site': 'same-origin',
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    'content-type': method === 'POST' ? 'application/json' : undefined,
    'content-length': content === '' && method !== 'POST' ? undefined : Buffer.byteLength(content),
    connection: 'close',
    ...fields,
  }
  const lines = Object.entries(head).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}`),
  )
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${content}`
}

/** Sends it. @returns what {@link exchange} does */
export function send(seat, asked) {
  return exchange(seat, textOf(seat, asked))
}

/**
 * Sends exactly these octets.
 *
 * @returns `{text, status, body, closedMs}`; without an answer `status` is undefined, and without an end `closedMs` is
 */
export async function exchange({ port }, text, { timeoutMs = ANSWER_MS, host = '127.0.0.1' } = {}) {
  const write = (connection) => void connection.write(text, 'latin1')
  const said = await talk({ port, host }, { write, timeoutMs })
  return { ...readAnswer(said.text), closedMs: said.cutMs }
}

function readAnswer(text) {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]) || undefined
  const content = text.slice(text.indexOf('\r\n\r\n') + 4)
  try {
    return { text, status, body: JSON.parse(content) }
  } catch {
    return { text, status, body: undefined }
  }
}
