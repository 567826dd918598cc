/** Whose process connects over the loopback, as the kernel lists it (SEAT-14). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { createServer, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import {
  findUidIn,
  loadLoopbackPeers,
  MAX_TABLE_OCTETS,
  type ConnectionEnds,
  type FindLoopbackUid,
} from '../../../src/host/socket/loopback-peer.ts'
import { runsAsRoot, runsOnLinux } from '../../support/needs.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'

/** A user id that nobody has. */
const STRANGER = 54_321

const OWN_UID = process.getuid?.() ?? -1

async function loadFind(): Promise<FindLoopbackUid> {
  const find = await loadLoopbackPeers(process.platform, OWN_UID)
  if (find === undefined) throw new Error('the kernel does not say who connects')
  return find
}

/** A listener that looks at who comes. */
async function openListener(find: FindLoopbackUid) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    port,
    async next(): Promise<number | undefined> {
      const [socket]: Socket[] = await within(once(server, 'connection'), 'a connection')
      const uid = socket && find(socket)
      socket?.destroy()
      return uid
    },
    [Symbol.dispose]: () => void server.close(),
  }
}

test.runIf(runsOnLinux('/proc'))(
  'whoever connects from this process is this user, 64 at a time (SEAT-14)',
  async () => {
    using listener = await openListener(await loadFind())
    const found: (number | undefined)[] = []

    for (let made = 0; made < 64; made += 1) {
      const next = listener.next()
      connect(listener.port, '127.0.0.1').on('error', () => {})
      found.push(await next)
    }

    expect(found).toEqual(Array.from({ length: 64 }, () => OWN_UID))
  },
)

test.runIf(runsOnLinux('/proc'))(
  'each of more connections than are read at once is found among the others (SEAT-14)',
  async () => {
    const find = await loadFind()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const sockets: Socket[] = []

    for (let made = 0; made < 100; made += 1) {
      const next = once(server, 'connection')
      connect(port, '127.0.0.1').on('error', () => {})
      const [socket]: Socket[] = await within(next, 'a connection')
      if (socket !== undefined) sockets.push(socket)
    }

    expect(sockets.map((socket) => find(socket))).toEqual(Array.from({ length: 100 }, () => OWN_UID))
    for (const socket of sockets) socket.destroy()
    server.close()
  },
)

test.runIf(runsOnLinux('/proc'))('so is whoever writes the address as one of IPv6 (SEAT-14)', async () => {
  using listener = await openListener(await loadFind())

  const next = listener.next()
  connect(listener.port, '::ffff:127.0.0.1').on('error', () => {})

  expect(await next).toBe(OWN_UID)
})

test.runIf(runsOnLinux('/proc') && runsAsRoot())(
  'another user is told as that, by either address (SEAT-14)',
  async () => {
    using listener = await openListener(await loadFind())
    const found: (number | undefined)[] = []

    for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
      const next = listener.next()
      const program = `require('node:net').connect(${listener.port}, '${host}').on('error', () => {}).on('close', () => process.exit())`
      const options = { uid: STRANGER, gid: STRANGER, cwd: '/', stdio: 'ignore' } as const
      spawn(process.execPath, ['-e', program], { ...options, env: {} })
      found.push(await next)
    }

    expect(found).toEqual([STRANGER, STRANGER])
  },
)

test.runIf(runsOnLinux('/proc'))(
  'a connection that is over is nobody’s, and must be refused (SEAT-14)',
  async () => {
    const find = await loadFind()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
    const [socket]: Socket[] = await within(once(server, 'connection'), 'a connection')
    socket?.on('error', () => {})

    client.resetAndDestroy()
    await within(once(client, 'close'), 'the end of the connection')

    expect(socket && find(socket)).toBeUndefined()
    server.close()
  },
)

test('where it is not Linux, or its table says something else, nobody is asked (SEAT-14)', async () => {
  expect(await loadLoopbackPeers('darwin', OWN_UID)).toBeUndefined()
  expect(await loadLoopbackPeers('linux', OWN_UID + 1)).toBeUndefined()
})

/** Two ends, as the one at port 8080 sees them, and the row of the other end. */
const ENDS: ConnectionEnds = {
  remoteAddress: '127.0.0.1',
  remotePort: 40_000,
  localAddress: '127.0.0.1',
  localPort: 8_080,
}
const LOOPBACK = endianness() === 'LE' ? '0100007F' : '7F000001'
const tableRow = (here: number, there: number, uid: number): string =>
  `   0: ${[here, there].map((port) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 1 1 0000000000000000 20 4 30 10 -1\n`

test('what is read of a table for one connection is bounded, and who stands behind the bound is refused (SEAT-14)', async () => {
  await using dir = await createTempDir()
  const crowd = tableRow(40_001, 8_080, STRANGER)
  const own = tableRow(40_000, 8_080, OWN_UID)
  const most = Math.floor((MAX_TABLE_OCTETS - own.length) / crowd.length)
  writeFileSync(dir.file('within'), crowd.repeat(most) + own)
  writeFileSync(dir.file('beyond'), crowd.repeat(most + 1) + own)

  expect(findUidIn([dir.file('within')])(ENDS)).toBe(OWN_UID)
  expect(findUidIn([dir.file('beyond')])(ENDS)).toBeUndefined()
  // A crowd in one of them is not in the way of the other.
  expect(findUidIn([dir.file('beyond'), dir.file('within')])(ENDS)).toBe(OWN_UID)
  expect(findUidIn([dir.file('none')])(ENDS)).toBeUndefined()
})
