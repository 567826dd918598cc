/**
 * An answer that goes on, as a stream for somebody who knows no HTTP: what is not taken in time cuts the connection.
 *
 * @see R-35
 */
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { cutUnlessTaken } from './problem.ts'

export class TakenInTime extends Writable {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    super()
    this.#response = response
    response.once('close', () => this.destroy())
    // What is said to who has gone is nobody's loss, and no defect.
    this.on('error', () => this.destroy())
  }

  /** What is written and not taken, in octets. */
  get heldOctets(): number {
    return this.writableLength + this.#response.writableLength
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#response.write(chunk)) return done()
    const taken = cutUnlessTaken(this.#response)
    this.#response.once('drain', () => {
      taken()
      done()
    })
  }

  override _final(done: () => void): void {
    this.#response.end()
    done()
  }
}
