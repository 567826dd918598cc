/**
 * The hub's server told that who may enter has changed, and given the estate that says so to everybody else.
 *
 * @see FED-43
 */
import { principalOf } from '../../../link/realm.ts'
import type { AuthorityFolder } from '../../authority/authority-folder.ts'
import { estateText } from './hub-estate.ts'
import { prepareHub } from './hub-engine.ts'
import type { HubHome } from './hub-home.ts'
import { reloadServer } from './hub-server.ts'

/** What came of it, for people and for programs. */
export interface Told {
  readonly state: 'told' | 'not-running' | 'unreached'
  readonly sentence: string
}

/** A server that has just read its configuration again answers within milliseconds. */
const RELOADED_MS = 2_000

/** Tells the server, where one runs here. */
export async function tellServer(home: HubHome, authority: AuthorityFolder): Promise<Told> {
  if (!reloadServer(home.pidPath))
    return {
      state: 'not-running',
      sentence: 'The hub is not running here; it takes this up when it starts: agentd link hub run',
    }
  const hub = home.require()
  const estate = estateText(authority, principalOf(hub.realm)) ?? ''
  const prepared = await prepareHub({ hub, ca: home.authority(), estate }, { waitMs: RELOADED_MS })
  if (prepared.kind === 'ready') return { state: 'told', sentence: 'The hub has taken it up.' }
  return {
    state: 'unreached',
    sentence: `The hub was told, and your other machines were not: ${prepared.why} Repeat it with: agentd link hub tell`,
  }
}
