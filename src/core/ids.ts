/**
 * The identifiers agentd makes: frame ids, session ids, tokens, epochs.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { ulid } from 'ulid'

/** A version-4 UUID, lower case: the form of frame, query, lease and diagnostic ids (AC-008). */
export function newUuid(): string {
  return randomUUID()
}

/** A ULID: a session id that sorts by the time it was made. */
export function newSessionId(): string {
  return ulid()
}

/** 256 random bits, base64url: a session's bearer token. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Eight random hex digits that name one life of the sequence counter (ACQ-21). */
export function newEpoch(): string {
  return randomBytes(4).toString('hex')
}
