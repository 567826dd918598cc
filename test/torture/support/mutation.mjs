/**
 * Inputs that are nearly right: valid ones with their structure changed, then with noise on the bytes.
 *
 * Everything is drawn from one seeded source, so that a round can be had again.
 */
import { makeFrame } from './frames.mjs'
import { anyEnvelope } from './fuzz-envelopes.mjs'
import { NAMES, NUMBERS, STRINGS, UUID } from './mutation-words.mjs'

/** Kind → a payload with every member. */
export const PAYLOADS = {
  agent_advisory: { advisory_text: 'editing', file_refs: ['src/a.ts'], worktree: '/w', branch: 'b' },
  agent_broadcast: { broadcast_text: 'main moved', event_class: 'merged', refs: ['pull/17'] },
  agent_handover: {
    previous_session_id: 's1',
    next_session_id: 's2',
    handover_body: 'red',
    pointer_refs: ['n'],
  },
  agent_lock_request: { resource: 'a', lease_id: UUID, ttl_ms: 300_000, intent: 'move' },
  agent_lock_release: { lease_id: UUID, resource: '' },
  agent_lease_extend: { lease_id: UUID, additional_ttl_ms: 300_000 },
  agent_query: { query_text: 'who?', query_id: UUID, response_scope: '~alice/*', timeout_ms: 60_000 },
  agent_response: { query_id: UUID, responder_session_id: 's2', response_text: 'I', answer_attempt_idx: 1 },
  agent_return_event: { return_event_ref: 'run/41', query_id: UUID, summary: 'green' },
  agent_binding_moment: {
    synopsis: 'two ways',
    findings: ['4 million rows'],
    recommendations: ['batches'],
    offer: 'tonight',
    question: {
      stem: 'which?',
      options: [
        { label: 'a', reasoning: 'x' },
        { label: 'b', reasoning: 'y' },
      ],
      recommended_idx: 0,
      hatches: { free_text: true, dialogue: false },
    },
  },
  peer_diagnostic_request: {
    symptom: 'hangs',
    diagnostic_id: UUID,
    substrate_refs: ['ci'],
    severity: 'degraded',
  },
  peer_diagnostic_response: {
    diagnostic_id: UUID,
    finding: 'full',
    remediation: 'prune',
    substrate_refs: [],
  },
  intent_declare: {
    convergence_class: 'repo.pull-request',
    payload_ref: 'pull/18',
    acted_by: '~alice',
    drafted_with: '~cc-opus-4-6',
    declared_at: '2026-11-20T12:00:00Z',
    ttl: 600_000,
    withdrawable: true,
    urgency: 'normal',
  },
  intent_withdraw: { convergence_class: 'repo.x', intent_ref: 'i/1', withdrawn_at: '2026-11-20T12:00:00Z' },
  flush_executed: {
    convergence_class: 'repo.x',
    result_ref: 'p',
    batch_refs: ['i'],
    executed_at: '2026-11-20T12:00:00Z',
  },
}

export const KINDS = Object.keys(PAYLOADS)

/** @param random - of `createRandom` */
export class Mutator {
  #random

  constructor(random) {
    this.#random = random
  }

  /** A submission as text: sometimes right, mostly nearly so. */
  submission() {
    const { pick } = this.#random
    const kind = pick(KINDS)
    const frame = makeFrame({ kind, payload: structuredClone(PAYLOADS[kind]) })
    return this.#nearly(this.#random() < 0.3 ? { recipient_scope: pick(STRINGS), frame } : { frame })
  }

  /** An envelope as text, as nearly right as a submission. */
  envelope() {
    return this.#nearly(anyEnvelope(this.#random))
  }

  /** Any JSON value with some of its parts exchanged. */
  json(value) {
    return stringify(this.#change(structuredClone(value), 0))
  }

  /** Bytes of a text, with noise. */
  bytes(text) {
    let bytes = Buffer.from(text)
    for (let i = this.#random.between(0, 3); i > 0; i -= 1) bytes = this.#noise(bytes)
    return bytes
  }

  /** A line of text with some characters exchanged; no line break. */
  line(text) {
    return this.#noise(Buffer.from(text))
      .toString('latin1')
      .replaceAll(/[\r\n]/g, ' ')
  }

  string() {
    return this.#random.pick(STRINGS)
  }

  /** Cuts bytes anywhere. */
  cut(bytes) {
    const pieces = []
    for (let at = 0; at < bytes.length;) {
      const size = this.#random() < 0.5 ? this.#random.between(1, 3) : this.#random.between(1, 400)
      pieces.push(bytes.subarray(at, at + size))
      at += size
    }
    return pieces
  }

  #nearly(original) {
    const { between } = this.#random
    let value = original
    for (let i = between(0, 3); i > 0; i -= 1) value = this.#change(value, 0)
    let text = stringify(value)
    if (this.#random() < 0.1) text = this.#repeatName(text)
    if (this.#random() < 0.05) text = `${'['.repeat(between(1, 3_000))}${text}`
    return text
  }

  #change(value, depth) {
    if (depth > 6 || this.#random() < 0.12) return this.#value()
    if (Array.isArray(value)) return this.#changeList(value, depth)
    if (typeof value === 'object' && value !== null) return this.#changeObject(value, depth)
    return this.#value()
  }

  #changeList(list, depth) {
    const what = this.#random()
    if (what < 0.3) return [...list, this.#value()]
    if (what < 0.5 || list.length === 0) return list.slice(1)
    const at = this.#random.between(0, list.length - 1)
    return list.with(at, this.#change(list[at], depth + 1))
  }

  #changeObject(object, depth) {
    const names = Object.keys(object)
    const name = this.#random.pick(names) ?? 'x'
    const what = this.#random()
    const entries = new Map(Object.entries(object))
    if (what < 0.15) entries.delete(name)
    else if (what < 0.3) entries.set(this.#random.pick(NAMES), this.#value())
    else if (what < 0.4) {
      const moved = entries.get(name)
      entries.delete(name)
      entries.set(this.#random.pick(NAMES), moved)
    } else entries.set(name, this.#change(object[name], depth + 1))
    // Names such as __proto__ are to be members like any other.
    return Object.fromEntries(entries)
  }

  #value() {
    const { pick, between } = this.#random
    switch (between(0, 9)) {
      case 0:
        return pick(NUMBERS)
      case 1:
        return null
      case 2:
        return this.#random() < 0.5
      case 3:
        return []
      case 4:
        return {}
      case 5:
        return nest(between(1, 80))
      case 6:
        return { [pick(NAMES)]: pick(STRINGS) }
      default:
        return pick(STRINGS)
    }
  }

  /** Writes a member twice, which no object can hold. */
  #repeatName(text) {
    const at = text.indexOf('{', this.#random.between(0, Math.max(0, text.length - 20)))
    return at === -1 ? text : `${text.slice(0, at + 1)}"${this.#random.pick(NAMES)}":1,${text.slice(at + 1)}`
  }

  #noise(bytes) {
    const { between } = this.#random
    const at = between(0, Math.max(0, bytes.length - 1))
    const piece = bytes.subarray(at, at + between(1, 16))
    switch (between(0, 5)) {
      case 0: {
        const copy = Buffer.from(bytes)
        if (copy.length > 0) copy[at] ^= 1 << between(0, 7)
        return copy
      }
      case 1:
        return Buffer.concat([bytes.subarray(0, at), Buffer.from([between(0, 255)]), bytes.subarray(at)])
      case 2:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + between(1, 8))])
      case 3:
        return bytes.subarray(0, at)
      case 4:
        return Buffer.concat([bytes.subarray(0, at), piece, piece, bytes.subarray(at)])
      default:
        return Buffer.concat([bytes.subarray(0, at), Buffer.from(this.string()), bytes.subarray(at)])
    }
  }
}

function nest(levels) {
  let value = 1
  for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? [value] : { x: value }
  return value
}

function stringify(value) {
  return JSON.stringify(value) ?? 'null'
}
