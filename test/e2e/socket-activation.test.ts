/**
 * systemd holds the socket, the first request starts the daemon, and nobody's socket is removed at its end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'
import { hasProgram } from '../support/needs.ts'
import { WELL } from '../support/without-sqlite.ts'

const bin = new URL('../../bin/agentd.cjs', import.meta.url).pathname
function get(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false }, (response) => {
      void text(response).then((body) => resolve(JSON.parse(body)), reject)
    })
    sent.once('error', reject)
    sent.end()
  })
}

test.runIf(hasProgram('systemd-socket-activate'))(
  'a daemon that systemd starts serves the socket it was passed, and leaves it (docs/http.md §1, LISTEN_FDS)',
  async () => {
    await using dir = await createTempDir()
    const socket = dir.file('agentd.sock')
    const env = {
      PATH: process.env['PATH'],
      HOME: dir.path,
      AGENTD_SOCKET: socket,
      AGENTD_STATE_DIR: dir.file('state'),
      AGENTD_PRINCIPAL: '~alice',
    }
    const passed = Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`)
    const activator = spawn(
      'systemd-socket-activate',
      ['-l', socket, '--fdname=agentd', ...passed, process.execPath, bin, 'serve'],
      { env, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = once(activator, 'exit')
    try {
      let said = ''
      const listening = new Promise<void>((resolve) => {
        activator.stderr.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk
          if (said.includes('Listening on')) resolve()
        })
      })
      await within(listening, 'systemd to listen')
      chmodSync(socket, 0o600)
      const before = lstatSync(socket).ino

      const health = await within(get(socket, '/v1/health'), 'the activated daemon to answer')

      // The activator becomes the daemon: one process, started by the first connection.
      expect(health).toMatchObject({ status: WELL, principal: '~alice', pid: activator.pid })
      expect(lstatSync(socket).ino).toBe(before)
      activator.kill('SIGTERM')
      const [code] = await within(ended, 'the daemon to end')
      expect(code).toBe(0)
      expect(existsSync(socket)).toBe(true)
    } finally {
      activator.kill('SIGKILL')
      await ended
    }
  },
)
