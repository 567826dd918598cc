/**
 * What has been taken and is to be given back: in reverse, once, and the rest of it even where one step fails.
 *
 * What `AsyncDisposableStack` is in later Nodes.
 */

/** Gives one thing back. */
export type Cleanup = () => void | Promise<void>

export class CleanupStack {
  readonly #steps: Cleanup[] = []
  #closed: Promise<void> | undefined

  /** To be called as soon as a thing is held, before anything else can fail. */
  defer(cleanup: Cleanup): void {
    this.#steps.push(cleanup)
  }

  /**
   * Gives everything back, each step after the one before it has ended. Repeated, it gives the same promise.
   *
   * @throws the first error of a step, after all of them have run
   */
  close(): Promise<void> {
    this.#closed ??= this.#run()
    return this.#closed
  }

  async #run(): Promise<void> {
    const errors: unknown[] = []
    for (const cleanup of this.#steps.toReversed()) {
      try {
        await cleanup()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
