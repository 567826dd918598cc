/**
 * From a producer that pushes to a consumer that pulls, with a bound on what lies in between.
 */

/** What the producer is told about the consumer. */
export interface Consumer {
  /** As much waits as may; stop producing. A few more items that are already on the way are still taken. */
  onFull(): void
  /** The consumer has caught up; go on. */
  onDrained(): void
}

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(error: Error): void
}

/** A queue that ends once, with or without an error; what it holds is handed over first. */
export class ItemQueue<T> {
  #items: { readonly item: T; readonly weight: number }[] = []
  /** The weights of what waits, added up. */
  #weight = 0
  readonly #waiters: Waiter<T>[] = []
  /** Set when the producer is done; its error is thrown once. */
  #end: { error: Error | undefined } | undefined
  /** True between `onFull` and `onDrained`. */
  #full = false
  readonly #capacity: number
  readonly #consumer: Consumer

  constructor(capacity: number, consumer: Consumer) {
    this.#capacity = capacity
    this.#consumer = consumer
  }

  /** @param weight - what the item takes of the capacity, where items differ in size */
  push(item: T, weight = 1): void {
    if (this.#end !== undefined) return
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) return waiter.resolve({ done: false, value: item })
    this.#items.push({ item, weight })
    this.#weight += weight
    if (this.#full || this.#weight < this.#capacity) return
    this.#full = true
    this.#consumer.onFull()
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const first = this.#items.shift()
    if (first === undefined) return this.#wait()
    this.#weight -= first.weight
    if (this.#full && this.#weight <= this.#capacity / 2) {
      this.#full = false
      this.#consumer.onDrained()
    }
    return Promise.resolve({ done: false, value: first.item })
  }

  /** No more items come. */
  end(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    for (const waiter of this.#waiters.splice(0)) settle(waiter, this.#end)
  }

  /** Ends, and forgets what nobody will fetch any more. */
  discard(error?: Error): void {
    this.#items = []
    this.#weight = 0
    this.end(error)
  }

  #wait(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject }
      if (this.#end === undefined) this.#waiters.push(waiter)
      else settle(waiter, this.#end)
    })
  }
}

/** The first waiter gets the error, all others the end. */
function settle<T>(waiter: Waiter<T>, end: { error: Error | undefined }): void {
  if (end.error === undefined) return waiter.resolve({ done: true, value: undefined })
  const { error } = end
  end.error = undefined
  waiter.reject(error)
}
