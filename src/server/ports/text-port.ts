/** Where the texts of handovers are kept that fit into no frame; the daemon fills it. */

/** A text that was kept, for a frame that is yet to be sent. */
export interface KeptText {
  /** The file it stands in. */
  readonly path: string
  readonly octets: number
  /** The frame that points to it was accepted: it stays as long as that. */
  settle(frameId: string): void
  /** There is no such frame. */
  discard(): void
}

export interface TextPort {
  /**
   * Writes a text of at most `MAX_HANDOVER_OCTETS` onto the disk, for its owner alone.
   *
   * @throws AgentdError `store-full` where there is no room, or as many are kept as may be
   */
  keep(text: string): Promise<KeptText>
  /**
   * The text that one of some pointers leads to; undefined where none leads to one.
   *
   * @throws AgentdError `not-found` for one that was forgotten
   */
  read(pointers: readonly string[]): Promise<string | undefined>
}
