/**
 * What another user of the machine could try, with a stolen link and a stolen token, and what is left at the port of a process
 * that is dead. Needs root, to become somebody else.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { ownProcess } from './cleanup.mjs'
import { logIn, makeKey, send, startSeat, textOf } from './seat.mjs'

/** A user id that nobody has. */
const STRANGER = 54_321

/** A stranger's program gets so long, in milliseconds. */
const TIMEOUT_MS = 5_000

/** Sends octets to a place and prints how many came back. */
const ASK = `
  const net = require('node:net')
  const [place, text] = process.argv.slice(1).map((word) => JSON.parse(word))
  let octets = 0
  const end = () => { console.log(JSON.stringify({ uid: process.getuid(), octets })); process.exit() }
  const socket = net.connect(place, () => socket.write(text))
  socket.on('data', (chunk) => (octets += chunk.length))
  socket.on('error', end)
  socket.on('close', end)
  setTimeout(end, 2_000)
`

/** Listens at a port and prints what arrives. */
const SQUAT = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => console.log(JSON.stringify(chunk.toString('latin1'))))
    socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\n{}')
  })
  server.listen(Number(process.argv[1]), '127.0.0.1', () => console.log('"listening"'))
`

const AS_STRANGER = { uid: STRANGER, gid: STRANGER, cwd: '/', env: {} }

/** Whether this process may become somebody else. */
export function canBeStranger() {
  return process.getuid?.() === 0
}

/** @param stage - of `browser.mjs` */
export async function strangerAttempts({ seat, token }) {
  const key = await makeKey(seat)
  const ways = {
    'the page': [{ port: seat.port, host: '127.0.0.1' }, { path: '/' }],
    'the page over IPv6': [{ port: seat.port, host: '::ffff:127.0.0.1' }, { path: '/' }],
    'a login with a stolen key': [
      { port: seat.port, host: '127.0.0.1' },
      { method: 'POST', path: '/login', json: { key } },
    ],
    'the API with a stolen token': [
      { port: seat.port, host: '127.0.0.1' },
      { path: '/v1/health', token },
    ],
    'a watch with a stolen token': [
      { port: seat.port, host: '127.0.0.1' },
      { path: '/v1/watch', token },
    ],
    'a watch over IPv6': [
      { port: seat.port, host: '::ffff:127.0.0.1' },
      { path: '/v1/watch', token },
    ],
    'a greeting': [{ port: seat.port, host: '127.0.0.1' }, { path: '/hello?nonce=0123456789abcdef' }],
    'the door': [{ path: seat.door }, { method: 'POST', path: '/link' }],
  }
  const attempts = Object.entries(ways).map(([name, [place, asked]]) => ({
    name: `another user: ${name}`,
    send: async () => ask(place, textOf(seat, asked)),
    refused: ({ uid, octets }) => uid === STRANGER && octets === 0,
  }))
  const stolen = {
    name: 'another user: the stolen key was not used up',
    send: () => logIn(seat, key),
    refused: ({ status }) => status === 200,
  }
  return [...attempts, stolen]
}

function ask(place, text) {
  const words = [place, text].map((word) => JSON.stringify(word))
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', ASK, '--', ...words], {
    ...AS_STRANGER,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
  return stdout === '' ? { text: stderr } : JSON.parse(stdout)
}

/**
 * The process is killed, another user takes its port, and it is started again.
 *
 * @returns the attempts, each made already
 */
export async function deadProcessAttempts({ seat, daemon, dir, token, usedKey }) {
  await seat.stop('SIGKILL')
  const left = lstatSync(seat.door, { throwIfNoEntry: false })
  const squatter = canBeStranger() ? await squat(seat.port) : undefined
  const next = await startSeat({ dir, socket: daemon.socket })
  const old = { token: await send(next, { path: '/v1/health', token }), key: await logIn(next, usedKey) }
  const proofs = (await send(next, { path: '/hello?nonce=0123456789abcdef' })).body?.proofs
  const fresh = await logIn(next, await makeKey(next))
  await next.stop()
  const gone = lstatSync(next.door, { throwIfNoEntry: false })
  squatter?.child.kill('SIGKILL')
  return [
    done(
      'its socket is replaced, and a new link signs in',
      left !== undefined && fresh.status === 200,
      fresh.status,
    ),
    done('its port is not taken again', next.port !== seat.port, next.port),
    done('its token is good for nothing', old.token.status === 401, old.token.status),
    done('its key is good for nothing', [401, 429].includes(old.key.status), old.key.status),
    done('nobody is proved to by the new one', Array.isArray(proofs) && proofs.length === 0, proofs),
    done('nothing of it stays after an orderly end', gone === undefined, gone),
    ...(squatter === undefined
      ? []
      : [done('nothing came to who took its port', squatter.heard().length === 0, squatter.heard())]),
  ]
}

/**
 * Another user listens at a port and answers everything with an empty object.
 *
 * @returns `{child, heard}`; heard is each piece that arrived, as JSON text
 */
export async function squat(port) {
  const child = spawn(process.execPath, ['-e', SQUAT, '--', String(port)], {
    ...AS_STRANGER,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  ownProcess(child)
  const lines = []
  child.stdout.setEncoding('utf8').on('data', (chunk) => lines.push(...chunk.trim().split('\n')))
  await once(child.stdout, 'data')
  return { child, heard: () => lines.filter((line) => line !== '"listening"') }
}

/** An attempt that was made already. */
function done(name, isRefused, detail) {
  return {
    name: `dead process: ${name}`,
    send: async () => ({ text: JSON.stringify(detail) }),
    refused: () => isRefused,
  }
}
