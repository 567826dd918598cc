/** Where a caller is, as far as the process says that its tools are served to. */

/** What a session that is registered here says about itself. */
export interface CallerPlace {
  readonly cwd?: string | undefined
  readonly pid?: number | undefined
  /** What its repository is called on every machine (FED-68). */
  readonly repositoryId?: string | undefined
}
