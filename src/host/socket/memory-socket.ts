/**
 * A connection that never leaves this process: two ends, each of which reads what the other writes, with the bounds that
 * streams have.
 *
 * HTTP runs over it as over a socket of the kernel's, so that a part of the daemon can be a client of the daemon without
 * a descriptor, and with no other contract than everybody's.
 */
import { Duplex } from 'node:stream'

/** What a write to an end that nobody reads any more fails with. */
class OtherEndGone extends Error {
  override readonly name = 'OtherEndGone'
  readonly code = 'EPIPE'
}

/** One end. */
export class MemorySocket extends Duplex {
  /** The process that is spoken for at the other end, as the kernel said of whoever asked for it. */
  readonly peerPid: number | undefined
  #other: MemorySocket | undefined
  /** Set while the other end has written more than is read; called when there is room again. */
  #makeRoom: ((error?: Error) => void) | undefined

  private constructor(peerPid: number | undefined) {
    super({ allowHalfOpen: false })
    this.peerPid = peerPid
  }

  /** Both ends of a new connection. @param peerPid - of the process for which one of them speaks */
  static pair(peerPid: number | undefined): readonly [MemorySocket, MemorySocket] {
    const [one, other] = [new MemorySocket(peerPid), new MemorySocket(peerPid)]
    one.#other = other
    other.#other = one
    return [one, other]
  }

  override _read(): void {
    const makeRoom = this.#makeRoom
    this.#makeRoom = undefined
    makeRoom?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const other = this.#other
    if (other === undefined || other.destroyed || other.readableEnded) return done(new OtherEndGone())
    if (other.push(chunk)) done()
    else other.#makeRoom = done
  }

  override _final(done: () => void): void {
    if (this.#other?.destroyed === false) this.#other.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other
    this.#other = undefined
    this.#makeRoom?.(new OtherEndGone())
    this.#makeRoom = undefined
    // Whoever has said all lets the other end read it; torn away, a connection is torn for both.
    if (other?.destroyed === false && !this.writableFinished) setImmediate(() => other.destroy())
    done(error)
  }

  // What HTTP asks of a socket of the kernel's, which has no meaning here.

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setTimeout(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
