/**
 * Who may speak in a realm: whoever the documents that are in force name, with the key that they name.
 *
 * @see FED-41, FED-43, FED-45
 */
import type { AgentdError } from '../../core/errors.ts'

/** A machine of a realm. */
export interface SpeakerAt {
  /** `~bob` */
  readonly handle: string
  /** Its label: `box`. */
  readonly node: string
  /** Under an accord, of which of the two organisations: `~acme`. */
  readonly org?: string | undefined
}

/** Whose word a batch or a presence is. */
export interface Speaker {
  /** The Sovereign handle whose machine it is. */
  readonly principal: string
  /** The machine as the broker calls it: `box`, `~bob/box`. */
  readonly node: string
  /** It signs with this: 32 bytes as base64url. */
  readonly key: string
}

export interface Voucher {
  /** Of the document that says who is in the realm. */
  readonly authorityEpoch: number
  /**
   * @param engineMs - when the engine took what was said
   * @returns why it has no say, as a refusal; `unknown` where its own word on which machines it has did not come yet
   */
  speakerOf(at: SpeakerAt, engineMs: number): Speaker | AgentdError | 'unknown'
}
