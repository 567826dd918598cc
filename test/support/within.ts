/**
 * Waiting for something, and never for ever.
 */

/** Far beyond what anything here takes, well below the runner's own bound, so that the message says what. */
const BOUND_MS = 20_000

/** @throws Error that names what was waited for, when it has not come within the bound */
export async function within<T>(promise: Promise<T>, what: string, boundMs = BOUND_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${boundMs} ms in vain for ${what}`)), boundMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Something that changes, and whoever waits for a change. */
export class Changes {
  readonly #waiting = new Set<() => void>()

  /** Something has changed: everybody who waits looks again. */
  tell(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Waits for the next change, whatever it is. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }

  /** Waits until `look` finds something; looks now, and after every change. */
  until<T>(look: () => T | undefined, what: string): Promise<T> {
    const found = new Promise<T>((resolve, reject) => {
      const check = (): void => {
        try {
          const value = look()
          if (value === undefined) return
          this.#waiting.delete(check)
          resolve(value)
        } catch (error) {
          this.#waiting.delete(check)
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      }
      this.#waiting.add(check)
      check()
    })
    return within(found, what)
  }
}
