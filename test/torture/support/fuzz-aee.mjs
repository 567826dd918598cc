/**
 * The parsers of envelopes in this process: as `fuzz-parsers.mjs`, and where there is something to compare with,
 * what they say is held against it.
 */
import { isDeepStrictEqual } from 'node:util'
import { DIST } from './daemon.mjs'
import { must, refusable } from './fuzz-outcomes.mjs'
import { ledgerTargets, schemaTargets, threadTargets } from './fuzz-aee-records.mjs'
import { boundaryTargets, signatureTargets } from './fuzz-aee-trust.mjs'
import { FILLING_NAMES, largeEnvelope } from './fuzz-envelopes.mjs'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')

const load = (path) => import(`${DIST}/${path}.js`)

/** @returns an object of everything that `dist/aee` exports and is looked at here */
async function loadAee() {
  const names = [
    'aee/conformance/advice',
    'aee/boundary/boundary',
    'aee/envelope/canonical',
    'aee/conformance/conformance',
    'aee/envelope/envelope',
    'aee/keys/key',
    'aee/keys/new-key',
    'aee/boundary/redaction',
    'aee/thread/references',
    'aee/schemas/schema',
    'aee/schemas/registry',
    'aee/service/answers',
    'aee/keys/signature',
    'aee/envelope/summary',
    'aee/thread/thread',
    'aee/envelope/trace-context',
    'aee/evidence/volt',
    'aee/evidence/volt-verify',
    'aee/evidence/ward',
    'aee/evidence/ward-verify',
  ]
  const modules = await Promise.all(names.map(load))
  const { ERROR_CODES } = await load('protocol/refusal/error-codes')
  const { safeLine } = await load('core/text/safe-text')
  return Object.assign({ ERROR_CODES, safeLine }, ...modules)
}

/** @returns target name → a function that takes one mutated input; it throws on anything undocumented */
export async function loadAeeTargets(mutator, random) {
  const aee = await loadAee()
  const parts = {
    aee,
    mutator,
    random,
    refuse: (act, takesUsage) => refusable(aee.ERROR_CODES, act, takesUsage),
  }
  return {
    ...envelopeTargets(parts),
    ...signatureTargets(parts),
    ...boundaryTargets(parts),
    ...threadTargets(parts),
    ...ledgerTargets(parts),
    ...schemaTargets(parts),
  }
}

function envelopeTargets({ aee, mutator, random, refuse }) {
  const { adviceOn, checkConformance, decodeEnvelope, decodeEnvelopeText, decodeLogLine, parseEnvelope } = aee
  const codeOf = (text) => refuse(() => void decodeEnvelopeText(text))
  return {
    decodeEnvelope: () => {
      const bytes = mutator.bytes(mutator.envelope())
      return refuse(() => {
        const { envelope, text } = decodeEnvelope(bytes)
        must(!/[\r\n]/.test(text), 'the text of an envelope has more than one line')
        // Nothing but line breaks and what is around it may differ from what came.
        must(
          text ===
            bytes
              .toString('utf8')
              .replaceAll(/[\r\n]/g, ' ')
              .trim(),
          'the text is not what came',
        )
        must(isDeepStrictEqual(JSON.parse(text), envelope), 'the text says something else')
        must(decodeEnvelopeText(text).text === text, 'the text is not stable')
      })
    },
    adviceOn: () => {
      const bytes = mutator.bytes(mutator.envelope())
      return refuse(() => {
        const envelope = parseEnvelope(JSON.parse(decodeEnvelope(bytes).text))
        for (const { code, message } of adviceOn(envelope)) {
          must(Object.hasOwn(aee.ERROR_CODES, code) && message !== '', `advice with the code ${code}`)
          must(!message.includes('0123456789abcdef'), 'the advice repeats a secret')
        }
        aee.needsApproval(envelope)
        const timeoutMs = aee.timeoutMsOf(envelope)
        must(
          timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs >= 0),
          `waits ${timeoutMs} ms`,
        )
        aee.referencesOf(envelope)
        aee.childTrace(envelope.trace, '00f067aa0ba902b7')
        aee.formatTraceparent(envelope.trace ?? {})
        aee.requireFresh(envelope, NOW_MS)
      })
    },
    checkConformance: () => {
      const text = mutator.bytes(mutator.envelope()).toString('utf8')
      const { level, rules } = checkConformance(text)
      must(
        (codeOf(text) === 'ok') === (level === 'MVE-Required'),
        `${level}, and the daemon says ${codeOf(text)}`,
      )
      must(rules.length > 0, 'no rule was judged')
      return level
    },
    decodeLogLine: () => {
      const bytes = mutator.bytes(mutator.envelope())
      const log = refuse(() => void decodeLogLine(bytes))
      const whole = refuse(() => void decodeEnvelope(bytes))
      must(whole !== 'ok' || log === 'ok', `an envelope that is no log line: ${log}`)
      return log
    },
    summariseEnvelope: () =>
      refuse(() => {
        const { envelope } = decodeEnvelope(mutator.bytes(mutator.envelope()))
        const line = aee.safeLine(`${aee.spokenIntent(envelope)} ${aee.summariseEnvelope(envelope)}`)
        must(!/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(line), 'a summary holds what no terminal should see')
      }),
    readTraceparent: () => {
      const seed = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      const read = aee.readTraceparent(random() < 0.8 ? mutator.line(seed) : mutator.string())
      if (read === undefined) return 'none'
      must(/^[0-9a-f]{32}$/.test(read.traceId) && /^[0-9a-f]{16}$/.test(read.spanId), 'a trace that is none')
      return 'ok'
    },
    readLocator: () => {
      const seed = 'store://envelopes/0b9a4a0e%2Fx'
      const id = aee.readLocator(random() < 0.8 ? mutator.line(seed) : mutator.string())
      if (id === undefined) return 'none'
      must(aee.readLocator(aee.locatorOf(id)) === id, `the locator of ${JSON.stringify(id)} is another's`)
      return 'ok'
    },
  }
}

/**
 * Envelopes as large as one may be, each made to cost time, and the steps the daemon takes with one.
 *
 * @returns filling → step → a function that runs it once
 */
export async function loadLargeTargets() {
  const aee = await loadAee()
  const refuse = (act) => refusable(aee.ERROR_CODES, () => void act())
  const options = { keys: { find: () => undefined }, nowMs: NOW_MS }
  return Object.fromEntries(
    FILLING_NAMES.map((name) => {
      const bytes = Buffer.from(JSON.stringify(largeEnvelope(name)))
      const spaced = Buffer.concat([bytes.subarray(0, -1), Buffer.from(' }')])
      const envelope = largeEnvelope(name)
      return [
        name,
        {
          decode: () => refuse(() => aee.decodeEnvelope(bytes)),
          // A text that is not as it would be written is looked through for names that stand twice.
          scan: () => refuse(() => aee.decodeEnvelope(spaced)),
          advise: () => refuse(() => aee.adviceOn(envelope)),
          date: () => refuse(() => aee.requireFresh(envelope, NOW_MS)),
          verify: () => refuse(() => aee.verifyEnvelope(envelope, options)),
          canonical: () => refuse(() => aee.boundBytes(envelope, 'aee-jcs-1')),
          summarise: () => refuse(() => aee.safeLine(aee.summariseEnvelope(envelope))),
        },
      ]
    }),
  )
}
