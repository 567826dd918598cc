/**
 * Whose process is at the other end of a connection over the loopback, as the kernel's own table of connections says.
 *
 * A port of this machine is open to every user of it. The kernel lists both ends of a connection with the user each belongs
 * to; so whoever has connected can be told before it is listened to.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-14
 */
import { once } from 'node:events'
import { closeSync, openSync, readSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { endianness } from 'node:os'
import { systemErrorCode } from '../../core/thrown.ts'

/** Where both ends of a connection are. */
export type ConnectionEnds = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/** The user at the other end; undefined for a connection that the kernel does not list, which must be refused. */
export type FindLoopbackUid = (socket: ConnectionEnds) => number | undefined

/** Both, since a socket of IPv6 can connect to an address of IPv4. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** How a table writes that a connection stands. Of one that is over it no longer names the user. */
const ESTABLISHED = '01'

/** Columns of a row: number, here, there, state; the user is the eighth. */
const HERE = 1
const THERE = 2
const STATE = 3
const UID = 7

/** How a table writes addresses: four octets at a time, as the machine has them in memory. */
const IS_REVERSED = endianness() === 'LE'

/** What stands before an IPv4 address in a table of IPv6. */
const MAPPED = IS_REVERSED ? '0000000000000000FFFF0000' : '00000000000000000000FFFF'

/**
 * What of a table is read for one connection, in octets: some seven thousand rows. Whoever fills it with connections of
 * their own makes this process read no more for each; a connection that stands further down is nobody's, and is refused.
 */
export const MAX_TABLE_OCTETS = 1_048_576

/** Octets read at once; the kernel gives about half of that, and whole rows. */
const READ_OCTETS = 8_192

/** How long a connection to oneself may take, in milliseconds. */
const TRY_MS = 1_000

/** @returns undefined where nobody can be asked: this is not Linux, or its table does not show what it should */
export async function loadLoopbackPeers(
  platform: NodeJS.Platform,
  uid: number,
): Promise<FindLoopbackUid | undefined> {
  if (platform !== 'linux') return undefined
  // What a container or a hardened system shows of its table is seen best by looking for oneself in it.
  const findUid = findUidIn(TABLES)
  return (await findOneself(findUid)) === uid ? findUid : undefined
}

/** @param tables - paths of them */
export function findUidIn(tables: readonly string[]): FindLoopbackUid {
  return ({ remoteAddress, remotePort, localAddress, localPort }) => {
    if (remotePort === undefined || localPort === undefined) return undefined
    // A row is written from its own end: what is remote here is local there.
    const here = endpoint(remoteAddress, remotePort)
    const there = endpoint(localAddress, localPort)
    return here === undefined || there === undefined ? undefined : lookUp(here, there, tables)
  }
}

/** The row of the other end in any of the tables. */
function lookUp(here: string, there: string, tables: readonly string[]): number | undefined {
  for (const table of tables) {
    for (const row of rowsOf(table)) {
      // Most rows are another's, and cutting one up costs more than this.
      if (!row.includes(here)) continue
      const columns = row.trim().split(/\s+/)
      const isIt =
        isEnd(columns[HERE], here) && isEnd(columns[THERE], there) && columns[STATE] === ESTABLISHED
      const uid = Number(columns[UID])
      if (isIt && Number.isInteger(uid)) return uid
    }
  }
  return undefined
}

function isEnd(column: string | undefined, endpoint: string): boolean {
  return column === endpoint || column === MAPPED + endpoint
}

/**
 * The rows of a table within {@link MAX_TABLE_OCTETS}, read no further than they are asked for: the kernel looks for the next
 * ones through room for hundreds of thousands, and needs as long again to say that there are no more.
 */
function* rowsOf(path: string): Generator<string, void> {
  let table: number | undefined
  try {
    table = openSync(path, 'r')
    const part = Buffer.allocUnsafe(READ_OCTETS)
    let rest = ''
    for (let octets = 0; octets < MAX_TABLE_OCTETS;) {
      const length = readSync(table, part, 0, Math.min(READ_OCTETS, MAX_TABLE_OCTETS - octets), null)
      if (length === 0) return
      octets += length
      const rows = (rest + part.toString('latin1', 0, length)).split('\n')
      rest = rows.pop() ?? ''
      yield* rows
    }
  } catch (error) {
    // A system without IPv6 has one table, and one that hides them none.
    if (systemErrorCode(error) === undefined) throw error
  } finally {
    if (table !== undefined) closeSync(table)
  }
}

/** `0100007F:1F90` of `127.0.0.1` and 8080. */
function endpoint(address: string | undefined, port: number): string | undefined {
  const octets = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address ?? '')?.slice(1)
  if (octets === undefined) return undefined
  const ordered = IS_REVERSED ? octets.toReversed() : octets
  return `${ordered.map((octet) => hex(Number(octet), 2)).join('')}:${hex(port, 4)}`
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0')
}

/** Who the table says connects when this process does. */
async function findOneself(findUid: FindLoopbackUid): Promise<number | undefined> {
  const server = createServer().listen(0, '127.0.0.1')
  try {
    await once(server, 'listening', { signal: AbortSignal.timeout(TRY_MS) })
    const arrived = once(server, 'connection', { signal: AbortSignal.timeout(TRY_MS) })
    const own = connect(portOf(server.address()), '127.0.0.1')
    own.on('error', () => {})
    const [socket]: Socket[] = await arrived
    const uid = socket && findUid(socket)
    socket?.destroy()
    own.destroy()
    return uid
  } catch {
    // A machine without a loopback, or out of descriptors: nobody can be asked.
    return undefined
  } finally {
    server.close()
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
