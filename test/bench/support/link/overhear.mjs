/** What stands in a lane, octet for octet. */
import { REALM } from '../../../torture/support/link/hub.mjs'
import { openLoad } from '../load.mjs'
import { until } from '../waiting.mjs'

const WINDOW = 64

/** How long it may take until all is in the lane, in milliseconds. */
const HEARD_MS = 20_000

/**
 * Says so many frames and listens to the lane meanwhile.
 *
 * @returns octets of a record, of its frame's text and of its share of the message, each the mean
 */
export async function hearRecords({ hub, near }, count) {
  const { HEADER_SIGNATURE, laneFilter, readBatch, readRecord } = hub.parts
  const connection = await hub.connectAsRoot()
  const sums = { heard: 0, records: 0, frames: 0, bodies: 0 }
  let fault
  connection.subscribe(laneFilter(REALM), {
    callback(error, message) {
      fault ??= error ?? undefined
      const body = message.string()
      sums.bodies += body.length + (message.headers?.get(HEADER_SIGNATURE)?.length ?? 0)
      for (const line of readBatch(body).lines) {
        const record = readRecord(line)
        if (record.t !== 'frame') continue
        sums.heard += 1
        sums.records += Buffer.byteLength(line)
        sums.frames += Buffer.byteLength(record.frameText)
      }
    },
  })
  const { pump, close } = await openLoad(near, { subscribers: 0, window: WINDOW })
  try {
    pump.start(count)
    await pump.finish()
    const isThere = () => {
      if (fault !== undefined) throw fault
      return sums.heard >= count
    }
    await until(isThere, HEARD_MS, 'what was said did not come into the lane')
  } finally {
    close()
    await connection.close()
  }
  const mean = (sum) => sum / sums.heard
  return { records: mean(sums.records), frames: mean(sums.frames), bodies: mean(sums.bodies) }
}
