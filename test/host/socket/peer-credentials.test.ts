/** Who is at the other end of a connection, as the kernel says (HD-01, HD-04, HD-05). */
import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { loadPeerCredentials, onceEach } from '../../../src/host/socket/peer-credentials.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** Both ends of one connection within this process. */
async function connected(path: string): Promise<{ near: Socket; far: Socket; close: () => void }> {
  const server = createServer().listen(path)
  await once(server, 'listening')
  const far = connect(path)
  const [near]: Socket[] = await once(server, 'connection')
  if (near === undefined) throw new Error('nobody connected')
  return { near, far, close: () => [near.destroy(), far.destroy(), server.close()] }
}

test('the kernel names the process and the user at the other end, where it is asked at all (HD-01)', async () => {
  await using dir = await createTempDir()
  const find = await loadPeerCredentials(process.platform)
  const { near, close } = await connected(dir.file('s'))
  const peer = find?.(near)
  close()
  expect(peer).toEqual(find && { uid: process.getuid?.(), pid: process.pid })
})

test('no system but Linux is asked (HD-04)', async () => {
  expect(await loadPeerCredentials('darwin')).toBeUndefined()
})

test('the kernel is asked once for each connection, however many requests it carries (HD-05)', async () => {
  await using dir = await createTempDir()
  let asked = 0
  const find = onceEach(() => {
    asked += 1
    return { uid: 1, pid: asked }
  })
  const first = await connected(dir.file('a'))
  const second = await connected(dir.file('b'))
  const pids = [first, first, second, first, second].map(({ near }) => find(near)?.pid)
  first.close()
  second.close()
  expect(pids).toEqual([1, 1, 2, 1, 2])
  expect(asked).toBe(2)
})

test('what the kernel did not say is asked again (HD-05)', async () => {
  await using dir = await createTempDir()
  const answers = [undefined, { uid: 1, pid: 7 }]
  const find = onceEach(() => answers.shift())
  const { near, close } = await connected(dir.file('s'))
  const pids = [find(near)?.pid, find(near)?.pid, find(near)?.pid]
  close()
  expect(pids).toEqual([undefined, 7, 7])
})
