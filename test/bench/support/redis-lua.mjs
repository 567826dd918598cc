/**
 * Redis that does what the daemon does with a frame: a library of Lua in it decodes the text, looks at the same fields,
 * remembers the id and publishes; with a stream it keeps the frame as well.
 */
import { readFileSync } from 'node:fs'
import { openConnection } from './connection.mjs'
import { createBatches, makeFrame } from './frames.mjs'
import { KEPT_ENTRIES, hasRedis, redisVersion, startServer } from './redis.mjs'

/** The first that has libraries. */
const FIRST_MAJOR = 7

const LIBRARY = readFileSync(new URL('take-frame.lua', import.meta.url), 'utf8')

/** What it has to refuse, so that it is known to look: a day without a month, a member too many. */
const REFUSED = [
  { members: { created_at: '2026-13-01T00:00:00Z' }, says: /^-.*created_at/ },
  { members: { urgent: true }, says: /^-.*field-unknown/ },
]

export function hasRedisLibraries() {
  return hasRedis() && Number(/redis (\d+)/.exec(redisVersion())?.[1]) >= FIRST_MAJOR
}

/** @param keeps - whether each frame goes to a stream with an append-only file before it is published */
export async function startRedisLua({ keeps = false } = {}) {
  const server = await startServer(keeps ? 'everysec' : undefined)
  const kept = keeps ? String(KEPT_ENTRIES) : ''
  try {
    await load(server, kept)
  } catch (error) {
    await server.stop()
    throw error
  }
  const end = `\r\n${spell(String(Date.now()), kept)}`
  return {
    ...server,
    name: keeps ? 'redis lua + XADD' : 'redis lua',
    batches: () => createBatches({ before: (octets) => `${OPEN}$${octets}\r\n`, after: end }),
  }
}

const OPEN = `*6\r\n${spell('FCALL', 'take_frame', '0')}`

/** Words as Redis reads them. */
function spell(...words) {
  return words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')
}

function call(text, kept) {
  return `${OPEN}${spell(text, String(Date.now()), kept)}`
}

/** Gives it the library. @throws Error when that takes what the daemon would not, or refuses what it takes */
async function load({ socketPath }, kept) {
  const text = JSON.stringify(makeFrame())
  const refused = REFUSED.map(({ members }) => call(JSON.stringify(makeFrame(members)), kept))
  const said = [/^\$5\r\nbench$/, /^:0$/, /^-duplicate-id/, ...REFUSED.map(({ says }) => says)]
  const words = [
    `*3\r\n${spell('FUNCTION', 'LOAD', LIBRARY)}`,
    call(text, kept),
    call(text, kept),
    ...refused,
  ]
  const connection = await openConnection({ path: socketPath }, words.join(''), (answer) => {
    const answers = answer.split(/\r\n(?=[:-])/)
    if (answers.length < said.length || !answer.endsWith('\r\n')) return false
    if (said.every((pattern, i) => pattern.test(answers[i].trimEnd()))) return true
    throw new Error(`the library in redis does not take frames as the daemon does: ${answer.slice(0, 600)}`)
  })
  connection.close()
}
