/**
 * R-09, R-10: nobody speaks for somebody else, and a token is nowhere but in the hands of its session.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { openReader } from '../support/reader.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const FORGERIES = 1_000

async function openSession(socket, wish) {
  return (await request(socket, '/v1/sessions', { json: wish })).body
}

/** A frame as a session with this instrument would send it. */
function frameOf(session, members = {}) {
  return makeFrame({ text: 'forged', drafted_with: `~${session.instrument}`, ...members })
}

/** Every way to speak for somebody else; each gives a request and the codes that answer it. */
const FORGERY_KINDS = {
  'wrong sender': ({ a }) =>
    submit(a.token, frameOf(a, { sender_handle: '~mallory' }), ['sender-identity-mismatch']),
  'wrong acted_by': ({ a }) =>
    submit(a.token, frameOf(a, { acted_by: '~mallory' }), ['sender-identity-mismatch']),
  "another's drafted_with": ({ a, b }) => submit(a.token, frameOf(b), ['sender-identity-mismatch']),
  'wrong sender, no token': ({ a }) =>
    submit(undefined, frameOf(a, { sender_handle: '~mallory' }), ['sender-identity-mismatch']),
  'revoked token': ({ a, revoked }) => submit(revoked, frameOf(a), ['unauthenticated']),
  'random token': ({ a }) => submit(randomBytes(32).toString('base64url'), frameOf(a), ['unauthenticated']),
  'token with one character changed': ({ a, random }) =>
    submit(mutate(a.token, random), frameOf(a), ['unauthenticated']),
  'token cut short': ({ a, random }) =>
    submit(a.token.slice(0, random.between(1, a.token.length - 1)), frameOf(a), ['unauthenticated']),
  'two tokens in one': ({ a, b }) => submit(`${a.token}${b.token}`, frameOf(a), ['unauthenticated']),
  'basic instead of bearer': ({ a }) => ({
    ...submit(undefined, frameOf(a), ['unauthenticated']),
    headers: { authorization: `Basic ${Buffer.from(`a:${a.token}`).toString('base64')}` },
  }),
  'empty authorization': ({ a }) => ({
    ...submit(undefined, frameOf(a), ['unauthenticated']),
    headers: { authorization: '' },
  }),
  'wrong token behind many headers': ({ a }) => ({
    ...submit(undefined, frameOf(a), ['unauthenticated', 'field-invalid']),
    headers: {
      ...Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`x-${i}`, 'y'])),
      authorization: 'Bearer wrong',
    },
  }),
  'verb drafted with another': ({ a }) => ({
    path: '/v1/verbs/agent_advise',
    token: a.token,
    json: { text: 'forged', drafted_with: '~somebody' },
    codes: ['sender-identity-mismatch'],
  }),
  'verb with a revoked token': ({ revoked }) => ({
    path: '/v1/verbs/agent_advise',
    token: revoked,
    json: { text: 'forged' },
    codes: ['unauthenticated'],
  }),
  "another's address": ({ a }) => ({
    path: '/v1/sessions',
    json: { instrument: a.instrument, session_id: a.session_id },
    codes: ['session-exists'],
  }),
  "another's address with one's own token": ({ a, b }) => ({
    path: '/v1/sessions',
    token: b.token,
    json: { instrument: a.instrument, session_id: a.session_id },
    codes: ['session-exists'],
  }),
  "another's inbox, no token": () => ({ path: '/v1/inbox/drain', json: {}, codes: ['unauthenticated'] }),
  'seen with a revoked token': ({ revoked }) => ({
    path: '/v1/seen',
    token: revoked,
    json: { event_ids: [] },
    codes: ['unauthenticated'],
  }),
  "another's stream by its address": ({ a }) => ({
    path: `/v1/handles/~alice/stream?instrument=${a.instrument}&session_id=${a.session_id}`,
    method: 'GET',
    codes: ['session-exists'],
  }),
  'stream of a foreign handle': ({ a }) => ({
    path: '/v1/handles/~mallory/stream',
    method: 'GET',
    token: a.token,
    codes: ['scope-unauthorised'],
  }),
}

function submit(token, frame, codes) {
  return { path: '/v1/frames', token, json: { frame }, codes }
}

/** One character of it becomes another of the alphabet. */
function mutate(token, random) {
  const at = random.between(0, token.length - 1)
  const other = random.pick(
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'.split('').filter((c) => c !== token[at]),
  )
  return `${token.slice(0, at)}${other}${token.slice(at + 1)}`
}

async function forge(socket, one, figures, name) {
  const { path, codes, ...options } = one
  const { status, body } = await request(socket, path, options)
  figures.tried += 1
  if (status < 300) figures.accepted.push(name)
  else if (!codes.includes(body?.code)) figures.otherwise.push(`${name}: ${status} ${body?.code}`)
}

/** A request that is still being sent when its session ends, or is taken over, speaks for nobody any more. */
async function forgeMidway(socket, round, figures) {
  const session = await openSession(socket, { instrument: `mid-${round}` })
  const outgoing = httpRequest({
    socketPath: socket,
    path: '/v1/frames',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${session.token}` },
  })
  const lines = []
  const answered = new Promise((resolve) => {
    outgoing.once('response', (incoming) => {
      let rest = ''
      incoming.setEncoding('utf8').on('data', (chunk) => {
        const parts = (rest + chunk).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts.map((line) => JSON.parse(line)))
      })
      incoming.once('close', resolve)
    })
    outgoing.once('error', resolve)
  })
  outgoing.write(
    `${JSON.stringify({ frame: frameOf(session, { payload: { broadcast_text: 'legitimate', event_class: 'other' } }) })}\n`,
  )
  while (lines.length === 0) await sleep(2)
  await request(socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })
  for (let i = 0; i < 5; i += 1) outgoing.write(`${JSON.stringify({ frame: frameOf(session) })}\n`)
  outgoing.end()
  await answered
  const [first, ...rest] = lines
  if (first.event_id === undefined) figures.otherwise.push(`midway: the first was refused: ${first.code}`)
  figures.legitimate += 1
  figures.tried += rest.length
  for (const line of rest) {
    if (line.event_id !== undefined) figures.accepted.push('closed session mid-NDJSON')
    else if (line.code !== 'unauthenticated')
      figures.otherwise.push(`closed session mid-NDJSON: ${line.code}`)
  }
}

/** Every place the bytes of a token could have come to. */
function searchTokens(daemon, tokens) {
  const hits = []
  const look = (where, bytes) => {
    for (const token of tokens) {
      const forms = [token, Buffer.from(token).toString('base64'), Buffer.from(token).toString('hex')]
      if (forms.some((form) => bytes.includes(form))) hits.push(where)
    }
  }
  look('stderr', Buffer.from(daemon.stderr()))
  for (const name of ['cmdline', 'environ'])
    look(`/proc/${name}`, readFileSync(`/proc/${daemon.pid}/${name}`))
  let files = 0
  for (const path of walkFiles(daemon.dir.path)) {
    files += 1
    look(path, readFileSync(path))
  }
  return { hits, files }
}

function* walkFiles(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* walkFiles(join(path, entry.name))
    // Never the lock's: opening and closing it is another process's business.
    else if (entry.isFile() && !entry.name.includes('.lock')) yield join(path, entry.name)
  }
}

async function run({ rounds, random, note }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const a = await openSession(socket, { instrument: 'agent-a', session_id: 'a1', mailbox: true, title: 'a' })
  const b = await openSession(socket, { instrument: 'agent-b', session_id: 'b1', mailbox: true })
  const gone = await openSession(socket, { instrument: 'agent-c', session_id: 'c1' })
  await request(socket, '/v1/sessions/self', { method: 'DELETE', token: gone.token })
  const reader = openReader(socket)
  await reader.until(() => reader.connects > 0)
  const figures = { tried: 0, accepted: [], otherwise: [], legitimate: 0 }
  const parties = { a, b, revoked: gone.token, random }
  const kinds = Object.entries(FORGERY_KINDS)
  const wanted = rounds ?? FORGERIES
  for (let midway = 0; figures.tried < wanted; midway += 1) {
    for (const [name, make] of kinds) await forge(socket, make(parties), figures, name)
    if (midway % 5 === 0) await forgeMidway(socket, midway, figures)
  }
  note(`${figures.tried} forgeries tried`)
  // One true frame of each, so that whatever keeps tokens has had a reason to.
  for (const session of [a, b]) {
    const { status } = await request(socket, '/v1/frames', {
      token: session.token,
      json: { frame: frameOf(session, { payload: { broadcast_text: 'legitimate', event_class: 'other' } }) },
    })
    if (status === 200) figures.legitimate += 1
  }
  await request(socket, '/v1/metrics')
  await reader.until(() => reader.count >= figures.legitimate, 3_000)
  await sleep(100)
  const forgedDelivered = reader.frames.filter(({ data }) => data.includes('forged')).length
  const { hits, files } = searchTokens(daemon, [a.token, b.token, gone.token])
  reader.close()
  const exit = await daemon.stop()
  const afterwards = searchTokens({ ...daemon, pid: 'self' }, [a.token, b.token, gone.token])
  dir.remove()
  return {
    holds:
      figures.accepted.length === 0 &&
      figures.otherwise.length === 0 &&
      forgedDelivered === 0 &&
      reader.count === figures.legitimate &&
      hits.length + afterwards.hits.length === 0 &&
      exit.code === 0,
    forgeries: figures.tried,
    kinds: kinds.length + 1,
    accepted: figures.accepted.length,
    accepted_kinds: [...new Set(figures.accepted)],
    refused_with_another_code: [...new Set(figures.otherwise)],
    forged_frames_delivered: forgedDelivered,
    true_frames_delivered: `${reader.count}/${figures.legitimate}`,
    token_hits: [...hits, ...afterwards.hits],
    files_searched: files,
  }
}

export default {
  name: 'identity',
  promise: 'R-09, R-10',
  summary: 'a thousand forgeries of nineteen kinds; token bytes in log, argv, environ and store',
  run,
}
