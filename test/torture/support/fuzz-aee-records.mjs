/**
 * Workflows, ledgers, schemas and the daemon's own answers, fuzzed in this process.
 */
import { isDeepStrictEqual } from 'node:util'
import { makeEnvelope } from './envelopes.mjs'
import { INTENTS, TASK_PAYLOADS } from './fuzz-envelopes.mjs'
import { must } from './fuzz-outcomes.mjs'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const VARIANTS = ['task', 'result', 'error']
const LEDGER_LINES = 6

/** What reading a schema of the person's own may take, in milliseconds: it is compiled, and nobody sends one. */
const SCHEMA_LIMIT_MS = 500

/** Links of the longest chain; one input in so many has it. */
const LONG_CHAIN = 5_000
const LONG_CHAIN_RATE = 0.002

export function threadTargets({ aee, random }) {
  const { causalOrder, linesOf, toForest } = aee
  return {
    causalOrder: () => {
      const links = random() < LONG_CHAIN_RATE ? longChain(random) : someLinks(random)
      const ordered = causalOrder(links)
      const lines = [...linesOf(toForest(links))].map(({ item }) => item)
      for (const list of [ordered, lines])
        must(
          list.length === links.length && new Set(list).size === links.length,
          'a link was lost or doubled',
        )
      requireParentsFirst(links, ordered)
      requireParentsFirst(links, lines)
      return 'ok'
    },
  }
}

function someLinks(random) {
  const names = random.between(1, 40)
  const name = () =>
    random.pick(['__proto__', 'toString', '', `e${random.between(0, names)}`, `e${random.between(0, names)}`])
  return Array.from({ length: random.between(0, 60) }, (_, i) => ({
    seq: random() < 0.9 ? i : random.between(0, 60),
    id: name(),
    replyTo: random() < 0.3 ? null : name(),
  }))
}

/** One workflow that answers and answers; from back to front, and now and then in a ring. */
function longChain(random) {
  const isRing = random() < 0.5
  const isBackwards = random() < 0.5
  return Array.from({ length: LONG_CHAIN }, (_, i) => ({
    seq: isBackwards ? LONG_CHAIN - i : i,
    id: `e${i}`,
    replyTo: i > 0 ? `e${i - 1}` : isRing ? `e${LONG_CHAIN - 1}` : null,
  }))
}

/** Whoever is in no ring comes after the one it answers; of two with one id, the earlier is meant. */
function requireParentsFirst(links, ordered) {
  // Looking for rings here is slow, and a long chain is for the time it takes.
  if (links.length === LONG_CHAIN) return
  const bySeq = links.toSorted((a, b) => a.seq - b.seq)
  const first = new Map()
  for (const link of bySeq) if (!first.has(link.id)) first.set(link.id, link)
  const places = new Map(ordered.map((link, place) => [link, place]))
  for (const link of links) {
    const parent = link.replyTo === null ? undefined : first.get(link.replyTo)
    if (parent === undefined || isInRing(link, first, links.length)) continue
    must(places.get(parent) < places.get(link), `${link.id} comes before what it answers`)
  }
}

function isInRing(link, first, length) {
  let at = link
  for (let i = 0; i <= length; i += 1) {
    at = at.replyTo === null ? undefined : first.get(at.replyTo)
    if (at === undefined) return false
    if (at === link) return true
  }
  // It leads into a ring and is not in it itself.
  return false
}

export function ledgerTargets({ aee, mutator, random }) {
  const volt = chainOf((last, i) =>
    aee.envelopeEvent(last, {
      eventId: `event-${i}`,
      runId: 'run-1',
      atMs: NOW_MS + i,
      eventType: 'aee.envelope.received',
      actorId: 'service.agentd',
      sizeBytes: 500,
      envelope: makeEnvelope(),
    }),
  )
  const ward = chainOf((last, i) =>
    aee.wardEntry(last, {
      chainId: 'ward:torture',
      entryId: `entry-${i}`,
      issuerId: 'service.agentd',
      atMs: NOW_MS + i,
      sourceKind: 'AEE',
      sourceId: `envelope-${i}`,
      payloadHash: '0'.repeat(64),
    }),
  )
  const voltLines = volt.map(aee.formatVoltEvent)
  const wardLines = ward.map(aee.formatWardEntry)
  /** What the hash of an entry is over; the rest may be anything. */
  const bound = ({ ward_version: _v, issuer_id: _i, source_ts: _t, chain_hash: _c, ...rest }) =>
    Object.fromEntries(
      Object.keys(ward[0])
        .filter((name) => Object.hasOwn(rest, name))
        .map((name) => [name, rest[name]]),
    )
  return {
    verifyVolt: () => {
      const lines = spoilLines(voltLines, mutator, random)
      const { verdict } = aee.verifyVolt(lines)
      aee.readVoltEvent(lines.at(-1)?.line ?? Buffer.of())
      const isPrefix = () =>
        lines.every(({ line }, i) => aee.canonicalJson(parse(line)) === aee.canonicalJson(volt[i]))
      must(verdict !== 'PASS' || (lines.length > 0 && isPrefix()), 'a changed ledger passes')
      must(verdict === 'PASS' || !isUntouched(lines, voltLines), 'an untouched ledger fails')
      return verdict
    },
    verifyWard: () => {
      const lines = spoilLines(wardLines, mutator, random)
      const { verdict } = aee.verifyWard(lines)
      aee.readWardEntry(lines.at(-1)?.line ?? Buffer.of())
      const isPrefix = () =>
        lines.every(({ line }, i) => isDeepStrictEqual(bound(parse(line)), bound(ward[i])))
      must(verdict !== 'INTACT' || (lines.length > 0 && isPrefix()), 'a changed chain is intact')
      must(verdict === 'INTACT' || !isUntouched(lines, wardLines), 'an untouched chain is not')
      return verdict
    },
  }
}

function chainOf(make) {
  const chain = []
  for (let i = 0; i < LEDGER_LINES; i += 1) chain.push(make(chain.at(-1), i))
  return chain
}

function parse(line) {
  return JSON.parse(line.toString('utf8'))
}

function isUntouched(lines, texts) {
  return lines.length === texts.length && lines.every(({ line }, i) => line.toString('utf8') === texts[i])
}

/** Lines of a ledger with noise in one, or with one too many, too few or in another place. */
function spoilLines(texts, mutator, random) {
  const lines = texts.map((text) => Buffer.from(text))
  const at = random.between(0, lines.length - 1)
  const other = random.between(0, lines.length - 1)
  const what = random.between(0, 5)
  if (what === 0) lines[at] = mutator.bytes(texts[at])
  else if (what === 1) lines[at] = Buffer.from(mutator.json(JSON.parse(texts[at])))
  else if (what === 2) lines.splice(at, random.between(0, 2))
  else if (what === 3) lines.splice(other, 0, lines[at])
  else if (what === 4) [lines[at], lines[other]] = [lines[other], lines[at]]
  return lines.map((line, i) => ({ line, number: i + 1 }))
}

export function schemaTargets({ aee, mutator, random, refuse }) {
  const { SchemaRegistry, answerTask, decodeEnvelopeText } = aee
  const registry = new SchemaRegistry()
  const validate = (...args) => registry.validate(...args)
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:x:a',
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string', pattern: '^a+$' },
      b: { $ref: '#/$defs/c' },
      d: { enum: [1, 'x', null] },
    },
    $defs: { c: { type: ['array', 'null'], items: { minimum: 0 }, maxItems: 3 } },
    additionalProperties: false,
  }
  const facts = {
    status: 'healthy',
    details: ['all is well'],
    version: '0',
    extensions: ['aee.ext.x'],
    nowIso: '2026-11-20T12:00:00Z',
    knownIntents: INTENTS,
  }
  const stored = JSON.stringify(makeEnvelope({ id: 'x' }))
  return {
    validate: () => {
      const intent = random() < 0.9 ? random.pick(INTENTS) : mutator.string()
      const payload = JSON.parse(mutator.json(INTENTS.includes(intent) ? TASK_PAYLOADS[intent] : { a: 1 }))
      const { kind, errors = [] } = registry.validate(intent, random.pick(VARIANTS), payload)
      must(
        errors.every((one) => typeof one === 'string' && one.length < 1_000),
        'errors without a bound',
      )
      must(registry.faults.length === 0, `a built-in schema fails: ${registry.faults[0]}`)
      return kind
    },
    SchemaRegistry: Object.assign(
      () => {
        const name = random() < 0.5 ? 'ops.x.y.task.schema.json' : mutator.line('ops.x.y.task.schema.json')
        const text =
          random() < 0.8 ? mutator.json(schema) : mutator.bytes(JSON.stringify(schema)).toString('utf8')
        const own = new SchemaRegistry([{ name, text }])
        const { kind } = own.validate(
          'ops.x.y',
          'task',
          JSON.parse(mutator.json({ a: 'aaa', b: [1], d: null })),
        )
        must(
          own.faults.every((fault) => typeof fault === 'string'),
          'a fault that is no sentence',
        )
        return `schema ${kind}`
      },
      { batch: 10, limitMs: SCHEMA_LIMIT_MS },
    ),
    answerTask: () => {
      const intent = random.pick(INTENTS)
      const payload = mutator.json({ ...TASK_PAYLOADS[intent] })
      return refuse(() => {
        const text = JSON.stringify(
          makeEnvelope({ intent, to: 'service.agentd', payload: JSON.parse(payload) }),
        )
        const { envelope: task } = decodeEnvelopeText(text)
        const ports = {
          findEnvelope: () => (random() < 0.5 ? stored : undefined),
          refute: () => true,
          validate,
        }
        const { type, payloadText } = answerTask(task, facts, ports)
        const { errors = [] } = registry.validate(intent, type, JSON.parse(payloadText))
        must(errors.length === 0, `${intent} was answered with ${payloadText.slice(0, 100)}: ${errors[0]}`)
        return `answered ${type}`
      })
    },
  }
}
