/**
 * What a hub under torture is made of: the project's own words for it, the client of NATS, and a free port.
 */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { DIST } from '../daemon.mjs'
import { hasCommand } from '../temp-dir.mjs'

const load = (path) => import(`${DIST}/${path}.js`)

/** What is looked for before anything is started. @returns what `run` of a program answers with, or undefined */
export function whatIsMissing() {
  for (const program of ['nats-server', 'openssl'])
    if (!hasCommand(program)) return { skipped: `${program} is not installed`, missing: program }
  return undefined
}

/** The project's own words for what a hub is; loaded when a program needs them. */
export async function loadParts() {
  const modules = await Promise.all(
    [
      'aee/keys/key',
      'aee/keys/new-key',
      'authority/accord',
      'authority/charter',
      'authority/document',
      'authority/estate',
      'authority/signing',
      'host/links/certificate',
      'link/audience',
      'link/batch',
      'link/hub-config',
      'link/hub-streams',
      'link/keys/node-key',
      'link/presence',
      'link/realm',
      'link/record',
    ].map(load),
  )
  const [transport, jetstream] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ])
  return Object.assign({}, ...modules, { transport, jetstream })
}

/** A port of loopback that nobody has now. */
export async function freePort() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/**
 * A hub that was made some days ago has a certificate of then: nobody's clock is before that.
 *
 * @returns a PATH on which openssl believes that it is three days ago
 */
export function pathOfThen(folder) {
  mkdirSync(folder)
  const text = `#!/bin/sh\nexec faketime -f -3d "$(command -v -p openssl)" "$@"\n`
  writeFileSync(`${folder}/openssl`, text, { mode: 0o755 })
  return `${folder}:${process.env.PATH}`
}

/** The library as whoever installs it has it. */
export function loadClient() {
  return load('client/index')
}
