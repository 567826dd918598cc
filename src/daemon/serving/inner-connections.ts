/**
 * Connections of the daemon to itself: what is served in this process speaks the contract that everybody speaks, over
 * memory instead of the kernel.
 *
 * They take no descriptor and no place among the connections that are admitted, and are bounded by who opens them.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MemorySocket } from '../../host/socket/memory-socket.ts'

export class InnerConnections {
  /** Set once, before anybody can ask for one. */
  #server: Server | undefined

  /** Whose connections they are. */
  serve(server: Server): void {
    this.#server = server
  }

  /** A new one. @param peerPid - of the process that is spoken for */
  dial(peerPid: number | undefined): Duplex {
    const [near, far] = MemorySocket.pair(peerPid)
    this.#server?.emit('connection', far)
    return near
  }

  /** Whether a connection is one of these. */
  static has(socket: Socket): boolean {
    return innerEnd(socket) !== undefined
  }

  /** The process that is spoken for; undefined for a connection of the kernel's. */
  static peerPidOf(socket: Socket): number | undefined {
    return innerEnd(socket)?.peerPid
  }
}

/** Node's server takes any stream for a connection, and calls it a socket. */
function innerEnd(socket: Duplex): MemorySocket | undefined {
  return socket instanceof MemorySocket ? socket : undefined
}
