/**
 * The parts of agentd as a library, in the operations of the kit: what is pure of it, asked without a daemon.
 */
import { canonicalJson, hashOf } from '../../dist/aee/envelope/canonical.js'
import { decodeLogLine } from '../../dist/aee/conformance/conformance.js'
import { decodeEnvelopeText, parseEnvelope } from '../../dist/aee/envelope/envelope.js'
import { verifyVolt } from '../../dist/aee/evidence/volt-verify.js'
import { verifyWard } from '../../dist/aee/evidence/ward-verify.js'
import { KeyChain } from '../../dist/aee/keys/chain.js'
import { verifyEnvelope } from '../../dist/aee/keys/signature.js'
import { SchemaRegistry } from '../../dist/aee/schemas/registry.js'
import { answerTask } from '../../dist/aee/service/answers.js'
import { toForest } from '../../dist/aee/thread/thread.js'
import { AgentdError } from '../../dist/core/errors.js'
import { readTimestampMs } from '../../dist/core/text/timestamp.js'
import { requireScope, scopeNames } from '../../dist/protocol/address/scope.js'
import { composeFrame } from '../../dist/protocol/frame/compose.js'
import { filterAdmits, parseFilter } from '../../dist/protocol/frame/filter.js'
import { expiresAtMs, parseFrame } from '../../dist/protocol/frame/frame.js'
import { decodeSubmission } from '../../dist/protocol/frame/submission.js'
import { SseDecoder } from '../../dist/protocol/sse/decoder.js'
import { VERBS } from '../../dist/protocol/verb/verbs.js'

/** What a question is answered with: the members of a value, or the refusal that was thrown. */
function toAnswer(compute) {
  try {
    return { ok: true, ...compute() }
  } catch (error) {
    if (error instanceof AgentdError)
      return { ok: false, error: { code: error.code, field: error.field, message: error.message } }
    if (error?.name === 'ZodError')
      return { ok: false, error: { code: 'field-invalid', message: error.message } }
    throw error
  }
}

export const frame = ({ text }) => toAnswer(() => void decodeSubmission(Buffer.from(`{"frame":${text}}`)))

export const scope = ({ scope: text }) => toAnswer(() => void requireScope(text, 'recipient_scope'))

export const scopeMatch = ({ scope: text, sessions }) =>
  toAnswer(() => {
    const named = requireScope(text, 'recipient_scope')
    return {
      matches: sessions.map(({ handle, instrument, session_id: sessionId }) =>
        scopeNames(named, { handle, instrument, sessionId }),
      ),
    }
  })

export const filter = ({ filter: text }) => toAnswer(() => void parseFilter(text))

export const filterMatch = ({ filter: text, frame: { kind, sender_handle: senderHandle }, tool }) =>
  toAnswer(() => {
    // A vector says nothing of where its frame was sent; to the sender's own sessions is no organisation.
    const facts = { kind, senderHandle, tool, scopeText: `${senderHandle}/` }
    return { matches: filterAdmits(parseFilter(text), facts) }
  })

/** The octets go through the decoder that the client's connection has. */
export function stream({ chunks }) {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const decoder = new SseDecoder()
  const blocks = chunks.flatMap((chunk) =>
    decoder.feed(utf8.decode(Buffer.from(chunk, 'base64'), { stream: true })),
  )
  const events = blocks.filter(({ data }) => data !== undefined)
  return {
    ok: true,
    events: events.map(({ event, data, lastEventId: id }) => ({ event, data, id })),
    last_event_id: decoder.lastEventId,
    retry: blocks.findLast(({ retryMs }) => retryMs !== undefined)?.retryMs ?? null,
  }
}

/** As a recipient of the client takes them: valid, not stale, each once. */
export function receive({ now, frames }) {
  const seen = new Set()
  const takes = (value) => {
    const { ok } = toAnswer(() => void parseFrame(value))
    if (!ok || seen.has(value.frame_id) || expiresAtMs(value) <= readTimestampMs(now)) return false
    seen.add(value.frame_id)
    return true
  }
  return { ok: true, taken: frames.map(takes) }
}

export const verb = ({ verb: name, arguments: args }) =>
  toAnswer(() => {
    const nowMs = Date.now()
    const context = {
      actedBy: '~alice',
      draftedWith: '~agentd-cli',
      sessionId: 'shell',
      ownScope: '~alice/*',
      nowIso: new Date(nowMs).toISOString(),
      responseScope: undefined,
    }
    const row = VERBS[name]
    const draft = row.compose(row.args.parse(args), context)
    const author = { senderHandle: '~alice', actedBy: '~alice', draftedWith: '~agentd-cli', tool: undefined }
    const composed = composeFrame({ ...draft, recipientHandle: '~alice' }, author, nowMs)
    return { frame: parseFrame(composed) }
  })

export const envelope = ({ text }) => toAnswer(() => void decodeEnvelopeText(text))

export const log = ({ text }) => toAnswer(() => void decodeLogLine(Buffer.from(text)))

export const signature = ({ text, keys, now }) =>
  toAnswer(() => {
    const ring = new KeyChain(keys.map((key) => ({ name: `${key.kid}.json`, text: JSON.stringify(key) })))
    const { envelope: read } = decodeEnvelopeText(text)
    return { verdict: verifyEnvelope(read, { keys: ring, nowMs: Date.parse(now) }) }
  })

export const canonical = ({ text }) =>
  toAnswer(() => {
    const value = JSON.parse(text)
    return { text: canonicalJson(value), hash: hashOf(value) }
  })

const registry = new SchemaRegistry([])

export const answer = ({ task }) =>
  toAnswer(() => {
    const asked = parseEnvelope(task)
    const facts = {
      status: 'healthy',
      details: [],
      version: '0',
      extensions: [],
      nowIso: new Date().toISOString(),
      knownIntents: registry.intents,
    }
    const ports = {
      findEnvelope: () => undefined,
      refute: () => false,
      validate: (intent, variant, payload) => registry.validate(intent, variant, payload),
    }
    const { type, payloadText } = answerTask(asked, facts, ports)
    const { id, intent, from, corr } = asked
    const head = { v: '1', type, to: from, intent, corr, reply_to: id }
    return { envelope: { ...head, payload: JSON.parse(payloadText) } }
  })

export function thread({ envelopes }) {
  const items = envelopes.map(({ id, reply_to: replyTo }, seq) => ({ seq, id, replyTo }))
  const parents = {}
  const walk = (nodes, parent) => {
    for (const { item, children } of nodes) {
      parents[item.id] = parent
      walk(children, item.id)
    }
  }
  walk(toForest(items), null)
  return { ok: true, parents }
}

const ledger = (texts) => texts.map((text, at) => ({ line: Buffer.from(text), number: at + 1 }))

const told = ({ verdict, faults }) => ({
  ok: true,
  verdict,
  faults: [...new Set(faults.map(({ code }) => code))],
})

export const volt = ({ lines }) => told(verifyVolt(ledger(lines)))

export const ward = ({ lines }) => told(verifyWard(ledger(lines)))
