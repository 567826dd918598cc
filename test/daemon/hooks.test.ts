/**
 * What a daemon does for the lines of hooks when it starts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { HANG_SUFFIX, readHangMark } from '../../src/host/socket/hang-mark.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'

test('a daemon that starts is asked at once, and the key that hooks show is its own (OP-04, OP-29)', async () => {
  await using dir = await createTempDir()
  const first = await startTestDaemon({ dir })
  const { socket, env } = first
  const state = env['AGENTD_STATE_DIR'] ?? ''
  await first.stop('SIGKILL')
  writeFileSync(socket + HANG_SUFFIX, `${Math.floor(Date.now() / 1_000) + 20}\n`)
  writeFileSync(`${state}/person.header`, 'agentd-key: of-an-earlier-key\n', { mode: 0o600 })
  const untilMs = readHangMark(socket)

  await using _ = await startTestDaemon({ dir })

  expect(untilMs).toBeGreaterThan(Date.now())
  expect(readHangMark(socket)).toBeUndefined()
  expect(readFileSync(`${state}/person.header`, 'utf8')).toBe(
    `agentd-key: ${readFileSync(`${state}/person.key`, 'utf8')}`,
  )
})

test('a mark that cannot be taken away keeps no daemon from starting', async () => {
  await using dir = await createTempDir()
  const first = await startTestDaemon({ dir })
  await first.stop('SIGKILL')
  mkdirSync(dirname(first.socket + HANG_SUFFIX), { recursive: true })
  mkdirSync(`${first.socket}${HANG_SUFFIX}/in-the-way`, { recursive: true })

  await using daemon = await startTestDaemon({ dir })

  expect(daemon.pid).toBeGreaterThan(0)
})
