/** E-02: envelopes signed with ed25519 and checked, against unsigned ones and against the checks alone. */
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { compete, ratioLine } from '../support/contest.mjs'
import { FROM, makeEnvelopes, measureEnvelopes } from '../support/envelopes.mjs'
import { request } from '../support/http.mjs'
import { createSigner, measureVerifying } from '../support/signing.mjs'

const WINDOW = 256

/** Envelopes of one measurement, for each millisecond that one of frames takes. */
const PER_MS = 4

/** Envelopes whose signatures are checked by themselves, over and over. */
const CHECKED = 2_000

/** A check is most of the work; what stands around it should not be as much again. */
const OF_CHECKS = { atLeast: 0.5 }

export const row = {
  id: 'E-02',
  async run(context) {
    const { scale } = context
    const count = PER_MS * scale.load.measureMs
    const place = prepareDaemon({ ack: 'process', aee: { signatures: 'verify' } })
    const signer = await createSigner(place, FROM)
    const daemon = await startAgentd({ place })
    try {
      const measures = {
        signed: () => measureEnvelopes(daemon, makeEnvelopes(count).map(signer.sign), WINDOW),
        unsigned: () => measureEnvelopes(daemon, makeEnvelopes(count), WINDOW),
        'bare checks': () => {
          const signed = makeEnvelopes(CHECKED).map(signer.sign)
          return { perSecond: measureVerifying(signer, signed, scale.replays) }
        },
      }
      await requireChecked(daemon, signer)
      for (const name of ['signed', 'unsigned']) await measures[name]()
      const contenders = Object.keys(measures).map((name) => ({ name }))
      const samples = await compete(context, contenders, ({ name }) => measures[name]())
      return linesOf(samples)
    } finally {
      await daemon.stop()
    }
  },
}

/** Signatures that nobody checked would cost nothing. */
async function requireChecked(daemon, signer) {
  const [envelope] = makeEnvelopes(1).map(signer.sign)
  const body = JSON.stringify({ ...envelope, intent: 'ops.bench.other' })
  const { status, text } = await request(daemon.socketPath, '/v1/envelopes', { body })
  if (!text.includes('signature-invalid'))
    throw new Error(`a forged signature was answered ${status}: ${text}`)
}

function linesOf(samples) {
  const rates = (name) => samples.get(name).map(({ perSecond }) => perSecond)
  const line = (peer, target) =>
    ratioLine({
      what: 'envelopes accepted, signed with ed25519',
      unit: '/s',
      own: rates('signed'),
      peer: { name: peer, values: rates(peer) },
      target,
    })
  return [line('unsigned'), line('bare checks', OF_CHECKS)]
}
