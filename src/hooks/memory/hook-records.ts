/** The texts of some sessions, each behind its key. */
export type HookTexts = Iterable<readonly [key: string, text: string]>

/** Where what hooks remember is written down; a port, since a daemon may have no disk. */
export interface HookRecords {
  /** Another one when what was written is gone, as with a store that was set aside. */
  readonly epoch: string
  /** Every text that was written. */
  all(): readonly string[]
  /** Writes these down, all of them at once. */
  save(texts: HookTexts): void
  remove(key: string): void
}

/** Writes nothing down: of a daemon that keeps everything in memory. */
export const forgetfulRecords: HookRecords = {
  epoch: '',
  all: () => [],
  save() {},
  remove() {},
}
