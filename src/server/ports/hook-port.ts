/** Who answers the hooks of agent runtimes; the daemon fills it when it is first asked for. */

/** One event as it came. */
export interface HookRequest {
  readonly runtime: string
  readonly payload: Uint8Array
  readonly surroundings: string | undefined
  readonly peerPid: number | undefined
}

/** What is to be printed, and what came of that. */
export interface HookReply {
  readonly text: string
  written(): void
  givenUp(): void
}

/** What is known of a runtime's hooks. */
export interface HookStatus {
  /** Wall time in milliseconds; undefined for none that is remembered. */
  readonly lastHeardMs: number | undefined
  readonly sessions: number
  readonly session: { readonly address: string; readonly token: string } | undefined
}

export interface HookPort {
  knows(runtime: string): boolean
  /** @throws AgentdError `field-invalid` for what is no JSON */
  answer(request: HookRequest): Promise<HookReply | undefined>
  /** @param answer - called once @returns a function that gives the wait up */
  wait(runtime: string, sessionId: string, answer: (reply: HookReply | undefined) => void): () => void
  status(runtime: string, sessionId: string | undefined): HookStatus
}
