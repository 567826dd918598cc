/**
 * Servers that somebody else has set up: one in operator mode, which takes `.creds` files, and a leaf node before a hub with a
 * JetStream domain (FED-14, FED-15). Each begins with the streams and the estate that `agentd link hub` makes.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { connect, credsAuthenticator, nkeys, type NatsConnection } from '@nats-io/transport-node'
import type { LinkFile } from '../../src/link/link-file.ts'
import { bucketConfig, streamConfig } from '../../src/link/hub-streams.ts'
import { OWN_ACCESS, permissionsOf } from '../../src/link/permissions.ts'
import { documentKey, kvSubject } from '../../src/link/realm.ts'
import { portOf } from '../support/cut-proxy.ts'
import { PRINCIPAL, REALM, TestHub } from '../support/hub.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'

type KeyPair = ReturnType<typeof nkeys.createUser>

/** What a link is made from: its file for each of the two machines. */
export interface OtherServer extends AsyncDisposable {
  linkOf(node: string): LinkFile
}

/** No bound of an account, in the words of its JWT; and what gives it JetStream, which a system account may not have. */
const UNBOUNDED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 }
const WITH_JETSTREAM = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

/** A server whose operator signs accounts, and these users; the nodes have what FED-13 lets them have. */
export async function startOperated(): Promise<OtherServer> {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const jwtOf = (one: KeyPair, name: string, more: object): string =>
    jwt({ name, sub: one.getPublicKey() }, operator, {
      type: 'account',
      version: 2,
      limits: { ...UNBOUNDED, ...more, wildcards: true },
    })
  const systemId = system.getPublicKey()
  const conf = (port: number, store: string): string => `
    listen: "127.0.0.1:${port}"
    server_name: operated
    max_payload: 2097152
    jetstream: { store_dir: ${JSON.stringify(store)}, max_file_store: 4294967296 }
    operator: ${jwt({ name: 'OP', sub: operator.getPublicKey() }, operator, { type: 'operator', version: 2, system_account: systemId })}
    system_account: ${systemId}
    resolver: MEMORY
    resolver_preload: {
      ${account.getPublicKey()}: ${jwtOf(account, 'AGENTD', WITH_JETSTREAM)}
      ${systemId}: ${jwtOf(system, 'SYS', {})}
    }`
  const all = credsOf(account, { pub: {}, sub: {} })
  const nodes = new Map(
    ['laptop', 'devbox'].map((node) => {
      const { publish, subscribe } = permissionsOf(REALM, { handle: PRINCIPAL, node }, OWN_ACCESS)
      return [node, credsOf(account, { pub: { allow: publish }, sub: { allow: subscribe } })]
    }),
  )
  return serve([conf], all, (link, [port]) => ({
    ...link,
    urls: [`nats://127.0.0.1:${port}`],
    ca: null,
    credential: { creds: nodes.get(link.node) ?? '' },
  }))
}

const hub = (port: number, store: string, [, , leafPort]: readonly number[]): string => `
  listen: "127.0.0.1:${port}"
  server_name: hub
  max_payload: 2097152
  jetstream: { store_dir: ${JSON.stringify(store)}, max_file_store: 4294967296, domain: hub }
  leafnodes: { listen: "127.0.0.1:${leafPort}" }`
const leaf = (port: number, store: string, [, , leafPort]: readonly number[]): string => `
  listen: "127.0.0.1:${port}"
  server_name: leaf
  max_payload: 2097152
  jetstream: { store_dir: ${JSON.stringify(store)}, max_file_store: 1048576, domain: leaf }
  leafnodes: { remotes: [ { url: "nats-leaf://127.0.0.1:${leafPort}" } ] }`

/** A hub with the domain `hub`, and a leaf node of it that the devbox goes to; nobody shows anything. */
export function startWithLeaf(): Promise<OtherServer> {
  return serve([hub, leaf], undefined, (link, [port, behind]) => ({
    ...link,
    urls: [`nats://127.0.0.1:${link.node === 'devbox' ? behind : port}`],
    ca: null,
    domain: link.node === 'devbox' ? 'hub' : null,
  }))
}

type Conf = (port: number, store: string, ports: readonly number[]) => string

async function serve(
  confs: readonly Conf[],
  creds: string | undefined,
  linkOf: (link: LinkFile, ports: readonly number[]) => LinkFile,
): Promise<OtherServer> {
  const dir = await createTempDir()
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  // Of it only the keys are wanted, and what it has signed.
  const identity = await TestHub.start({ withoutStreams: true })
  const running: ChildProcess[] = []
  for (const [i, conf] of confs.entries())
    running.push(await run(dir, i, conf(ports[i] ?? 0, dir.file(`store-${i}`), ports)))
  await makeStreams(`nats://127.0.0.1:${ports[0]}`, creds, identity.linkOf('laptop').estate)
  return {
    linkOf: (node) => linkOf(identity.linkOf(node), ports),
    async [Symbol.asyncDispose]() {
      for (const child of running) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      await identity[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

async function run(dir: TempDir, i: number, conf: string): Promise<ChildProcess> {
  const path = dir.file(`${i}.conf`)
  writeFileSync(path, conf)
  const child = spawn('nats-server', ['-c', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4_000)
      if (said.includes('Server is ready')) resolve()
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`the server ended: ${said}`)))
  })
  await within(ready, 'the server to be ready')
  return child
}

async function makeStreams(servers: string, creds: string | undefined, estate: string): Promise<void> {
  const authenticator = creds === undefined ? undefined : credsAuthenticator(Buffer.from(creds))
  const connection: NatsConnection = await connect({ servers, ...(authenticator && { authenticator }) })
  for (const config of [streamConfig(REALM), bucketConfig(REALM)])
    await connection.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config))
  await connection.request(kvSubject(REALM, documentKey(REALM)), estate)
  await connection.close()
}

/** A user of an account, with what it may, and the secret that shows it. */
function credsOf(account: KeyPair, may: { readonly pub: object; readonly sub: object }): string {
  const user = nkeys.createUser()
  const claims = { type: 'user', version: 2, subs: -1, data: -1, payload: -1, ...may }
  const signed = jwt({ name: 'node', sub: user.getPublicKey() }, account, claims)
  const seed = Buffer.from(user.getSeed()).toString()
  return [
    ['-----BEGIN NATS USER JWT-----', signed, '------END NATS USER JWT------'],
    ['-----BEGIN USER NKEY SEED-----', seed, '------END USER NKEY SEED------'],
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

/** A JWT of version 2, as `nsc` makes them. */
function jwt(about: { readonly name: string; readonly sub: string }, by: KeyPair, nats: object): string {
  const head = base64({ typ: 'JWT', alg: 'ed25519-nkey' })
  const iat = Math.floor(Date.now() / 1_000)
  const body = base64({ jti: about.sub, iat, iss: by.getPublicKey(), ...about, nats })
  return `${head}.${body}.${Buffer.from(by.sign(Buffer.from(`${head}.${body}`))).toString('base64url')}`
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}
