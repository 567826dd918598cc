import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { requireOwnSocket, socketFault } from '../../../src/host/socket/own-socket.ts'
import { runsAsRoot } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const OWN_UID = process.getuid?.() ?? -1

/** A user id that nobody has. */
const STRANGER = 54_321

test('a socket of ours in a folder that nobody else may write will do, and so will nothing at all (HD-20)', async () => {
  await using place = await listenIn('run')
  const { dir, socket } = place

  expect(socketFault(socket)).toBeUndefined()
  expect(socketFault(dir.file('run', 'none.sock'))).toBeUndefined()
  expect(socketFault(dir.file('no-folder', 'a.sock'))).toBeUndefined()
  chmodSync(dir.file('run'), 0o755)
  expect(socketFault(socket)).toBeUndefined()
  requireOwnSocket(socket)
})

test.each([0o777, 0o1777, 0o770, 0o702])(
  'a folder that others may write (mode %o) is refused, whether there is a socket in it or not (HD-20)',
  async (mode) => {
    await using place = await listenIn('run')
    const { dir, socket } = place
    chmodSync(dir.file('run'), mode)

    expect(socketFault(socket)).toContain('others may write the directory')
    expect(socketFault(dir.file('run', 'none.sock'))).toContain('others may write the directory')
    expect(() => requireOwnSocket(socket)).toThrow(HostRefusal)
  },
)

test('a folder above the one of the socket may be open to all, as /tmp is (HD-20)', async () => {
  await using place = await listenIn('open/agentd-1000')
  chmodSync(place.dir.file('open'), 0o1777)

  expect(socketFault(place.socket)).toBeUndefined()
})

test('whoever is somebody else is told whose it is (HD-20)', async () => {
  await using place = await listenIn('run')

  expect(socketFault(place.socket, STRANGER)).toContain(`belongs to uid ${OWN_UID}, not to uid ${STRANGER}`)
})

test('a link of our own is followed, and what it leads to is judged (HD-20)', async () => {
  await using place = await listenIn('run')
  const { dir, socket } = place
  mkdirSync(dir.file('home'), { mode: 0o700 })
  symlinkSync(socket, dir.file('home', 'a.sock'))
  symlinkSync(dir.file('run'), dir.file('linked'))

  expect(socketFault(dir.file('home', 'a.sock'))).toBeUndefined()
  expect(socketFault(dir.file('linked', 'a.sock'))).toBeUndefined()
  chmodSync(dir.file('run'), 0o777)
  expect(socketFault(dir.file('home', 'a.sock'))).toContain('others may write the directory')
  expect(socketFault(dir.file('linked', 'a.sock'))).toContain('others may write the directory')
})

test.runIf(runsAsRoot())('a socket, a folder or a link of another user is refused (HD-20)', async () => {
  await using place = await listenIn('run')
  const { dir, socket } = place
  symlinkSync(dir.file('run'), dir.file('linked'))
  const linked = dir.file('linked', 'a.sock')
  expect(socketFault(linked)).toBeUndefined()

  lchownSync(dir.file('linked'), STRANGER, STRANGER)
  expect(socketFault(linked)).toContain(`the link ${dir.file('linked')} belongs to uid ${STRANGER}`)
  chownSync(socket, STRANGER, STRANGER)
  expect(socketFault(socket)).toContain(`it belongs to uid ${STRANGER}`)
  chownSync(socket, OWN_UID, OWN_UID)
  chownSync(dir.file('run'), STRANGER, STRANGER)
  expect(socketFault(socket)).toContain(`the directory ${dir.file('run')} belongs to uid ${STRANGER}`)
})

interface Place extends AsyncDisposable {
  readonly dir: TempDir
  readonly socket: string
}

/** A socket somebody listens at, in a private folder. */
async function listenIn(folder: string): Promise<Place> {
  const dir = await createTempDir()
  mkdirSync(dir.file(folder), { mode: 0o700, recursive: true })
  const socket = dir.file(folder, 'a.sock')
  const server = createServer().listen(socket)
  await once(server, 'listening')
  return {
    dir,
    socket,
    async [Symbol.asyncDispose]() {
      server.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}
