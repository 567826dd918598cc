/**
 * A machine of another member of an organisation floods it: what is beyond its rate is refused, none of it comes, and who speaks on
 * this machine is answered as ever (FT-13, FED-29, FED-63).
 */
import { Hub } from '../support/link/hub.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { LinkedNode } from '../support/link/node.mjs'
import { Organisation } from '../support/link/organisation.mjs'
import { Polite } from '../support/link/polite.mjs'
import { openReader } from '../support/reader.mjs'
import { quantile } from '../support/statistics.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** What another principal may send: a burst, and so many a second by the engine's time (FED-63). */
const BURST = 500
const PER_SECOND = 50

/** Frames of one batch, and how many batches there are at the least. */
const BATCH = 100
const MIN_BATCHES = 30

/** How long the polite one is watched with nothing else going on, in milliseconds. */
const IDLE_MS = 3_000

/** How long the machines may take to meet, in milliseconds. */
const MEET_MS = 60_000

/** What a machine takes of a backlog in a second at the least (FT-13): a long flood is judged long after it is over. */
const JUDGED_PER_SECOND = 4_000

/** Whoever speaks here is answered within this, in milliseconds; how much slower than without the flood is told and not judged. */
const ANSWERED_MS = 2_000

export default {
  name: 'link-stranger',
  promise: 'FED-29, FED-63',
  summary: 'a machine of another member floods: its excess is refused, and locals are answered as ever',
  async run({ hasTime }) {
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const organisation = await Organisation.found()
    const hub = await Hub.start({ nodes: ['laptop'], organisation })
    const linkText = organisation.linkText(hub.linkText('laptop'))
    const node = new LinkedNode('laptop', { linkText })
    node.trust(organisation.trustedKey)
    await node.start()
    const polite = new Polite(node, 9)
    const reader = openReader(node.socket, { keep: false, onEvent: ({ data = '' }) => count(data) })
    let heard = 0
    const count = (data) => (heard += data.includes('"broadcast_text":"of a stranger') ? 1 : 0)
    try {
      await node.become('up')
      await organisation.arrive(hub)
      await waitFor(async () => (await node.link()).nodes.length > 0, MEET_MS, 20)
      await polite.start()
      await sleep(IDLE_MS)
      const idle = await polite.takeLatencies()
      const startedMs = performance.now()
      let said = 0
      do {
        await organisation.say(BATCH, 'of a stranger')
        said += BATCH
      } while (hasTime() || said < MIN_BATCHES * BATCH)
      const judgedMs = MEET_MS + (1_000 * said) / JUDGED_PER_SECOND
      await waitFor(async () => judged(await node.link()) >= said, judgedMs, 20)
      const seconds = (performance.now() - startedMs) / 1_000
      const busy = await polite.takeLatencies()
      await polite.stop()
      const { figures } = await node.link()
      const mayCome = BURST + Math.ceil(PER_SECOND * (seconds + 1))
      const ratio = quantile(busy, 0.99) / quantile(idle, 0.99)
      const usual = quantile(busy, 0.5) / quantile(idle, 0.5)
      return {
        said,
        said_per_second: Math.round(said / seconds),
        came: heard,
        may_come: mayCome,
        refused: figures.refused,
        polite_p50_ratio: round(usual),
        polite_p99_idle_ms: round(quantile(idle, 0.99)),
        polite_p99_meanwhile_ms: round(quantile(busy, 0.99)),
        polite_p99_ratio: round(ratio),
        local_refused: polite.refused.length,
        holds:
          heard >= BURST &&
          heard <= mayCome &&
          figures.refused === said - heard &&
          polite.refused.length === 0 &&
          quantile(busy, 0.99) <= ANSWERED_MS,
      }
    } finally {
      reader.close()
      await organisation.leave()
      await node.stop()
      await hub.stop()
    }
  },
}

/** How many records have come to an end, one way or the other. */
function judged({ figures }) {
  return figures.records_in + figures.refused
}

function round(value) {
  return Math.round(100 * value) / 100
}
