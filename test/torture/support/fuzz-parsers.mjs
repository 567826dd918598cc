/**
 * The parsers in this process, where a million inputs take seconds: nothing but a documented refusal may come out
 * of them, in a time that does not depend on the input.
 */
import { DIST } from './daemon.mjs'
import { refusable as documented } from './fuzz-outcomes.mjs'

/** Code units a line of a stream may have here. */
const MAX_SSE_LINE = 4_000

function load(path) {
  return import(`${DIST}/${path}.js`)
}

/** The lines of bytes in pieces, as one string to compare. */
function split({ LineSplitter, LineTooLong }, pieces, policy) {
  const splitter = new LineSplitter(1_000, policy)
  const lines = []
  const keep = ({ line, number }) => lines.push(`${number}:${line.toString('hex')}`)
  try {
    for (const piece of pieces) for (const line of splitter.feed(piece)) keep(line)
    const last = splitter.end()
    if (last !== undefined) keep(last)
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    lines.push('too long')
  }
  return lines.join()
}

/** @returns target name → a function that takes one mutated input; it throws on anything undocumented */
export async function loadTargets(mutator, random) {
  const { decodeSubmission, requireRecipientScope } = await load('protocol/frame/submission')
  const { decodeJson } = await load('core/text/json')
  const { parseFilter } = await load('protocol/frame/filter')
  const { readEventId, formatEventId } = await load('protocol/address/event-id')
  const { readScope, formatScope } = await load('protocol/address/scope')
  const parts = await load('core/text/lines')
  const { SseDecoder } = await load('protocol/sse/decoder')
  const { ERROR_CODES } = await load('protocol/refusal/error-codes')

  const refusable = (act) => documented(ERROR_CODES, () => void act())
  const filters = [
    'kind=agent_query',
    'sender=~alice,kind=agent_advisory|agent_query',
    'tool=cc',
    'scope=~alice/*',
  ]
  const ids = ['0a1b2c3d-42', 'beb11a2a-1', '0a1b2c3d-9007199254740993', '-1', 'a-', '']
  const scopes = [
    '~alice',
    '~alice/*',
    '~alice/cc-*',
    '~alice/cc@s1',
    'org:acme/members/dev/*',
    'accord:acme/grant:g',
  ]
  return {
    decodeSubmission: () => {
      const bytes = mutator.bytes(mutator.submission())
      return refusable(() => {
        const submission = decodeSubmission(bytes, { nowMs: Date.now() })
        requireRecipientScope(submission)
        // What was taken is what every recipient gets: one line that reads back to the same frame.
        if (/[\r\n]/.test(submission.text)) throw new Error('the text of a frame has more than one line')
        if (JSON.stringify(JSON.parse(submission.text)) !== submission.text)
          throw new Error('the text is not stable')
      })
    },
    decodeJson: () => {
      const bytes = mutator.bytes(
        mutator.json({ up_to: 'x', event_ids: ['a', 'b'], a: { b: [1, 2, { c: null }] } }),
      )
      return refusable(() => decodeJson(bytes, 'body'))
    },
    parseFilter: () => {
      const text =
        random() < 0.5 ? mutator.line(random.pick(filters)) : `${random.pick(filters)}${mutator.string()}`
      return refusable(() => parseFilter(text))
    },
    readEventId: () => {
      const text = random() < 0.8 ? mutator.line(random.pick(ids)) : mutator.string()
      const id = readEventId(text)
      if (id === undefined) return 'none'
      if (!Number.isSafeInteger(id.seq) || id.seq < 0)
        throw new Error(`the cursor ${JSON.stringify(text)} names ${id.seq}`)
      return formatEventId(id.epoch, id.seq) === text ? 'ok' : 'another spelling'
    },
    readScope: () => {
      const text = random() < 0.8 ? mutator.line(random.pick(scopes)) : mutator.string()
      const scope = readScope(text)
      if (scope === undefined) return 'none'
      if (formatScope(readScope(formatScope(scope))) !== formatScope(scope))
        throw new Error(`unstable scope ${text}`)
      return 'ok'
    },
    LineSplitter: () => {
      const bytes = mutator.bytes(
        `${mutator.submission()}\n\r\n${mutator.string()}\n${'x'.repeat(random.between(0, 300))}`,
      )
      for (const policy of ['refuse', 'cut']) {
        if (split(parts, mutator.cut(bytes), policy) !== split(parts, [bytes], policy))
          throw new Error('lines depend on how the bytes were cut')
      }
      return 'ok'
    },
    SseDecoder: () => {
      const block = `id: a-1\nevent: agent_frame\ndata: ${mutator.string()}\n\n: c\r\nretry: 5\r\rdata\n\nid\n\n`
      const text = mutator.bytes(block).toString('utf8')
      const decode = (pieces) => {
        const decoder = new SseDecoder('', MAX_SSE_LINE)
        try {
          return JSON.stringify([pieces.flatMap((piece) => decoder.feed(piece)), decoder.lastEventId])
        } catch (error) {
          // What it says of a line over its bound; whether it is met depends on the cuts.
          if (error.name === 'LineTooLong' && text.length > MAX_SSE_LINE) return 'too long'
          throw error
        }
      }
      const whole = decode([text])
      const at = random.between(0, text.length)
      const cut = decode([text.slice(0, at), text.slice(at)])
      const bits = text.length < 200 ? decode(text.split('')) : cut
      const isSame = whole === cut && whole === bits
      if (text.length <= MAX_SSE_LINE && !isSame) throw new Error('blocks depend on the cuts')
      return 'ok'
    },
  }
}
