/** One workflow fetched whole, page by page, over one connection after another as the command line does. */
import { request } from 'node:http'
import { MARKER } from './frames.mjs'

const TIMEOUT_MS = 30_000

/** How a page ends: the place to go on from, or null. */
const NEXT = /"next":(?:null|"([^"]+)")\}$/

/** @returns milliseconds until the last page was there; nothing is parsed meanwhile */
export async function timeThread(socketPath, { corr, envelopes, limit }) {
  let count = 0
  const startedMs = performance.now()
  for (let after = ''; after !== undefined;) {
    const path = `/v1/threads/${corr}?limit=${limit}${after === '' ? '' : `&after=${after}`}`
    const page = await fetchPage(socketPath, path)
    const end = NEXT.exec(page.latin1Slice(Math.max(0, page.length - 200)))
    if (end === null) throw new Error(`refused: ${page.utf8Slice(0, 400)}`)
    after = end[1]
    for (let at = page.indexOf(MARKER); at !== -1; at = page.indexOf(MARKER, at + 1)) count += 1
  }
  const ms = performance.now() - startedMs
  if (count !== envelopes) throw new Error(`${count} envelopes were fetched instead of ${envelopes}`)
  return ms
}

function fetchPage(socketPath, path) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, agent: false, timeout: TIMEOUT_MS })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${path} was not answered`)))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const chunks = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => resolve(Buffer.concat(chunks)))
    })
    outgoing.end()
  })
}
