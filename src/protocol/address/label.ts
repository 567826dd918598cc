/**
 * How names are spelled, without a schema: for whoever reads names and has no room for a library of schemas.
 *
 * @see memo §2, docs/requirements.md §§1.2, 1.3, ACQ-10, ACQ-30, ACQ-31
 */

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?'

/** `~` and a label; whether it is the pronoun is another question. */
export const HANDLE_PATTERN = new RegExp(`^~${LABEL}$`)
export const LABEL_PATTERN = new RegExp(`^${LABEL}$`)
export const SESSION_ID_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/

/** A role in an organisation; it has neither a dot nor a slash. */
export const ROLE_PATTERN = /^[a-z0-9][a-z0-9_-]*$/

/** The parts of an address: handle, instrument, session id. */
const ADDRESS_PATTERN = new RegExp(`^(~${LABEL})/(${LABEL})@([A-Za-z0-9._:-]{1,128})$`)

/** Whether a string is the body of a handle, an instrument or the name of a machine: 1 to 32 of `a-z 0-9 -`. */
export function isLabel(text: string): boolean {
  return LABEL_PATTERN.test(text)
}

/** A session's address, taken apart. */
export interface AddressParts {
  readonly handle: string
  readonly instrument: string
  readonly sessionId: string
}

/** @returns undefined for what is no `~handle/<instrument>@<session-id>` */
export function readAddress(text: string): AddressParts | undefined {
  const [, handle, instrument, sessionId] = ADDRESS_PATTERN.exec(text) ?? []
  if (handle === undefined || instrument === undefined || sessionId === undefined) return undefined
  return { handle, instrument, sessionId }
}
