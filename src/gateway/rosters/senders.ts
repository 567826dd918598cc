/**
 * Sessions by pattern, as the configuration names them: `*`, `cc-*` by the instrument, `~alice/cc-x@s1` or the beginning of
 * an address, `repository:<id>`.
 *
 * @see FED-61, FED-63
 */

import type { Session } from '../../broker/session/session.ts'
import { covers } from './covers.ts'

/** Who sent something. */
export interface Sender {
  /** Undefined where the person sent it. */
  readonly senderAddress: string | undefined
  readonly senderHandle: string
  /** The repository of its session, where it has told. */
  readonly repositoryId: () => string | undefined
}

const REPOSITORY = 'repository:'

/** Whether a pattern names the sender. What the person sent, `*` and the person's handle name. */
export function isFrom(pattern: string, { senderAddress, senderHandle, repositoryId }: Sender): boolean {
  if (pattern === '*') return true
  if (pattern.startsWith(REPOSITORY)) return repositoryId() === pattern.slice(REPOSITORY.length)
  if (pattern.startsWith('~')) return covers(pattern, senderAddress ?? senderHandle)
  return senderAddress !== undefined && covers(pattern, instrumentOf(senderAddress))
}

function instrumentOf(address: string): string {
  return address.slice(address.indexOf('/') + 1, address.lastIndexOf('@'))
}

/** The repository that a session has told of, by the name that it has on every machine (FED-68). */
export function repositoryIdOf(session: Session | undefined): string | undefined {
  const told: unknown = session === undefined ? undefined : Reflect.get(session.facts, 'repositoryId')
  return typeof told === 'string' ? told : undefined
}
