/**
 * Signatures, keys and what may leave the machine, fuzzed in this process: nothing forged is verified, nothing
 * untouched is refused, no error tells a secret, and what crosses is valid and no more than was let.
 */
import { isDeepStrictEqual } from 'node:util'
import { makeEnvelope } from './envelopes.mjs'
import { anyEnvelope } from './fuzz-envelopes.mjs'
import { must } from './fuzz-outcomes.mjs'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const DAY_MS = 86_400_000
const PRIORITIES = ['low', 'normal', 'high', 'urgent']

export function signatureTargets({ aee, mutator, random, refuse }) {
  const { boundBytes, createKey, decodeEnvelopeText, readKey, revokeKey, signEnvelope, verifyEnvelope } = aee
  const make = (options) => createKey({ entities: ['*'], nowMs: NOW_MS, ...options }).text
  const texts = [
    make({ alg: 'ed25519', kid: 'ed' }),
    make({ alg: 'HS256', kid: 'hs' }),
    make({ alg: 'ed25519', kid: 'narrow', entities: ['agent.torture', 'service.*'] }),
    revokeKey(make({ alg: 'ed25519', kid: 'revoked' })),
    make({ alg: 'HS256', kid: 'expired', notAfter: NOW_MS - DAY_MS }),
    make({ alg: 'HS256', kid: 'early', notBefore: NOW_MS + DAY_MS }),
  ]
  const secrets = texts
    .map((text) => JSON.parse(text))
    .map((file) => (file.private ?? file.secret).slice(4, 28))
  const keys = new Map(texts.map((text) => readKey(text)).map((key) => [key.kid, key]))
  const sign = (envelope) => {
    const form = random() < 0.5 ? 'jws' : 'object'
    return { ...envelope, sig: signEnvelope(envelope, random.pick([...keys.values()]), { form }) }
  }
  return {
    verifyEnvelope: () => {
      let signed
      const made = refuse(() => {
        const { envelope } = decodeEnvelopeText(
          random() < 0.5 ? JSON.stringify(anyEnvelope(random)) : mutator.envelope(),
        )
        signed = sign(envelope)
      }, true)
      if (signed === undefined) return `unsigned ${made}`
      const { sig } = signed
      const { key, ...attack } = random.pick([
        { key: 'none' },
        { key: 'sig', sig: typeof sig === 'string' ? mutator.line(sig) : JSON.parse(mutator.json(sig)) },
        { key: 'whole' },
      ])
      const text = JSON.stringify({ ...signed, ...attack })
      const verify = (options) =>
        refuse(() => {
          const { envelope } = decodeEnvelopeText(key === 'whole' ? mutator.json(JSON.parse(text)) : text)
          const verdict = verifyEnvelope(envelope, {
            keys: { find: (kid) => keys.get(kid) },
            nowMs: NOW_MS,
            ...options,
          })
          const isSame = () =>
            boundBytes(envelope, 'aee-jcs-1').equals(boundBytes(signed, 'aee-jcs-1')) &&
            ['ed', 'hs', 'narrow'].some(
              (kid) => JSON.stringify(sig).includes(`"${kid}"`) || typeof sig === 'string',
            )
          must(verdict !== 'verified' || isSame(), 'a forged envelope was verified')
          return verdict
        })
      return verify({ allowTenFields: random() < 0.5 })
    },
    verifyEnvelopeUntouched: () => {
      const key = keys.get(random.pick(['ed', 'hs', 'narrow']))
      const envelope = anyEnvelope(random)
      const sig = signEnvelope(envelope, key, { form: random.pick(['jws', 'object']) })
      // What is not bound may change on the way, and so may the order of members.
      const sent = {
        priority: 'low',
        sig,
        ...Object.fromEntries(Object.entries({ ...envelope, sig, trace: { x: 1 } }).toReversed()),
      }
      const { envelope: got } = decodeEnvelopeText(JSON.stringify(sent, undefined, random.between(0, 3)))
      const verdict = verifyEnvelope(got, { keys: { find: (kid) => keys.get(kid) }, nowMs: NOW_MS })
      must(verdict === 'verified', `an untouched envelope is ${verdict}`)
      return verdict
    },
    readKey: () => {
      const original = random.pick(texts)
      const text =
        random() < 0.5 ? mutator.json(JSON.parse(original)) : mutator.bytes(original).toString('utf8')
      return refuse(() => {
        try {
          const key = readKey(text)
          must(keys.has(key.kid) || key.kid !== '', 'a key without a name')
        } catch (error) {
          must(!secrets.some((secret) => error.message.includes(secret)), 'an error tells a secret')
          throw error
        }
      })
    },
    sigForms: () => {
      const sig =
        random() < 0.5 ? mutator.string() : mutator.line('eyJhbGciOiJIUzI1NiIsImtpZCI6ImhzIn0..AAAA')
      const sent = makeEnvelope({
        sig: random() < 0.5 ? sig : { alg: 'HS256', kid: 'hs', value: sig, canon: mutator.string() },
      })
      return refuse(() => {
        const verdict = verifyEnvelope(sent, { keys: { find: (kid) => keys.get(kid) }, nowMs: NOW_MS })
        must(verdict !== 'verified', 'noise was verified')
      })
    },
  }
}

export function boundaryTargets({ aee, mutator, random, refuse }) {
  const { crossBoundary, decodeEnvelopeText, readRedactionPath } = aee
  const paths = [
    'payload.*',
    'payload.references.0.id',
    'payload.a\\.b.*.c',
    'requires.api_key',
    'trace.x',
    'payload.envelope.payload',
  ]
  const intents = ['*', 'ops.*', 'ops.torture.check', 'aee.context.*']
  const path = () =>
    random() < 0.5 ? random.pick(paths) : random() < 0.8 ? mutator.line(random.pick(paths)) : mutator.string()
  const kept = ['v', 'id', 'ts', 'type', 'from', 'to', 'intent', 'corr', 'reply_to']
  return {
    readRedactionPath: () =>
      refuse(() => {
        const { root, steps, text } = readRedactionPath(path())
        must(['payload', 'requires', 'trace'].includes(root) && steps.length > 0, `a path to ${root}`)
        must(readRedactionPath(text).steps.length === steps.length, 'the path is not stable')
      }, true),
    crossBoundary: () =>
      refuse(() => {
        const { envelope } = decodeEnvelopeText(
          random() < 0.5 ? JSON.stringify(anyEnvelope(random)) : mutator.envelope(),
        )
        const rules = {
          intents: Array.from({ length: random.between(0, 2) }, () =>
            random() < 0.8 ? random.pick(intents) : mutator.line(random.pick(intents)),
          ),
          redact: Array.from({ length: random.between(0, 3) }, path),
          maxPriority: random.pick(PRIORITIES),
        }
        const crossing = crossBoundary(envelope, rules)
        if (crossing.kind === 'refused') return 'refused'
        must(rules.intents.length > 0, 'an envelope left though nothing may')
        const again = decodeEnvelopeText(crossing.text).envelope
        must(
          PRIORITIES.indexOf(again.priority) <= PRIORITIES.indexOf(rules.maxPriority),
          'the priority is not capped',
        )
        must(crossing.redacted.length === 0 || again.sig === null, 'a redacted envelope is signed')
        must(
          kept.every((name) => isDeepStrictEqual(again[name], envelope[name])),
          'a name was changed',
        )
        return 'passed'
      }, true),
  }
}
