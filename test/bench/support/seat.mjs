/**
 * The page's process in front of a daemon: as `agentd ui` starts it, and one that serves an empty page as well.
 */
import { fileURLToPath } from 'node:url'
import { PRINCIPAL } from './frames.mjs'
import { request } from './http.mjs'
import { onServerCore } from './machine.mjs'
import { spawnServer } from './processes.mjs'
import { CLI_ENTRY, ROOT } from './root.mjs'
import { until } from './waiting.mjs'

const START_MS = 20_000

const MEMBER = fileURLToPath(new URL('seat-member.mjs', import.meta.url))

/** @returns `{pid, openLink(), stop()}`; each link signs one browser in */
export async function startSeat({ place: { dir, env }, socketPath }) {
  const server = await spawnSeat([CLI_ENTRY, 'ui', '--foreground', '--no-open', '--json'], {
    env,
    dir,
    said: '"url"',
  })
  return { pid: server.pid, openLink: () => askForLink(`${socketPath}.ui`), stop: () => server.stop() }
}

/** @returns `{openLink(), openEmptyLink(), stop()}` of two pages of one process */
export async function startSeatWithEmptyPage({ place: { dir, env }, socketPath }) {
  const command = [MEMBER, ROOT, socketPath, PRINCIPAL, dir.path]
  const server = await spawnSeat(command, { env, dir, said: 'ready' })
  return {
    openLink: () => askForLink(dir.file('page.door')),
    openEmptyLink: () => askForLink(dir.file('empty.door')),
    stop: () => server.stop(),
  }
}

/** Starts one and waits until it has said a word. */
async function spawnSeat(args, { env, dir, said }) {
  const server = spawnServer(onServerCore([process.execPath, ...args]), { env, cwd: dir.path })
  await until(
    () => {
      if (!server.isAlive()) throw new Error(`no page is served: ${server.output().slice(-600)}`)
      return server.output().includes(said)
    },
    START_MS,
    'no page was served',
  )
  return server
}

async function askForLink(door) {
  return (await request(door, '/link', { body: '' })).body.url
}
