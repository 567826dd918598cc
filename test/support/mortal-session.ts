/**
 * Sessions that hang on a process of their own, which can be killed (OP-27).
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestDaemon } from './daemon.ts'
import { request } from './http.ts'

/** Registers the session of its own process, says so, and goes on until it is killed. */
const PARTY = `
  const { request } = require('node:http')
  const [socketPath, name, stream] = process.argv.slice(1)
  const head = { host: 'x', 'content-type': 'application/json' }
  const sent = request({ socketPath, path: '/v1/sessions', method: 'POST', headers: head }, async (answer) => {
    let text = ''
    for await (const chunk of answer) text += chunk
    const { token } = JSON.parse(text)
    if (stream !== 'stream') return console.log(text)
    const headers = { host: 'x', authorization: 'Bearer ' + token }
    request({ socketPath, path: '/v1/handles/~alice/stream', headers }, (response) => {
      response.resume()
      console.log(text)
    }).end()
  })
  sent.end(JSON.stringify({ instrument: 'cc', session_id: name, mailbox: true, pid: process.pid }))
  setInterval(() => {}, 1_000_000)
`

/** A process with a session of its own, registered by now. */
export async function startParty(socket: string, name: string, ...how: 'stream'[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', PARTY, '--', socket, name, ...how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

/** Kills it, and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Whether the kernel names processes here; where it does not, a lease is all there is (HD-04). */
export async function namesProcesses({ socket }: TestDaemon): Promise<boolean> {
  return (await request(socket, '/v1/health')).body.peer_processes === 'checked'
}
