/** agentd tells nobody anything: no command of its everyday, and no daemon under them, opens a socket of the network. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { AGENTD, createUser } from '../cli/support.ts'
import { hasProgram } from '../support/needs.ts'

/** A socket that is of no kind of this machine's own. */
const NETWORK = /socket\((?!AF_UNIX|AF_LOCAL)|AF_INET/

const run = promisify(execFile)

/** Whatever each ends with: what is asked is whom it speaks to. The daemon is a child of the first, and ends with the last. */
const COMMANDS = [
  'start',
  'advise hello',
  'roster',
  'doctor',
  'setup --dry-run claude-code codex',
  'frobnicate',
  'stop',
]

test.runIf(hasProgram('strace'))(
  'from the first command to the last, the daemon included, no socket of the network is opened',
  { timeout: 120_000 },
  async () => {
    await using user = await createUser()
    const { env, dir } = user
    mkdirSync(dir.file('home', '.claude'))
    const [log, node] = [dir.file('strace.log'), process.execPath]
    const lines = COMMANDS.map((command) => `"${node}" "${AGENTD}" ${command} || true`).join('\n')
    const strace = ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=socket,connect', '-o', log]

    await run('strace', [...strace, 'sh', '-c', lines], { env })

    const calls = readFileSync(log, 'utf8').split('\n')
    expect(calls.filter((call) => NETWORK.test(call))).toEqual([])
    // It would be no test of anything if nothing had been seen: each but one of them asks the daemon.
    expect(
      calls.filter((call) => call.includes('connect(') && call.includes('agentd.sock')).length,
    ).toBeGreaterThan(4)
  },
)
