/** P-21: the hook of a session's start where no daemon runs, to its end with the first answer, against `node -e 0`. */
import { prepareDaemon } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { request } from '../support/http.mjs'
import { onEveryCore, readFineCpuSeconds } from '../support/machine.mjs'
import { CLI_ENTRY } from '../support/root.mjs'
import { median } from '../support/statistics.mjs'
import { until } from '../support/waiting.mjs'
import { cpuOnce, runOnce } from '../support/whole-process.mjs'

const INPUT = JSON.stringify({
  session_id: 'bench',
  transcript_path: '/dev/null',
  cwd: '/tmp',
  hook_event_name: 'SessionStart',
  source: 'startup',
})

/** A hook gives up on a daemon that takes longer; it comes up all the same, in milliseconds. */
const COMES_UP_MS = 20_000

export const row = {
  id: 'P-21',
  reason:
    'Two processes of Node one after the other are 2 by themselves. The rest is the daemon: a quarter of it reading its files and ' +
    'compiling them, and the rest modules of Node, two packages with binaries of their own, SQLite and the collector.',
  async run(context) {
    const { scale, quiet } = context
    const place = prepareDaemon()
    const rounds = { own: [], node: [], ownCpu: [], nodeCpu: [] }
    try {
      // A daemon has run here before: what a first start alone does is not what is waited for every morning.
      await measureAbsent(place)
      for (let round = 0; round < scale.rounds; round += 1) {
        await quiet()
        const taken = { own: [], node: [], ownCpu: [], nodeCpu: [] }
        for (let i = 0; i < scale.starts; i += 1) {
          const { ms, daemonMs } = await measureAbsent(place)
          taken.own.push(ms)
          taken.ownCpu.push(daemonMs + (await measureAbsent(place, cpuOnce)).ms)
          const bare = { name: 'node -e 0', argv: onEveryCore([process.execPath, '-e', '0']), env: place.env }
          taken.node.push(runOnce(bare))
          taken.nodeCpu.push(cpuOnce(bare))
        }
        for (const [name, values] of Object.entries(taken)) rounds[name].push(median(values))
      }
      return [
        line("hook of a session's start, no daemon", rounds.own, rounds.node, { atMost: 3.5 }),
        line('CPU of it and of the daemon it starts', rounds.ownCpu, rounds.nodeCpu),
      ]
    } finally {
      place.dir.remove()
    }
  },
}

function line(what, own, values, target) {
  return ratioLine({ what, unit: 'ms', own, peer: { name: 'node -e 0', values }, target })
}

/** @returns the hook's own time, and the daemon's CPU when it has answered, both in milliseconds; the daemon is gone again */
async function measureAbsent({ env, socketPath }, measure = runOnce) {
  const argv = onEveryCore([process.execPath, CLI_ENTRY, 'hook', 'claude-code'])
  const variables = { ...env, CLAUDE_PID: String(process.pid) }
  const ms = measure({ name: 'hook', argv, env: variables, input: INPUT })
  const { pid } = await until(
    async () => (await request(socketPath, '/v1/health').catch(() => undefined))?.body,
    COMES_UP_MS,
    'no daemon came up',
  )
  const daemonMs = readFineCpuSeconds(pid) * 1_000
  process.kill(pid, 'SIGTERM')
  await until(() => !isAlive(pid), COMES_UP_MS, 'the daemon did not end')
  return { ms, daemonMs }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
