/**
 * Who is at the other end of a connection, as the kernel says.
 *
 * Node has no call for it, so it goes through koffi, which is optional: without it the modes of directory and
 * socket stand alone, and `/v1/health` says which it is.
 *
 * What it says is of the moment the other side connected, and never changes; so it is asked once for a connection.
 *
 * @see docs/reliability.md §0 finding 7; docs/http.md §2; HD-01, HD-04, HD-05
 */
import type { Socket } from 'node:net'

/** The process at the other end of a connection, as it was when it connected. */
export interface Peer {
  readonly uid: number
  /** Undefined for a process that this machine's numbers do not reach, as in another container. */
  readonly pid: number | undefined
}

/** Who is at the other end of a connection; undefined when the system does not say. */
export type FindPeer = (socket: Socket) => Peer | undefined

/** Linux: SOL_SOCKET and SO_PEERCRED of socket(7); `struct ucred` is pid, uid, gid, 32 bits each. */
const SOL_SOCKET = 1
const SO_PEERCRED = 17
const UCRED_BYTES = 12
const PID_OFFSET = 0
const UID_OFFSET = 4

/** @returns undefined where peer credentials cannot be had: koffi is not installed, or this is not Linux */
export async function loadPeerCredentials(platform: NodeJS.Platform): Promise<FindPeer | undefined> {
  if (platform !== 'linux') return undefined
  try {
    const { default: koffi } = await import('koffi')
    const getsockopt = koffi
      .load(null)
      .func('int getsockopt(int fd, int level, int name, void *value, _Inout_ uint32_t *length)')
    return onceEach((socket) => {
      const fd = descriptorOf(socket)
      const credentials = Buffer.alloc(UCRED_BYTES)
      if (fd === undefined || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, [UCRED_BYTES]) !== 0)
        return undefined
      const pid = credentials.readInt32LE(PID_OFFSET)
      return { uid: credentials.readUInt32LE(UID_OFFSET), pid: pid > 0 ? pid : undefined }
    })
  } catch {
    // Not installed, or its binary does not fit: either way there is nothing to ask.
    return undefined
  }
}

/** Asks for each connection once; what was learnt goes with it. */
export function onceEach(ask: FindPeer): FindPeer {
  const known = new WeakMap<Socket, Peer>()
  return (socket) => {
    const found = known.get(socket) ?? ask(socket)
    if (found !== undefined) known.set(socket, found)
    return found
  }
}

/** Not documented by Node, so everything about it is checked. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  return typeof fd === 'number' && fd >= 0 ? fd : undefined
}
