/**
 * The hub's server told that who may enter has changed.
 *
 * @see FED-43
 */
import type { HubHome } from './hub-home.ts'
import { reloadServer } from './hub-server.ts'

/** What came of it, for people and for programs. */
export interface Told {
  readonly state: 'told' | 'not-running'
  readonly sentence: string
}

/** Tells the server, where one runs here. */
export function tellServer(home: HubHome): Told {
  if (reloadServer(home.pidPath)) return { state: 'told', sentence: 'The hub has taken it up.' }
  return { state: 'not-running', sentence: 'The hub is not running here; it takes this up when it starts.' }
}
