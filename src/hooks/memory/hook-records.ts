/** Where what hooks remember is written down; a port, since a daemon may have no disk. */
export interface HookRecords {
  /** Every text that was written. */
  all(): readonly string[]
  save(key: string, text: string): void
  remove(key: string): void
}

/** Writes nothing down: of a daemon that keeps everything in memory. */
export const forgetfulRecords: HookRecords = {
  all: () => [],
  save() {},
  remove() {},
}
