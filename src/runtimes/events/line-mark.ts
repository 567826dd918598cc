/**
 * How a line of agentd's own begins, so that no text of a peer's can pass for one.
 */
import { randomBytes } from 'node:crypto'

/** `[agentd 9c1f2a77]`: another one for each text; nobody can have guessed it (R-39, HD-18). */
export function lineMark(): string {
  return `[agentd ${randomBytes(4).toString('hex')}]`
}
