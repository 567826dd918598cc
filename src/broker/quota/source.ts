/**
 * Where something comes from, as far as what it takes is counted: a process where the kernel names it (HD-05).
 */

/** Whoever asks for something; a caller is one. */
export interface Asking {
  readonly principal: string
  readonly session: { readonly address: string } | undefined
  readonly peerPid?: number | undefined
}

/** A process by its number, a session by its address, or the principal. */
export type Source = number | string

/** What stands for whoever asks; the sessions of one process are one. */
export function sourceOf({ peerPid, session, principal }: Asking): Source {
  return peerPid ?? session?.address ?? principal
}
