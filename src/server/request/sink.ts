/**
 * The socket end of a subscription: unchunked writes straight to the connection, one per turn.
 */
import type { Socket } from 'node:net'
import type { Sink } from '../../broker/stream/sink.ts'
import { toMemoProfile } from '../../protocol/sse/memo-profile.ts'

/** How long the last bytes may take before the connection is cut, in milliseconds. */
const GOODBYE_MS = 2_000

export class SocketSink implements Sink {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get backlogBytes(): number {
    return this.#socket.writableLength
  }

  write(chunks: readonly Buffer[]): boolean {
    const socket = this.#socket
    if (socket.destroyed) return true
    if (chunks.length > 1) socket.cork()
    for (const chunk of chunks) socket.write(chunk)
    if (chunks.length > 1) socket.uncork()
    // What the kernel took at once has left `writableLength` already; only the rest is backlog.
    return socket.writableLength < socket.writableHighWaterMark
  }

  end(last: Buffer): void {
    const socket = this.#socket
    if (socket.destroyed) return
    socket.end(last)
    const cut = setTimeout(() => socket.destroy(), GOODBYE_MS)
    cut.unref()
    socket.once('close', () => clearTimeout(cut))
  }
}

/** Chunks are shared between readers: one of this profile gets a copy. */
function inProfile(chunk: Buffer): Buffer {
  return Buffer.from(toMemoProfile(chunk.toString()))
}

/** The sink of a stream with `profile=memo`: what is written to it comes out as the memo has it. */
export function memoSink(sink: Sink): Sink {
  return {
    get backlogBytes() {
      return sink.backlogBytes
    },
    write: (chunks) => sink.write(chunks.map(inProfile)),
    end: (last) => sink.end(inProfile(last)),
  }
}
