/**
 * A hook without Node: one line of `curl` for each purpose, as README prints them (issue 5, point 1).
 */
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { framesOf, rosterOf, say } from '../../runtimes/support/sessions.ts'
import { hasProgram } from '../../support/needs.ts'
import { within } from '../../support/within.ts'

const CURL = 'curl -s --max-time 1 --unix-socket "$AGENTD_SOCKET"'

/** Purpose → the line. */
const LINES = {
  announce: `${CURL} http://agentd/v1/verbs/agent_advise -H 'content-type: text/plain' -d 'editing src/auth.ts'`,
  register: `AGENTD_TOKEN=$(${CURL} http://agentd/v1/sessions -H 'content-type: application/json' -d '{"instrument":"sh","session_id":"'$$'","pid":'$PPID',"mailbox":true}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
  read: `${CURL} http://agentd/v1/inbox/drain -H "authorization: Bearer $AGENTD_TOKEN" -H 'content-type: application/json' -d '{"format":"text","via":"hook"}'`,
  leave: `${CURL} http://agentd/v1/sessions/self -X DELETE -H "authorization: Bearer $AGENTD_TOKEN"`,
}

test.runIf(hasProgram('curl'))('announces, registers, reads and leaves', async () => {
  await using daemon = await startTestDaemon()
  const sh = (script: string) => spawnSync('/bin/sh', ['-c', script], { env: daemon.env, encoding: 'utf8' })

  expect(sh(LINES.announce)).toMatchObject({ status: 0, stderr: '' })
  expect(
    (await framesOf(daemon.socket, 'agent_advisory')).map(({ payload }) => payload.advisory_text),
  ).toEqual(['editing src/auth.ts'])

  // A session lives as long as the process it names (OP-27).
  const script = `${LINES.register}; echo "$AGENTD_TOKEN"; echo $$; read end; ${LINES.leave}; echo left $?`
  const shell = spawn('/bin/sh', ['-c', script], { env: daemon.env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> =>
    String((await within(lines.next(), 'a line of the shell')).value)
  const [token, pid] = [await nextLine(), await nextLine()]
  expect((await rosterOf(daemon.socket)).map(({ address }) => address)).toEqual([`~alice/sh@${pid}`])

  await say(daemon.socket, 'agent_advise', { text: 'the schema has moved' })
  const read = sh(`AGENTD_TOKEN=${token}; ${LINES.read}`)
  expect(JSON.parse(read.stdout)).toMatchObject({
    text: expect.stringContaining('advisory: the schema has moved'),
    remaining: 0,
  })
  expect(JSON.parse(sh(`AGENTD_TOKEN=${token}; ${LINES.read}`).stdout)).toMatchObject({ items: [], text: '' })

  shell.stdin.end('go\n')
  expect(await nextLine()).toBe('left 0')
  expect(await rosterOf(daemon.socket)).toEqual([])
})

test.runIf(hasProgram('curl'))('says nothing where there is no daemon', () => {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', `${LINES.announce} || true`], {
    env: { PATH: process.env['PATH'] ?? '', AGENTD_SOCKET: '/nonexistent/agentd.sock' },
    encoding: 'utf8',
  })

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
