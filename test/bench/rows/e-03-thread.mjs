/** E-03: a workflow fetched page by page against reading its rows from the same file with one SELECT. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { makeEnvelopes, makeThread, measureEnvelopes } from '../support/envelopes.mjs'
import { onServerCore } from '../support/machine.mjs'
import { findDependency } from '../support/root.mjs'
import { median } from '../support/statistics.mjs'
import { timeThread } from '../support/thread.mjs'

const ENVELOPES = 10_000

/** Envelopes of one page, as many as a page has unless it says otherwise. */
const LIMIT = 1_000

const WINDOW = 256

/** Others in the ring, so that the workflow has to be found. */
const OTHERS = 10_000

const SELECT = fileURLToPath(new URL('../support/select-frames.mjs', import.meta.url))

export const row = {
  id: 'E-03',
  reason: "Each envelope's row is checked and its line composed; the SELECT does neither.",
  async run(context) {
    const { scale, quiet } = context
    const driver = findDependency('better-sqlite3')
    const base = {
      what: `workflow of ${ENVELOPES} envelopes in pages of ${LIMIT}`,
      unit: '/s',
      target: { atLeast: 0.4 },
    }
    if (driver === undefined) {
      return [{ ...base, figure: null, peer: null, held: null, note: 'better-sqlite3 is not installed' }]
    }
    const place = prepareDaemon()
    const corr = randomUUID()
    try {
      await fill(place, corr)
      const own = []
      const select = []
      for (let round = 0; round < scale.rounds; round += 1) {
        await quiet()
        own.push(await threadRate(place, corr, scale.replays))
        select.push(selectRate({ driver, path: place.dir.file('state', 'ring.db'), corr }, scale.replays))
      }
      return [ratioLine({ ...base, own, peer: { name: 'one SELECT', values: select } })]
    } finally {
      place.dir.remove()
    }
  },
}

async function fill(place, corr) {
  const daemon = await startAgentd({ place })
  try {
    for (const envelopes of [makeEnvelopes(OTHERS), makeThread(corr, ENVELOPES)]) {
      await measureEnvelopes(daemon, envelopes, WINDOW)
    }
  } finally {
    await daemon.halt()
  }
}

/** A daemon that has not seen the envelopes itself: they come from the disk. */
async function threadRate(place, corr, repeats) {
  const daemon = await startAgentd({ place })
  try {
    const times = []
    for (let i = 0; i <= repeats; i += 1) {
      times.push(await timeThread(daemon.socketPath, { corr, envelopes: ENVELOPES, limit: LIMIT }))
    }
    return (ENVELOPES / median(times.slice(1))) * 1_000
  } finally {
    await daemon.halt()
  }
}

/** The daemon has let go of the file; a process of the same kind reads it. */
function selectRate({ driver, path, corr }, repeats) {
  const script = [SELECT, driver, path, String(ENVELOPES), String(repeats), corr]
  const [program, ...args] = onServerCore([process.execPath, ...script])
  const times = JSON.parse(execFileSync(program, args, { encoding: 'utf8', timeout: 60_000 }))
  return (ENVELOPES / median(times)) * 1_000
}
