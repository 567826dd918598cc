/** The runtime's end of an inbox socket of Claude Code: what it is told. */
import { createServer, type Socket } from 'node:net'
import { Changes } from '../../support/within.ts'

/** Use it with `await using`. */
export interface InboxSocket extends AsyncDisposable {
  readonly path: string
  /** Whole lines. */
  readonly lines: readonly string[]
  /** How often somebody came, and how many are there now. */
  readonly came: () => number
  readonly open: () => number
  readonly changes: Changes
}

/** @param options.isDeaf - takes what comes and never ends a connection */
export async function listenAt(path: string, { isDeaf = false } = {}): Promise<InboxSocket> {
  const lines: string[] = []
  const changes = new Changes()
  const there = new Set<Socket>()
  let came = 0
  const server = createServer({ allowHalfOpen: isDeaf }, (socket) => {
    came += 1
    there.add(socket)
    let rest = ''
    socket.on('error', () => {})
    socket.once('close', () => there.delete(socket))
    socket.setEncoding('utf8').on('data', (text: string) => {
      const [...whole] = (rest + text).split('\n')
      rest = whole.pop() ?? ''
      lines.push(...whole)
      changes.tell()
    })
    changes.tell()
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    path,
    lines,
    came: () => came,
    open: () => there.size,
    changes,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of there) socket.destroy()
      }),
  }
}
