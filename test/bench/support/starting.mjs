/** From the spawn of a daemon to its first answer. */
import { daemonOf, requireAlive, spawnDaemon } from './agentd.mjs'
import { openConnection } from './connection.mjs'
import { sleep } from './waiting.mjs'

const HEALTH = 'GET /v1/health HTTP/1.1\r\nhost: agentd\r\nconnection: close\r\n\r\n'

/** How long a start may take, in milliseconds. */
const START_MS = 20_000

/** @returns `{ms, daemon}`; the daemon runs */
export async function startTimed(place) {
  const startedMs = performance.now()
  const server = spawnDaemon(place)
  try {
    await firstAnswer(server, place.socketPath)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { ms: performance.now() - startedMs, daemon: daemonOf(place, server) }
}

/** Asks until somebody answers; a socket that is not there yet costs next to nothing to ask. */
async function firstAnswer(server, path) {
  const startedMs = performance.now()
  for (;;) {
    try {
      const connection = await openConnection({ path }, HEALTH, (text) =>
        /^HTTP\/1\.1 200 [^]*\r\n\r\n.*\}$/.test(text),
      )
      return connection.close()
    } catch (error) {
      requireAlive(server)
      if (performance.now() - startedMs > START_MS) throw error
    }
    await sleep(1)
  }
}
