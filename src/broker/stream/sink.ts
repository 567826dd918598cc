/** Where a subscription's bytes go. The server's is a socket; a test's is an array. */
export interface Sink {
  /** @returns false when the reader is behind and `drained` will be called once it is not */
  write(chunks: readonly Buffer[]): boolean
  /** Bytes accepted and not yet taken by the reader. */
  readonly backlogBytes: number
  /** Writes the last bytes and closes; cuts the connection when they are not taken soon. */
  end(last: Buffer): void
}
