/**
 * Counts one octet in a stream of chunks.
 *
 * A single octet cannot be cut by a chunk boundary. Deliveries are mostly of one size, so the next one is looked
 * for where it should be first: that costs a few nanoseconds however long a frame is, and the same for everybody.
 * Where it is not there, or the chunk ends before, everything in between is searched.
 */
export class MarkerCounter {
  #marker
  /** The last distance between two markers; 0 before there were two. */
  #stride = 0
  /** Where the last marker was, counted from the start of the next chunk. */
  #last = undefined

  constructor(marker) {
    this.#marker = marker.charCodeAt(0)
  }

  /** @returns how many there are in the first `length` octets */
  feed(buffer, length) {
    let count = 0
    let from = 0
    // What lies behind `length` is an older chunk's; a search must not run on into it.
    if (length < buffer.length) buffer[length] = this.#marker
    for (;;) {
      const due = this.#last === undefined || this.#stride === 0 ? -1 : this.#last + this.#stride
      let at = due
      if (due < from || due >= length || buffer[due] !== this.#marker) {
        at = buffer.indexOf(this.#marker, from)
        if (at === -1 || at >= length) break
        if (this.#last !== undefined) this.#stride = at - this.#last
      }
      count += 1
      this.#last = at
      from = at + 1
    }
    if (this.#last !== undefined) this.#last -= length
    return count
  }
}
