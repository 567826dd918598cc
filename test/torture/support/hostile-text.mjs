/**
 * What a reader could obey, be turned round by, or not see; in every field of every kind that takes it.
 */
import { randomUUID } from 'node:crypto'
import { makeFrame } from './frames.mjs'
import { request } from './http.mjs'
import { PAYLOADS } from './mutation.mjs'
import { UUID } from './mutation-words.mjs'

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i))

/** What a terminal obeys, what turns text around, and what nobody sees. */
const HOSTILE = {
  C0: range(0x00, 0x1f),
  DEL: ['\x7f'],
  C1: range(0x80, 0x9f),
  sequences: [
    '\x1b[2J',
    '\x1b[31m',
    '\x1b]52;c;cHduZWQ=\x07',
    '\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\',
    '\x1b[21t',
    '\x1b]0;t\x07',
    '\x1bP$q"p\x1b\\',
    '\x1b[6n',
    '\x9b31m',
    '\x9d0;t\x9c',
    '\x1bc',
    '\x1b(0',
    '\x0e',
    '\r\x1b[K',
    '\x1b[?1049h',
  ],
  bidi: [...range(0x202a, 0x202e), ...range(0x2066, 0x2069), '\u200e', '\u200f', '\u061c'],
  'zero width': [
    '\u200b',
    '\u200c',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u180e',
    ...range(0x2061, 0x2064),
  ],
  tags: ['\u{e0001}', '\u{e0041}', '\u{e007f}'],
  separators: ['\u2028', '\u2029', '\u0085'],
}

/** Every one of them in one string, in pieces short enough for the shortest field. */
export const NASTY = Object.values(HOSTILE).flatMap((items) => pieces(items, 8))

function pieces(items, size) {
  const found = []
  for (let at = 0; at < items.length; at += size) found.push(`m${items.slice(at, at + size).join('-')}k`)
  return found
}

/** Every place in a value where a string stands. */
function* stringPlaces(value, path = []) {
  if (typeof value === 'string') yield path
  else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) yield* stringPlaces(value[name], [...path, name])
  }
}

function withString(value, [name, ...rest], text) {
  if (name === undefined) return text
  const copy = Array.isArray(value) ? [...value] : { ...value }
  copy[name] = withString(copy[name], rest, text)
  return copy
}

/**
 * Submits a frame for every kind, field and piece; most identifiers refuse it, and free text takes it.
 *
 * @param options.texts - the pieces
 * @param options.payloads - kind → one with every member
 * @param options.scope - to whom; everybody unless said otherwise
 * @param options.isBrief - leaves a field that has refused the first piece
 */
export async function publishAll(socket, figures, options = {}) {
  const { texts = NASTY, payloads = PAYLOADS, scope, isBrief = false } = options
  for (const [kind, payload] of Object.entries(payloads)) {
    const frame = makeFrame({ kind, payload: structuredClone(payload), provenance_return_ref: 'ref' })
    for (const path of stringPlaces(frame)) {
      if (path[0] === 'kind' || path[0] === 'frame_id') continue
      const send = (text) =>
        request(socket, '/v1/frames', {
          json: { frame: withString(withOwnIds(frame), path, text), recipient_scope: scope },
        })
      const [first, ...others] = texts
      const answers = [await send(first)]
      if (answers[0].status === 200 || !isBrief) answers.push(...(await Promise.all(others.map(send))))
      const accepted = answers.filter(({ status }) => status === 200).length
      figures.published += accepted
      figures.refused += answers.length - accepted
      if (accepted > 0) figures.fields.add(`${kind}.${path.filter((name) => !/^\d+$/.test(name)).join('.')}`)
    }
  }
}

/** What it names by an id is its own: a question asked twice under one id is one question. */
function withOwnIds(frame) {
  const text = JSON.stringify({ ...frame, frame_id: randomUUID() })
  return JSON.parse(text.replaceAll(UUID, randomUUID()))
}

/** Registers a session for each piece, which says it of itself wherever it may. @returns their tokens */
export async function openSessions(socket, figures, texts = NASTY) {
  const tokens = []
  for (const [i, text] of texts.entries()) {
    const wish = { instrument: 'cc', session_id: `s${i}`, mailbox: i === 0 }
    for (const name of ['title', 'cwd', 'repository', 'worktree', 'branch']) wish[name] = text
    const { status, body } = await request(socket, '/v1/sessions', { json: wish })
    if (status === 201) tokens.push(body.token)
    for (const name of ['instrument', 'session_id', 'tool']) {
      const answer = await request(socket, '/v1/sessions', {
        json: { instrument: 'cc', ...wish, [name]: text },
      })
      if (answer.status < 300) figures.wrong.push(`a session has ${name} ${JSON.stringify(text)}`)
    }
  }
  figures.sessions = tokens.length
  return tokens
}
