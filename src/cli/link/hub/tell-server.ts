/**
 * The hub's server told that who may enter has changed, and given the documents that say so to everybody else.
 *
 * @see FED-43
 */
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

/** Tells the server, where one runs here, and then everybody else. */
export async function tellServer(home: HubHome, authority: AuthorityFolder): Promise<Told> {
  return reloadServer(home.pidPath) ? toldOf(await publish(home, authority)) : NOT_RUNNING
}

/**
 * Takes somebody out, and tells everybody else first: whoever is cut off before the others know it still counts with them, for
 * what it had sent until then and what it had not.
 *
 * @param cut - takes them out of the server's configuration
 */
export async function tellThenCut(home: HubHome, authority: AuthorityFolder, cut: () => void): Promise<Told> {
  // A hub that cannot be told still has to cut them off.
  const published = findServer(home.pidPath) === undefined ? undefined : await publish(home, authority)
  cut()
  return reloadServer(home.pidPath) && published !== undefined ? toldOf(published) : NOT_RUNNING
}

const NOT_RUNNING: Told = {
  state: 'not-running',
  sentence: 'The hub is not running here; it takes this up when it starts: agentd link hub run',
}

function publish(home: HubHome, authority: AuthorityFolder): Promise<Prepared> {
  const hub = home.require()
  const documents = documentsOf(hub, authority)
  return prepareHub({ hub, ca: home.authority(), documents }, { waitMs: RELOADED_MS })
}

function toldOf(prepared: Prepared): Told {
  if (prepared.kind === 'ready') return { state: 'told', sentence: 'The hub has taken it up.' }
  return {
    state: 'unreached',
    sentence: `The hub was told, and the other machines were not: ${prepared.why} Repeat it with: agentd link hub tell`,
  }
}
