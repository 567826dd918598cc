import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { FakeDaemon } from '../../support/fake-daemon.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { eventOf, makeFrame, resultLine, takePipe } from '../peers.ts'

/** The library as one file, for processes of their own. */
let library = ''

beforeAll(async () => {
  const dir = await createTempDir()
  library = dir.file('client.mjs')
  await build({
    entryPoints: [new URL('../../../src/client/index.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: library,
    logLevel: 'silent',
  })
  return () => dir[Symbol.asyncDispose]()
})

/** Runs a program to its own end. */
function run(daemon: FakeDaemon, program: string): Promise<{ stdout: string }> {
  const script = `
    import { connect } from ${JSON.stringify(library)}
    const client = await connect({ socket: ${JSON.stringify(daemon.socketPath)} })
    ${program}`
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
}

test('a program that has said what it had to say ends by itself, whatever is still open', async () => {
  await using daemon = await FakeDaemon.start()
  const running = run(daemon, `console.log((await client.advise('done')).eventId)`)
  const pipe = await takePipe(daemon)
  pipe.write(resultLine(await pipe.line()))

  expect((await running).stdout).toBe('e1-1\n')
})

test('a program that waits for its client to be closed gets to the line behind that', async () => {
  await using daemon = await FakeDaemon.start()
  const running = run(daemon, `await client.advise('done'); await client.close(); console.log('closed')`)
  const pipe = await takePipe(daemon)
  pipe.write(resultLine(await pipe.line()))

  expect((await running).stdout).toBe('closed\n')
})

test('a program that listens goes on while the daemon is away', async () => {
  await using daemon = await FakeDaemon.start()
  const running = run(
    daemon,
    `for await (const item of client.stream({ dropExpired: false })) {
       console.log(item.eventId)
       break
     }`,
  )
  ;(await daemon.next('GET /v1/handles')).cut()
  ;(await daemon.next('GET /v1/handles')).beginStream(eventOf('e1-1', makeFrame()))

  expect((await running).stdout).toBe('e1-1\n')
})
