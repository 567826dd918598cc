/**
 * Another user of the machine gets nothing. Needs root, to become somebody else.
 */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { runsAsRoot } from '../support/needs.ts'

/** A user id that nobody has. */
const STRANGER = 54_321

const TRIES = `
  const fs = require('node:fs'), net = require('node:net')
  const tried = []
  const note = (what) => tried.push(what)
  for (const path of process.argv.slice(1)) {
    try { fs.readFileSync(path); note('read ' + path) } catch {}
    try { fs.writeFileSync(path, 'x'); note('wrote ' + path) } catch {}
    try { fs.readdirSync(path); note('listed ' + path) } catch {}
    try { fs.unlinkSync(path); note('removed ' + path) } catch {}
  }
  const socket = net.connect(process.argv[1])
  socket.once('connect', () => { note('connected'); finish() })
  socket.once('error', finish)
  function finish() { console.log(JSON.stringify({ uid: process.getuid(), tried })); process.exit() }
`

test.runIf(runsAsRoot())(
  'another user can neither connect, nor read, write, list or remove anything of the daemon (R-08, AEE-087, AEE-088)',
  async () => {
    await using daemon = await startTestDaemon()
    const { dir, socket } = daemon
    const paths = [socket, dir.file('state'), dir.file('state', 'ring.db'), dir.path, `${socket}.lock.db`]

    const { stdout, stderr } = spawnSync(process.execPath, ['-e', TRIES, '--', ...paths], {
      uid: STRANGER,
      gid: STRANGER,
      cwd: '/',
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })

    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ uid: STRANGER, tried: [] })
  },
)
