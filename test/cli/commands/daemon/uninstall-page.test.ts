/** `agentd uninstall` ends the process behind the page as well (SEAT-18). */
import { connect } from 'node:net'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentd, createUser, words } from '../../support.ts'

/** Whether somebody listens at a port. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(socket.destroy() === socket))
    socket.once('error', () => resolve(false))
  })
}

test('the page is no longer served, and its process has ended before the daemon is stopped (SEAT-18)', async () => {
  await using user = await createUser()
  const { pid, port } = JSON.parse((await agentd(user.env, words('ui --no-open --json'))).stdout)
  const before = await listens(port)

  const done = await agentd(user.env, words('uninstall --yes'))
  const again = await agentd(user.env, words('uninstall --yes --json'))

  expect(before).toBe(true)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(
    new RegExp(`^the page is no longer served, pid ${pid}\\nagentd stopped, pid \\d+$`, 'm'),
  )
  expect([await listens(port), existsSync(user.dir.file('ui.sock'))]).toEqual([false, false])
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, page: { stopped: false } })
})

test('a page whose daemon was killed is taken out all the same (SEAT-18)', async () => {
  await using user = await createUser()
  const { pid } = JSON.parse((await agentd(user.env, words('ui --no-open --json'))).stdout)
  const status = JSON.parse((await agentd(user.env, words('status --json'))).stdout)
  process.kill(status.pid, 'SIGKILL')

  const { code, stdout } = await agentd(user.env, words('uninstall --yes --json'))

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ changed: true, page: { stopped: true, pid } })
})
