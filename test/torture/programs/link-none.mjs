/**
 * With no link configured agentd is what it is without any: nothing of a link is opened, started or connected, and no answer
 * says a word of it. A daemon with a link is watched the same way, so that whoever looks at the wrong thing notices (FT-14,
 * FED-01, FED-82).
 */
import { readFileSync } from 'node:fs'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { Hub } from '../support/link/hub.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { LinkedNode } from '../support/link/node.mjs'
import { createTempDir, hasCommand } from '../support/temp-dir.mjs'
import { waitFor } from '../support/waiting.mjs'

const TRACED = 'trace=execve,open,openat,socket'

/** What no file that is opened may be of. */
const PACKAGES = /node_modules\/@nats-io\//

export default {
  name: 'link-none',
  promise: 'FED-01, FED-82',
  summary: 'no link configured: by its system calls and its answers a daemon has nothing of links',
  async run() {
    if (!hasCommand('strace')) return { skipped: 'strace is not installed', missing: 'strace' }
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const without = await watchWithout()
    const linked = await watchWith()
    // What only a daemon with a link opens of agentd's own code.
    const own = [...linked.code].filter((path) => !without.code.has(path))
    const faults = [
      ...(without.packages > 0 ? ['the packages of NATS were opened'] : []),
      ...(without.programs > 1 ? ['a process was started'] : []),
      ...(without.inetSockets > 0 ? ['a socket of the network was made'] : []),
      ...without.words,
      ...(linked.programs < 2 || linked.packages === 0 || own.length === 0
        ? ['a link was not noticed either']
        : []),
    ]
    return {
      code_files_opened: without.code.size,
      code_files_opened_with_a_link: linked.code.size,
      files_of_nats_opened: without.packages,
      files_of_nats_opened_with_a_link: linked.packages,
      programs_run: without.programs,
      programs_run_with_a_link: linked.programs,
      network_sockets: without.inetSockets,
      ...(faults.length > 0 && { faults: faults.join('; ') }),
      holds: faults.length === 0,
    }
  },
}

async function watchWithout() {
  const dir = createTempDir()
  const trace = dir.file('trace')
  const daemon = await startDaemon({ dir, command: ['strace', '-f', '-e', TRACED, '-o', trace] })
  const words = await wordsOf(daemon.socket)
  await daemon.stop()
  const seen = readTrace(trace)
  dir.remove()
  return { ...seen, words }
}

/** Its hub is away: that there is a link is what counts. */
async function watchWith() {
  const hub = await Hub.start({})
  const linkText = hub.linkText('laptop')
  await hub.stop()
  const dir = createTempDir()
  const trace = dir.file('trace')
  const command = ['strace', '-f', '-e', TRACED, '-o', trace]
  const node = await LinkedNode.start('laptop', { linkText, command })
  await waitFor(async () => (await node.link())?.state === 'away', 30_000, 50)
  await node.stop()
  const seen = readTrace(trace)
  dir.remove()
  return seen
}

/** Ordinary work. @returns what of it speaks of links */
async function wordsOf(socket) {
  const session = await request(socket, '/v1/sessions', {
    json: { instrument: 'cc-opus-4-6', mailbox: true },
  })
  const { token } = session.body
  const frame = await request(socket, '/v1/frames', { json: { frame: makeFrame() }, token })
  const org = await request(socket, '/v1/frames', {
    json: { recipient_scope: 'org:~acme/members/*', frame: makeFrame({ recipient_handle: '~acme' }) },
  })
  const answers = [
    session,
    frame,
    await request(socket, '/v1/health'),
    await request(socket, '/v1/handles/~alice/roster'),
    await request(socket, '/v1/frames?handle=~alice'),
    await request(socket, '/v1/metrics'),
    await request(socket, '/v1/inbox/drain', { json: {}, token }),
  ]
  const links = await request(socket, '/v1/links')
  const feed = await request(socket, '/v1/link/state')
  return [
    ...answers.flatMap(({ text }) => /"(?:links|also_on|remote|origin|node)"|agentd_link/.exec(text) ?? []),
    ...(links.status === 404 && feed.status === 404 ? [] : ['there are paths of links']),
    ...(org.status >= 400 ? [] : ['an organisation is reached without a link']),
  ]
}

function readTrace(path) {
  const lines = readFileSync(path, 'utf8').split('\n')
  const opened = lines.flatMap((line) => /open(?:at)?\(.*?"([^"]+)".*= \d+/.exec(line)?.[1] ?? [])
  return {
    code: new Set(opened.filter((name) => /\/dist\/.*\.js$/.test(name))),
    packages: opened.filter((name) => PACKAGES.test(name)).length,
    programs: lines.filter((line) => /execve\(.*= 0$/.test(line)).length,
    inetSockets: lines.filter((line) => /socket\(AF_INET6?,.*= \d+/.test(line)).length,
  }
}
