/**
 * The page's process as `agentd ui` puts it together, which also serves an empty page, at a port of its own.
 *
 *   node seat-member.mjs <root> <socket> <principal> <folder>
 *
 * Doors open at `page.door` and `empty.door` in the folder, and `ready` is said when they have.
 */
import { join } from 'node:path'

const [root, socketPath, principal, folder] = process.argv.slice(2)
const { startSeat } = await import(join(root, 'dist/ui/serve/seat-process.js'))
const { readPageFiles } = await import(join(root, 'dist/ui/serve/files.js'))
const { listenPrivately } = await import(join(root, 'dist/host/socket/listener.js'))
const { loadLoopbackPeers } = await import(join(root, 'dist/host/socket/loopback-peer.js'))
const { systemClock } = await import(join(root, 'dist/core/clock.js'))

const uid = process.getuid()
const findUid = await loadLoopbackPeers(process.platform, uid)
const nothing = () => {}
const EMPTY = Buffer.from('<!doctype html><html lang="en"><title>empty</title></html>')

const pages = {
  page: readPageFiles(join(root, 'dist/ui/page')),
  empty: new Map([['/', { status: 200, mediaType: 'text/html; charset=utf-8', bytes: EMPTY }]]),
}

for (const [name, files] of Object.entries(pages)) {
  await startSeat({
    socketPath,
    principal,
    clientParts: { clock: systemClock, random: Math.random },
    isOwnPeer: findUid && ((socket) => findUid(socket) === uid),
    readFiles: () => files,
    log: { info: nothing, warn: nothing, error: nothing },
    idleMs: 600_000,
    editor: 'none',
    notify: 'off',
    bindDoor: (server) => listenPrivately(server, join(folder, `${name}.door`)),
    folder,
  })
}
process.on('SIGTERM', () => process.exit(0))
process.stdout.write('ready\n')
