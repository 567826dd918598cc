/**
 * What the pipe sends lines to and gets them from: the daemon over one request, or a server in this process.
 */

/** What a link tells. */
export interface LinkEvents {
  /** A line without its end. */
  readonly onLine: (line: Buffer) => void
  /** Anything at all came. */
  readonly onHeard: () => void
  /** Called once, when it ends by itself, with a clause that says how. */
  readonly onLost: (how: string) => void
}

/** One link. */
export interface Link {
  /** Sends a line without its end. @returns false when the other side has to be waited for */
  write(line: Buffer): boolean
  /** Resolves when more may be written, or never will. */
  drained(): Promise<void>
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Says that no more comes; resolves when the other side has ended too. */
  end(): Promise<void>
  /** Tears it away. `onLost` is not told. */
  drop(): void
}

/** Why there is no link. */
export type NoLinkKind =
  /** Nobody listens. */
  | 'absent'
  /** Somebody listens, and says nothing. */
  | 'silent'
  /** There is no room just now. */
  | 'busy'
  /** It will not have this pipe. */
  | 'refused'

export class NoLink extends Error {
  override readonly name = 'NoLink'
  readonly kind: NoLinkKind

  /** @param message - a sentence for the person */
  constructor(kind: NoLinkKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
