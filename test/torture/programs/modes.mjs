/**
 * who else could get in by the file system, and where the socket really is.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { disownDirectory, ownDirectory, ownProcess } from '../support/cleanup.mjs'
import { DIST, startDaemon, StartFailed } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { waitFor } from '../support/waiting.mjs'

const UMASKS = ['000', '002', '022', '077']
const WATCHER = fileURLToPath(new URL('../support/mode-watcher.mjs', import.meta.url))
const MAX_PATH_BYTES = 103
const EXIT_REFUSED = 78
/** Foreign to whoever runs this. */
const OTHER_UID = 65_534

function modeOf(path) {
  return lstatSync(path).mode & 0o777
}

/** Everything below a directory, with what its mode has to be. */
function* walk(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    yield { path: child, wanted: entry.isDirectory() ? 0o700 : 0o600, mode: modeOf(child) }
    if (entry.isDirectory()) yield* walk(child)
  }
}

/** Starts under a umask, makes it write everything it writes, and looks at all of it. */
async function checkUmask(umask, figures) {
  const dir = createTempDir()
  const socket = dir.file('rt', 'agentd', 'a.sock')
  const watcher = spawn(process.execPath, [WATCHER, socket], { stdio: ['pipe', 'pipe', 'inherit'] })
  ownProcess(watcher)
  await new Promise((resolve) => watcher.stdout.once('data', resolve))
  const command = ['sh', '-c', `umask ${umask} && exec "$@"`, 'sh']
  const daemon = await startDaemon({ dir, command, env: { AGENTD_SOCKET: socket } })
  const { body } = await request(socket, '/v1/sessions', { json: { instrument: 'cc', mailbox: true } })
  for (let i = 0; i < 5; i += 1)
    await request(socket, '/v1/frames', { json: { frame: makeFrame() }, token: body.token }).catch(() => {})
  await request(socket, '/v1/frames', { json: { frame: makeFrame() } })
  for (const top of ['rt', 'state']) {
    for (const found of [
      { path: dir.file(top), wanted: 0o700, mode: modeOf(dir.file(top)) },
      ...walk(dir.file(top)),
    ]) {
      figures.files += 1
      if (found.mode !== found.wanted)
        figures.wrong.push(`umask ${umask}: ${found.path} is ${found.mode.toString(8)}`)
    }
  }
  const seen = await endWatcher(watcher)
  figures.looks += seen.looks
  for (const mode of seen.modes) figures.modesSeen.add(mode)
  await daemon.stop()
  dir.remove()
}

async function endWatcher(watcher) {
  let text = ''
  watcher.stdout.on('data', (chunk) => (text += chunk))
  watcher.stdin.end()
  await new Promise((resolve) => watcher.once('close', resolve))
  return JSON.parse(text)
}

/** What the socket's directory, or the socket's name, may be instead; each in a fresh directory. */
const HOSTILE = {
  'directory is a link': ({ at, dir }) => symlinkSync(mkTarget(dir), at),
  'directory is group-writable': ({ at }) => makeWithMode(at, 0o770),
  'directory is open to all': ({ at }) => makeWithMode(at, 0o777),
  'directory is readable to all': ({ at }) => makeWithMode(at, 0o755),
  'directory is foreign': ({ at }) => {
    makeWithMode(at, 0o700)
    chownSync(at, OTHER_UID, OTHER_UID)
  },
  'directory is a file': ({ at }) => writeFileSync(at, 'a file', { mode: 0o600 }),
  'socket is a file': ({ at }) => {
    makeWithMode(at, 0o700)
    writeFileSync(join(at, 'a.sock'), 'precious')
  },
  'socket is a link to a file': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    writeFileSync(dir.file('target-file'), 'precious')
    symlinkSync(dir.file('target-file'), join(at, 'a.sock'))
  },
  'socket is a link to nothing': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    symlinkSync(dir.file('nowhere'), join(at, 'a.sock'))
  },
  'socket is a fifo': ({ at }) => {
    makeWithMode(at, 0o700)
    spawnSync('mkfifo', [join(at, 'a.sock')])
  },
  'lock is a link': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    writeFileSync(dir.file('target-file'), 'precious')
    symlinkSync(dir.file('target-file'), join(at, 'a.sock.lock.db'))
  },
  'state is a link': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    symlinkSync(mkTarget(dir), dir.file('state'))
  },
  'state is group-writable': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    makeWithMode(dir.file('state'), 0o770)
  },
  'ring is a link': ({ at, dir }) => {
    makeWithMode(at, 0o700)
    makeWithMode(dir.file('state'), 0o700)
    writeFileSync(dir.file('target-file'), 'precious')
    symlinkSync(dir.file('target-file'), dir.file('state', 'ring.db'))
  },
}

function mkTarget(dir) {
  makeWithMode(dir.file('target'), 0o700)
  writeFileSync(dir.file('target', 'precious'), 'precious')
  return dir.file('target')
}

function makeWithMode(path, mode) {
  mkdirSync(path)
  chmodSync(path, mode)
}

/** A digest of everything that is not the daemon's to touch. */
function digestOf(dir) {
  const hash = createHash('sha256')
  for (const name of ['target', 'target-file', 'nowhere', 'at']) {
    const found = lstatSync(dir.file(name), { throwIfNoEntry: false })
    hash.update(`${name}:${found?.mode}:${found?.uid}:${found?.isFile() ? readFileSync(dir.file(name)) : ''}`)
    if (found?.isDirectory() && name !== 'at') hash.update(readdirSync(dir.file(name)).join())
  }
  return hash.digest('hex')
}

async function checkHostile(name, figures) {
  const dir = createTempDir()
  HOSTILE[name]({ at: dir.file('at'), dir })
  const before = digestOf(dir)
  figures.hostile += 1
  try {
    const daemon = await startDaemon({ dir, env: { AGENTD_SOCKET: dir.file('at', 'a.sock') } })
    await daemon.stop()
    figures.wrong.push(`${name}: it started`)
  } catch (error) {
    if (!(error instanceof StartFailed)) throw error
    const lines = error.stderr
      .replace(/^failed .*\n/, '')
      .trim()
      .split('\n')
    if (error.exit.code !== EXIT_REFUSED)
      figures.wrong.push(`${name}: ${JSON.stringify(error.exit)} ${lines[0]}`)
    else if (lines.length !== 1) figures.wrong.push(`${name}: ${lines.length} lines`)
    else figures.refused += 1
  }
  if (digestOf(dir) !== before) figures.wrong.push(`${name}: something was changed`)
  dir.remove()
}

/** A path of exactly so many bytes, in a directory as short as can be. */
function pathOfBytes(base, bytes) {
  const room = bytes - base.length - 1
  if (room < 1) return undefined
  if (room <= 60) return `${base}/${'s'.repeat(room)}`
  return `${base}/${'d'.repeat(50)}/${'s'.repeat(room - 51)}`
}

async function checkLength(base, bytes, figures) {
  const path = pathOfBytes(base, bytes)
  if (path === undefined) return
  figures.lengths += 1
  const child = spawn(process.execPath, [`${DIST}/daemon/main.js`], {
    env: {
      PATH: process.env.PATH,
      HOME: base,
      AGENTD_SOCKET: path,
      AGENTD_STATE_DIR: `${base}/S${bytes}`,
      AGENTD_CONFIG: '/nonexistent',
      AGENTD_PRINCIPAL: '~alice',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  ownProcess(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const exited = new Promise((resolve) => child.once('close', resolve))
  await waitFor(() => child.exitCode !== null || stderr.includes('"serving"'), 20_000, 20)
  if (bytes <= MAX_PATH_BYTES) {
    const health = await request(path, '/v1/health', { timeoutMs: 3_000 }).catch((error) => error)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (health.body?.pid !== child.pid || found?.isSocket() !== true) {
      figures.wrong.push(`${bytes} bytes: ${health.message ?? 'another answers'} ${stderr.slice(0, 200)}`)
    }
  } else if (child.exitCode !== EXIT_REFUSED || !stderr.includes(String(MAX_PATH_BYTES))) {
    figures.wrong.push(`${bytes} bytes: exit ${child.exitCode} ${stderr.slice(0, 200)}`)
  } else {
    figures.tooLong += 1
  }
  if (child.exitCode === null) child.kill('SIGTERM')
  await exited
  const sockets = [...walk(base)].filter((found) => lstatSync(found.path).isSocket())
  if (sockets.length > 0) figures.wrong.push(`${bytes} bytes: ${sockets[0].path} was left`)
}

/** All lengths take a minute; a short round takes those where something could change. */
function lengthsFor(minutes) {
  const all = Array.from({ length: 140 }, (_, i) => i + 1)
  return minutes >= 1
    ? all
    : all.filter((n) => n < 20 || (n > 98 && n < 113) || n === 140).filter((n) => n > 98 || n % 3 === 0)
}

async function run({ minutes, note }) {
  const figures = {
    files: 0,
    wrong: [],
    looks: 0,
    modesSeen: new Set(),
    hostile: 0,
    refused: 0,
    lengths: 0,
    tooLong: 0,
  }
  for (const umask of UMASKS) await checkUmask(umask, figures)
  note('umasks done')
  const isRoot = process.getuid() === 0
  for (const name of Object.keys(HOSTILE)) {
    if (name === 'directory is foreign' && !isRoot) continue
    await checkHostile(name, figures)
  }
  note('hostile directories done')
  const base = mkdtempSync('/tmp/t')
  ownDirectory(base)
  for (const bytes of lengthsFor(minutes)) await checkLength(base, bytes, figures)
  rmSync(base, { recursive: true, force: true })
  disownDirectory(base)
  const wrongSeen = [...figures.modesSeen].filter((mode) => mode !== '600')
  return {
    holds: figures.wrong.length === 0 && wrongSeen.length === 0,
    files_checked: figures.files,
    wrong: figures.wrong,
    looks_at_the_public_name: figures.looks,
    modes_ever_seen_there: [...figures.modesSeen],
    hostile_refused: `${figures.refused}/${figures.hostile}`,
    foreign_owner: isRoot ? 'tried' : 'not tried: needs root',
    path_lengths: figures.lengths,
    refused_as_too_long: figures.tooLong,
    shortest_path_bytes: base.length + 2,
  }
}

export default {
  name: 'modes',
  promise: 'R-01, R-02, R-03',
  summary: 'four umasks, prepared directories, socket paths of 1 to 140 bytes',
  run,
}
