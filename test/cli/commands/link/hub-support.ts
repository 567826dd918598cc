/**
 * A hub as a person makes it: at a terminal, on a port of its own; and somebody who enters it with what a join file holds.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import { atTerminal } from '../../person.ts'
import { AGENTD, startAgentd, words, type Env, type Running } from '../../support.ts'

const Join = z.object({
  realm: z.string(),
  node: z.string(),
  urls: z.array(z.string()),
  ca: z.string(),
  credential: z.object({ nkey: z.string() }),
  node_key: z.string(),
  estate_key: z.string(),
  estate: z.string(),
})
export type Join = z.infer<typeof Join>

/** A port that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** Makes a hub with this machine as `laptop`. @returns its address */
export async function makeHub(env: Env): Promise<string> {
  const listen = `127.0.0.1:${await freePort()}`
  const { code, shown } = await atTerminal(env, words(`link hub init --listen ${listen} --node laptop`))
  if (code !== 0) throw new Error(`no hub was made:\n${shown}`)
  return listen
}

/** Runs it. Its server ends with the scope, not only what has started it. */
export async function startHub(env: Env): Promise<Running> {
  const running = startAgentd(env, words('link hub run'))
  const hub: Running = {
    ...running,
    async [Symbol.asyncDispose]() {
      running.signal('SIGTERM')
      await running.ended
    },
  }
  try {
    await running.untilSaid(/serves at/)
    return hub
  } catch (error) {
    await hub[Symbol.asyncDispose]()
    throw error
  }
}

/** Invites `devbox` as `agentd link hub invite devbox > FILE` does. @returns the exit code */
export async function inviteInto(env: Env, file: string): Promise<number | null> {
  const line = `'${process.execPath}' '${AGENTD}' link hub invite devbox > '${file}'`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { TERM: 'xterm', ...env },
    stdio: 'pipe',
  })
  child.stdout.setEncoding('utf8').on('data', (shown: string) => {
    if (shown.includes('[y/N]')) child.stdin.write('y\r')
  })
  const [code]: unknown[] = await once(child, 'close')
  return typeof code === 'number' ? code : null
}

/** What a join file holds. */
export function readJoin(path: string): Join {
  return Join.parse(JSON.parse(readFileSync(path, 'utf8')))
}

/** Enters a hub as the node of a join file does. @throws Error that the server answers with */
export function enter({ urls, ca, node, credential }: Join): Promise<NatsConnection> {
  // The name is the hub's, whatever its address (FED-14).
  const tls: { ca: string; servername?: string } = { ca, servername: 'agentd-hub' }
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(credential.nkey))
  return connect({ servers: urls, authenticator, inboxPrefix: `_INBOX_${node}`, reconnect: false, tls })
}
