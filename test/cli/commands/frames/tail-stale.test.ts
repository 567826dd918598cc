/**
 * What a frame that is past its time looks like to who follows (AC-183; memo §14): the library drops it, `tail` shows it as over.
 */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../../support/daemon.ts'
import { validFrame } from '../../../support/frames.ts'
import { post } from '../../../support/http.ts'
import { hasProgram } from '../../../support/needs.ts'
import { startAgentd, startOnTerminal } from '../../support.ts'

/** From its first character to its last. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
const DIMMED = /^\u001b\[2m[^\u001b]*too late[^\u001b]*\u001b\[22m$/

/** A minute ago, of ten seconds; then one of now. */
async function oneStaleAndOneFresh(socket: string): Promise<void> {
  const created_at = new Date(Date.now() - 60_000).toISOString()
  const stale = { created_at, ttl_ms: 10_000, payload: { advisory_text: 'too late' } }
  const fresh = { payload: { advisory_text: 'in time' } }
  for (const members of [stale, fresh])
    expect(await post(socket, '/v1/frames', { frame: validFrame('agent_advisory', members) })).toMatchObject({
      status: 200,
    })
}

test.runIf(hasProgram('script'))(
  'a stale frame is dimmed as a whole line, and one in time is not',
  async () => {
    await using daemon = await startTestDaemon()
    await oneStaleAndOneFresh(daemon.socket)
    await using tail = startOnTerminal(daemon.env, ['tail', '--replay', '5'])

    await tail.untilSaid(/in time/)
    tail.type('\u0003')

    const lines = (await tail.ended).stdout.split('\r\n')
    expect(lines.find((line) => line.includes('too late'))).toMatch(DIMMED)
    expect(lines.find((line) => line.includes('in time'))).toContain('\u001b[36madvisory')
  },
)

test('a program that follows is given both, with what it needs to tell them apart', async () => {
  await using daemon = await startTestDaemon()
  await oneStaleAndOneFresh(daemon.socket)
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '5', '--json'])

  await tail.untilSaid(/in time/)
  tail.signal('SIGINT')

  const items = (await tail.ended).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const isStale = items.map(
    ({ frame, received_ms }) => Date.parse(frame.created_at) + (frame.ttl_ms ?? 3_600_000) <= received_ms,
  )
  expect(isStale).toEqual([true, false])
})
