/**
 * Handles, tiers, instruments and sessions: the names everything else is built from.
 *
 * @see memo §2, docs/requirements.md §§1.2, 1.3, ACQ-10, ACQ-11, ACQ-30, ACQ-31
 */
import { matching } from '../fields.ts'
import { HANDLE_PATTERN, LABEL_PATTERN, SESSION_ID_PATTERN } from './label.ts'

const TOOL_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/

/** The session-scoped reference of the identity-pronouns memo; only a client may resolve it (ACQ-10). */
const PRONOUN = '~org'

/** The instrument a stream without a token stands for, unless it says otherwise (docs/http.md §6). */
export const VISITOR_INSTRUMENT = 'cli'

/** The instrument of a terminal in which `agentd tail --listen` shows what comes (docs/http.md §5). */
export const TERMINAL_INSTRUMENT = 'terminal'

/** What an artificial-intelligence runtime's handle conventionally begins with (docs/requirements.md §1.3). */
const INSTRUMENT_PREFIXES = ['~cc-', '~gpt-', '~gemini-', '~llama-', '~claude-', '~mistral-']

/** Whether a string is a canonical `~handle` that may stand on the wire. */
export function isHandle(text: string): boolean {
  return HANDLE_PATTERN.test(text) && text !== PRONOUN
}

/** Whether a handle wears one of the conventional instrument prefixes: a custom, which proves nothing (ACQ-11). */
export function looksLikeInstrument(handle: string): boolean {
  return INSTRUMENT_PREFIXES.some((prefix) => handle.startsWith(prefix))
}

/** Whether a string is an instrument identifier: a handle's body without the tilde (ACQ-30). */
export function isInstrument(text: string): boolean {
  return LABEL_PATTERN.test(text)
}

/** Whether a string is a session id that a scope can name (ACQ-31). */
export function isSessionId(text: string): boolean {
  return SESSION_ID_PATTERN.test(text)
}

/** Whether a string is a tool class (ACQ-29). */
export function isToolClass(text: string): boolean {
  return TOOL_PATTERN.test(text)
}

/** What the instrument of a person's own seat begins with, such as `human` or `human-term` (docs/http.md §5). */
const PERSON_PREFIX = 'human'

/** Whether an instrument is a person's own seat, and no agent. */
export function isPersonInstrument(instrument: string): boolean {
  return instrument.startsWith(PERSON_PREFIX)
}

/** Whether an instrument is a terminal that shows what comes (`agentd tail --listen`), and no agent. */
export function isTerminalInstrument(instrument: string): boolean {
  return instrument === TERMINAL_INSTRUMENT
}

/** Whether an address is of a terminal: nothing answers there by itself. */
export function isTerminalAddress(address: string): boolean {
  return isTerminalInstrument(address.slice(address.indexOf('/') + 1, address.indexOf('@')))
}

/** The handle in an address. */
export function handleOf(address: string): string {
  return address.slice(0, address.indexOf('/'))
}

/** `~alice/cc-opus@s1`: the address of one session. */
export function formatAddress(handle: string, instrument: string, sessionId: string): string {
  return `${handle}/${instrument}@${sessionId}`
}

/** `~` and 1 to 32 of `a-z 0-9 -`, no hyphen at either end, never the pronoun `~org`. */
export const Handle = matching(HANDLE_PATTERN, 'must be a canonical handle such as ~alice').refine(
  (handle) => handle !== PRONOUN,
  'must not be the pronoun ~org; the client resolves it first',
)

export const Instrument = matching(LABEL_PATTERN, 'must be an instrument such as cc-opus-4-6')
export const SessionId = matching(SESSION_ID_PATTERN, 'must be 1 to 128 of A-Z a-z 0-9 . _ : -')
export const ToolClass = matching(TOOL_PATTERN, 'must be a tool class such as cc or codex')
