/** A process as this machine shows it, and which are asked for. */

/** A process whose directory is in one of the folders. */
export interface ObservedProcess {
  readonly pid: number
  readonly parentPid: number | undefined
  readonly cwd: string
  /** What it may be called: its program, what it calls itself, and the script that an interpreter runs. */
  readonly names: readonly string[]
  /** Wall time in milliseconds; undefined where the system does not say it cheaply. */
  readonly startedMs: number | undefined
}

/** Which processes are meant. */
export interface ProcessWish {
  /** Absolute folders without links. */
  readonly roots: readonly string[]
  /** These wherever they work. */
  readonly pids: ReadonlySet<number>
}

/** Whether a directory is one of the folders, or in one. */
export function isWithin(cwd: string, roots: readonly string[]): boolean {
  return roots.some((root) => cwd === root || cwd.startsWith(root.endsWith('/') ? root : `${root}/`))
}
