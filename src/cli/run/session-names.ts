/**
 * What people call the sessions that are there, for whatever shows one.
 *
 * @see docs/http.md §4
 */
import type { Participant, RosterSession } from '../../client/index.ts'
import { safeLine } from '../../core/text/safe-text.ts'

/** Address → name. Who left is not in it, nor is anybody at a daemon that gives no names. */
export type SessionNames = ReadonlyMap<string, string>

/** Of everybody on the roster. */
export async function readSessionNames(participant: Participant): Promise<SessionNames> {
  const sessions = await participant.roster()
  return new Map(sessions.flatMap(({ address, name }) => (name === undefined ? [] : [[address, name]])))
}

/** The name, or else the address; safe to print. */
export function callSession({ name, address }: Pick<RosterSession, 'name' | 'address'>): string {
  return safeLine(name ?? address)
}

/** `api-refactor (~alice/cc@s1)`; only the address of whom nobody calls anything. Safe to print. */
export function introduceSession(address: string, names: SessionNames): string {
  const name = names.get(address)
  return safeLine(name === undefined ? address : `${name} (${address})`)
}
