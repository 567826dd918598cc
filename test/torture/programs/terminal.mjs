/**
 * R-38: nothing a frame or a session carries reaches a person's terminal as anything but visible text.
 */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { ownProcess } from '../support/cleanup.mjs'
import { DIST, startDaemon } from '../support/daemon.mjs'
import { openSessions, publishAll } from '../support/hostile-text.mjs'
import { request } from '../support/http.mjs'
import { createTempDir, hasCommand } from '../support/temp-dir.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const CLI = resolve(DIST, '../bin/agentd.cjs')

/** Runs a command on a terminal of its own. @returns every byte the terminal was sent */
async function onTerminal(args, { env, lastsMs, until = sleep(lastsMs) }) {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const child = spawn('script', ['-qefc', words, '/dev/null'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  child.isGroupLeader = true
  ownProcess(child)
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([closed, until])
  if (child.exitCode === null) {
    process.kill(-child.pid, 'SIGTERM')
    await closed
  }
  return Buffer.concat(chunks)
}

const COLOUR = new RegExp(`${String.fromCodePoint(0x1b)}\\[[0-9;]*m`, 'g')

/** Counts what should not be there; our own colours are taken out first and counted apart. */
function inspect(bytes) {
  const text = bytes.toString('utf8')
  const colours = [...text.matchAll(COLOUR)].length
  const plain = text.replaceAll(COLOUR, '').replaceAll('\r\n', '\n')
  const controls = plain.match(/[^\P{Cc}\n\t]/gu) ?? []
  const unseen = plain.match(/[\p{Cf}\u2028\u2029]/gu) ?? []
  return { colours, controls, unseen, length: plain.length }
}

async function run({ note }) {
  if (!hasCommand('script')) return { skipped: 'script is not installed', missing: 'script' }
  const dir = createTempDir()
  // The place of the socket is shown as well.
  mkdirSync(dir.file('d\x1b[31m\u202e'), { mode: 0o700 })
  const socket = dir.file('d\x1b[31m\u202e', 'a.sock')
  const daemon = await startDaemon({ dir, env: { AGENTD_SOCKET: socket } })
  const figures = { published: 0, refused: 0, fields: new Set(), sessions: 0, wrong: [] }
  const env = {
    PATH: process.env.PATH,
    HOME: dir.file('home'),
    TERM: 'xterm-256color',
    AGENTD_SOCKET: socket,
    AGENTD_NO_START: '1',
    LANG: 'C.UTF-8',
  }
  const tokens = await openSessions(socket, figures)
  let endTail
  const tail = onTerminal(['tail', '--listen'], { env, until: new Promise((resolve) => (endTail = resolve)) })
  await waitFor(async () => (await request(socket, '/v1/health')).body.subscriptions === 1)
  await publishAll(socket, figures)
  note(`${figures.published} frames of ${figures.fields.size} fields`)
  const health = (await request(socket, '/v1/health')).body
  const outputs = {
    status: await onTerminal(['status'], { env, lastsMs: 5_000 }),
    roster: await onTerminal(['roster'], { env, lastsMs: 5_000 }),
    inbox: await onTerminal(['inbox'], { env: { ...env, AGENTD_TOKEN: tokens[0] ?? '' }, lastsMs: 5_000 }),
    history: await onTerminal(['history', '--limit', '1000'], { env, lastsMs: 10_000 }),
    // What is for programs, looked at by a person all the same (HD-19).
    'roster --json': await onTerminal(['roster', '--json'], { env, lastsMs: 5_000 }),
    'inbox --json': await onTerminal(['inbox', '--json'], {
      env: { ...env, AGENTD_TOKEN: tokens[0] ?? '' },
      lastsMs: 5_000,
    }),
    'history --json': await onTerminal(['history', '--limit', '1000', '--json'], { env, lastsMs: 10_000 }),
    // What is wrong is shown as well: a name that is none, an id that is none.
    'receipts of nonsense': await onTerminal(['receipts', `x\x1b[31m\u202e`], { env, lastsMs: 5_000 }),
    'no such command': await onTerminal([`x\x1b[31m\u202e`], { env, lastsMs: 5_000 }),
  }
  await daemon.stop()
  await sleep(500)
  endTail()
  outputs.tail = await tail
  outputs['status of nothing'] = await onTerminal(['status'], { env, lastsMs: 5_000 })
  dir.remove()

  const rows = {}
  for (const [name, bytes] of Object.entries(outputs)) {
    const { colours, controls, unseen, length } = inspect(bytes)
    rows[name] =
      `${controls.length} controls, ${unseen.length} unseen, ${colours} colours, ${length} characters`
    if (controls.length + unseen.length > 0) {
      const samples = [...new Set([...controls, ...unseen])]
        .slice(0, 8)
        .map((found) => found.codePointAt(0).toString(16))
      figures.wrong.push(`${name}: ${samples.join(' ')}`)
    }
    if (length < 10) figures.wrong.push(`${name}: shows nothing`)
  }
  return {
    holds: figures.wrong.length === 0 && figures.published > 0 && figures.sessions > 0,
    frames: figures.published,
    frames_refused: figures.refused,
    frames_retained: health.ring.frames,
    fields_that_took_it: figures.fields.size,
    sessions: figures.sessions,
    wrong: figures.wrong,
    ...rows,
  }
}

export default {
  name: 'terminal',
  promise: 'R-38',
  summary: 'every control, bidi and unseen character in every field, and what a terminal is sent of it',
  run,
}
