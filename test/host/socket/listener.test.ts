import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { expect, test } from 'vitest'
import { listenPrivately, probeSocket, watchOwnSocket } from '../../../src/host/socket/listener.ts'
import { MAX_SOCKET_PATH_BYTES } from '../../../src/host/config/paths.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { bundleProgram, runProgram } from '../child-program.ts'

/** Listens at its argument and says so; killed, it leaves its socket behind. */
const SERVE = `
  import { createServer } from 'node:http'
  import { listenPrivately } from '#host/socket/listener.ts'
  process.umask(Number.parseInt(process.argv[3] ?? '022', 8))
  await listenPrivately(createServer((_, response) => response.end('child')), process.argv[2])
  console.log('listening')
`

function server(answer = 'ok'): Server {
  return createServer((_, response) => response.end(answer))
}

function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: path, path: '/v1/health', agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(text))
    })
    asked.on('error', reject).end()
  })
}

/** Resolves after the directory's watchers have heard of its next change. */
async function nextEvent(path: string): Promise<void> {
  const watcher = watch(path)
  await once(watcher, 'change')
  watcher.close()
}

test.each(['000', '002', '022', '077'])(
  'the socket is 0600 and alone under umask %s (R-01)',
  async (umask) => {
    await using dir = await createTempDir()
    await using program = await bundleProgram(SERVE)
    await using owner = runProgram(program, [dir.file('s'), umask])

    expect(await owner.nextLine()).toBe('listening')
    expect(lstatSync(dir.file('s')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir.path)).toEqual(['s'])
  },
)

test('it answers at the public path and leaves nothing behind when closed', async () => {
  await using dir = await createTempDir()
  const listening = await listenPrivately(server(), dir.file('agentd.sock'))

  expect(await ask(listening.path)).toBe('ok')
  expect(listening.isStillOurs()).toBe(true)
  await Promise.all([listening.close(), listening.close()])

  expect(readdirSync(dir.path)).toEqual([])
})

test('a path up to 103 bytes is bound under exactly its name, a longer one is refused (R-03)', async () => {
  await using dir = await createTempDir()
  const shortest = dir.path.length + 2
  for (let length = shortest; length <= 140; length += 1) {
    const name = 's'.repeat(length - dir.path.length - 1)
    const path = dir.file(name)
    const opened = listenPrivately(server(), path)
    if (length > MAX_SOCKET_PATH_BYTES) {
      await expect(opened).rejects.toThrow(`${length} bytes`)
      expect(readdirSync(dir.path)).toEqual([])
    } else {
      const listening = await opened
      expect(readdirSync(dir.path)).toEqual([name])
      await listening.close()
    }
  }
})

test('a name of one letter at the very limit is bound too (R-03)', async () => {
  await using dir = await createTempDir()
  const directory = dir.file('d'.repeat(MAX_SOCKET_PATH_BYTES - dir.path.length - 3))
  mkdirSync(directory)
  const path = `${directory}/a`
  expect(path).toHaveLength(MAX_SOCKET_PATH_BYTES)

  const listening = await listenPrivately(server(), path)

  expect(await ask(path)).toBe('ok')
  expect(readdirSync(directory)).toEqual(['a'])
  await listening.close()
})

test.each<[string, (path: string) => void]>([
  ['a regular file', (path) => writeFileSync(path, 'kept')],
  ['a link to a file', (path) => symlinkSync(path.replace(/s$/, 'target'), path)],
  ['a dangling link', (path) => symlinkSync('nowhere', path)],
  ['a fifo', (path) => execFileSync('sh', ['-c', 'mkfifo "$0"', path])],
  ['a directory', (path) => mkdirSync(path)],
])('%s at the path is refused and left as it was (R-02)', async (_, prepare) => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('target'), 'untouched')
  prepare(dir.file('s'))
  const before = lstatSync(dir.file('s'))
  const names = readdirSync(dir.path)

  await expect(listenPrivately(server(), dir.file('s'))).rejects.toThrow(HostRefusal)

  expect(lstatSync(dir.file('s'))).toMatchObject({ ino: before.ino, mode: before.mode, size: before.size })
  expect(readFileSync(dir.file('target'), 'utf8')).toBe('untouched')
  expect(readdirSync(dir.path)).toEqual(names)
})

test('a socket somebody serves is refused and goes on serving (R-04)', async () => {
  await using dir = await createTempDir()
  const first = await listenPrivately(server('first'), dir.file('s'))

  await expect(listenPrivately(server('second'), dir.file('s'))).rejects.toThrow('already serving')

  expect(await ask(dir.file('s'))).toBe('first')
  await first.close()
})

test('a stopped daemon is alive: its socket is refused; a killed one is replaced (R-04, R-06)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(SERVE)
  await using owner = runProgram(program, [dir.file('s')])
  expect(await owner.nextLine()).toBe('listening')
  expect(await probeSocket(dir.file('s'))).toBe('answering')

  await owner.kill('SIGSTOP')
  await expect(listenPrivately(server(), dir.file('s'))).rejects.toThrow('does not answer')
  await owner.kill('SIGKILL')
  expect(await probeSocket(dir.file('s'))).toBe('dead')

  const listening = await listenPrivately(server('next'), dir.file('s'))
  expect(await ask(dir.file('s'))).toBe('next')
  await listening.close()
  expect(await probeSocket(dir.file('s'))).toBe('absent')
})

test('a listener that hangs up without a word counts as alive', async () => {
  await using dir = await createTempDir()
  const silent = createNetServer((connection) => connection.resume().end())
  const listening = await listenPrivately(silent, dir.file('s'))

  expect(await probeSocket(dir.file('s'))).toBe('stopped')
  await listening.close()
})

test('a failed rename leaves no socket behind', async () => {
  await using dir = await createTempDir()
  const late = server()
  const listen = listenPrivately(late, dir.file('s'))
  late.once('listening', () => mkdirSync(dir.file('s')))

  await expect(listen).rejects.toThrow(/EISDIR|ENOTDIR|EEXIST/)
  expect(readdirSync(dir.path)).toEqual(['s'])
  expect(late.listening).toBe(false)
})

test("closing leaves a successor's socket alone, and so does the server by itself (R-05)", async () => {
  await using dir = await createTempDir()
  const displaced = await listenPrivately(server('displaced'), dir.file('s'))
  renameSync(dir.file('s'), dir.file('aside'))
  const successor = await listenPrivately(server('successor'), dir.file('s'))

  expect(displaced.isStillOurs()).toBe(false)
  expect(successor.isStillOurs()).toBe(true)
  await displaced.close()

  expect(await ask(dir.file('s'))).toBe('successor')
  await successor.close()
})

test('whoever loses the name is told once, and of nothing else in the directory (R-05)', async () => {
  await using dir = await createTempDir()
  const listening = await listenPrivately(server(), dir.file('s'))
  let told = 0
  const lost = new Promise<void>((resolve) => {
    watchOwnSocket(listening, () => {
      told += 1
      resolve()
    })
  })

  const seen = nextEvent(dir.path)
  writeFileSync(dir.file('other'), '')
  await seen
  expect(told).toBe(0)
  unlinkSync(dir.file('s'))
  await lost
  writeFileSync(dir.file('s'), '')

  expect(told).toBe(1)
  await listening.close()
  expect(readFileSync(dir.file('s'), 'utf8')).toBe('')
})

test('a socket renamed over ours is noticed (R-05)', async () => {
  await using dir = await createTempDir()
  const displaced = await listenPrivately(server(), dir.file('s'))
  const lost = new Promise<void>((resolve) => void watchOwnSocket(displaced, resolve))
  const successor = await listenPrivately(server('successor'), dir.file('t'))

  renameSync(dir.file('t'), dir.file('s'))

  await lost
  await displaced.close()
  expect(await ask(dir.file('s'))).toBe('successor')
  await successor.close()
})

test('a directory that went before the watch stood is noticed, without a watch (R-05)', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('d'))
  const listening = await listenPrivately(server(), dir.file('d', 's'))
  rmSync(dir.file('d'), { recursive: true })

  await new Promise<void>((resolve) => void watchOwnSocket(listening, resolve))

  await listening.close()
})

test('who stopped watching is not told', async () => {
  await using dir = await createTempDir()
  const listening = await listenPrivately(server(), dir.file('s'))
  let told = false
  const stop = watchOwnSocket(listening, () => (told = true))

  stop()
  stop()
  const seen = nextEvent(dir.path)
  await listening.close()
  await seen

  expect(told).toBe(false)
})

test('a passed descriptor is served, and its name stays when we close', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(`
    import { createServer } from 'node:http'
    import { listenActivated } from '#host/socket/listener.ts'
    const server = createServer((_, response) => response.end('activated'))
    const listening = await listenActivated(server, 3, process.argv[2])
    console.log('serving', listening.isStillOurs())
    server.once('request', async () => {
      await listening.close()
      console.log('closed')
    })
  `)
  // The manager: it opens the socket, hands it over, and accepts nothing itself.
  const manager = createNetServer()
  await new Promise<void>((resolve) => manager.listen(dir.file('m'), resolve))
  renameSync(dir.file('m'), dir.file('s'))
  await using running = runProgram(program, [dir.file('s')], [Reflect.get(manager, '_handle').fd])
  manager.close()

  expect(await running.nextLine()).toBe('serving true')
  expect(await ask(dir.file('s'))).toBe('activated')
  expect(await running.nextLine()).toBe('closed')
  expect(lstatSync(dir.file('s')).isSocket()).toBe(true)
})
