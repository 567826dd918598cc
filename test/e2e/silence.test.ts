/**
 * What the daemon does not do: listen on a network, or write down what people say (SECURITY.md 3, and its log).
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { runsOnLinux } from '../support/needs.ts'

/** Inodes of the sockets a process holds. */
function socketInodes(pid: number): ReadonlySet<string> {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // Closed since it was listed, such as the connection of the request before.
      return []
    }
  })
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

/** Inodes of all sockets of a family, by the tables of the kernel. */
function familyInodes(table: string): readonly string[] {
  const lines = readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)
  return lines.flatMap((line) => line.trim().split(/\s+/)[9] ?? [])
}

test.runIf(runsOnLinux('/proc'))(
  'the daemon holds no network socket of any kind (R-37, AC-173)',
  async () => {
    await using daemon = await startTestDaemon()
    await request(daemon.socket, '/v1/health')

    const held = socketInodes(daemon.pid)

    expect(held.size).toBeGreaterThan(0)
    for (const table of ['tcp', 'tcp6', 'udp', 'udp6', 'raw']) {
      expect(
        familyInodes(table).filter((inode) => held.has(inode)),
        table,
      ).toEqual([])
    }
  },
)

test('the log says what happened and never what was said, nor with which token (R-10)', async () => {
  await using daemon = await startTestDaemon()
  const secret = 'the password is hunter2'
  const { body } = await post(daemon.socket, '/v1/sessions', {
    instrument: 'cc',
    mailbox: true,
    title: secret,
  })
  await post(daemon.socket, '/v1/verbs/agent_advise', { text: secret })
  await post(daemon.socket, '/v1/verbs/agent_advise', { text: secret, nonsense: secret })
  await post(daemon.socket, '/v1/frames', secret)
  await post(daemon.socket, '/v1/inbox/drain', {}, body.token)
  await daemon.stop()

  expect(daemon.stderr()).toContain('"event":"serving"')
  expect(daemon.stderr()).not.toContain('hunter2')
  expect(daemon.stderr()).not.toContain(body.token)
})
