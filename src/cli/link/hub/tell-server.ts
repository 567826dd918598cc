/**
 * The hub's server told that who may enter has changed, and given the documents that say so to everybody else.
 *
 * @see FED-43
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AuthorityFolder } from '../../authority/authority-folder.ts'
import { prepareHub, type Prepared } from './hub-engine.ts'
import type { HubHome } from './kept/hub-home.ts'
import { documentsOf } from './kept/hub-realms.ts'
import { findServer, reloadServer } from './hub-server.ts'

/** What came of it, for people and for programs. */
export interface Told {
  readonly state: 'told' | 'not-running' | 'unreached'
  readonly sentence: string
}

/** A server that has just read its configuration again answers within milliseconds. */
const RELOADED_MS = 2_000

const LOOK_EVERY_MS = 100

/** Tells the server, where one runs here, and then everybody else. */
export async function tellServer(home: HubHome, authority: AuthorityFolder): Promise<Told> {
  return reloadServer(home.pidPath) ? toldOf(await publishOnceTaken(home, authority)) : NOT_RUNNING
}

/**
 * Takes somebody out, and tells everybody else first: whoever is cut off before the others know it still counts with them, for
 * what it had sent until then and what it had not.
 *
 * @param cut - takes them out of the server's configuration
 */
export async function tellThenCut(home: HubHome, authority: AuthorityFolder, cut: () => void): Promise<Told> {
  // A hub that cannot be told still has to cut them off.
  if (findServer(home.pidPath) !== undefined) await publish(home, authority)
  cut()
  return tellServer(home, authority)
}

const NOT_RUNNING: Told = {
  state: 'not-running',
  sentence: 'The hub is not running here; it takes this up when it starts: agentd link hub run',
}

/** A server that refuses to read its configuration again goes on with the old one, without a word to whoever has asked it to. */
async function publishOnceTaken(home: HubHome, authority: AuthorityFolder): Promise<Prepared> {
  const untilMs = performance.now() + RELOADED_MS
  for (;;) {
    const prepared = await publish(home, authority)
    const isOld = prepared.kind === 'fault' && prepared.isUnknownKey
    if (!isOld || performance.now() > untilMs) return prepared
    await pause(LOOK_EVERY_MS)
  }
}

function publish(home: HubHome, authority: AuthorityFolder): Promise<Prepared> {
  const hub = home.require()
  const documents = documentsOf(hub, authority)
  return prepareHub({ hub, ca: home.authority(), documents }, { waitMs: RELOADED_MS })
}

const NOT_TAKEN: Told = {
  state: 'unreached',
  sentence:
    'The server of the hub has refused its new configuration and goes on with the old one: whoever was cut off still gets in, and whoever was let in does not. Start it anew: end "agentd link hub run" and run it again, or "systemctl --user restart agentd-hub".',
}

function toldOf(prepared: Prepared): Told {
  if (prepared.kind === 'ready') return { state: 'told', sentence: 'The hub has taken it up.' }
  if (prepared.isUnknownKey) return NOT_TAKEN
  return {
    state: 'unreached',
    sentence: `The hub was told, and the other machines were not: ${prepared.why} Repeat it with: agentd link hub tell`,
  }
}
