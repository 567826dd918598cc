import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { within } from '../../../support/within.ts'
import { AGENTD, agentd, startAgentd, startOnTerminal } from '../../support.ts'
import { hasProgram } from '../../../support/needs.ts'

const QUERY = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c'

test('tail replays and follows, a line per frame, without colour where nobody looks', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'before'])
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '5'])
  await tail.untilSaid(/before\n/)

  await agentd(daemon.env, ['broadcast', 'after', '--class', 'merged'])
  await tail.untilSaid(/after\n/)
  tail.signal('SIGINT')

  const { code, stdout, stderr } = await tail.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    /^\d\d:\d\d:\d\d ~alice {9}advisory {5}before\n\d\d:\d\d:\d\d ~alice {9}broadcast {4}merged: after\n$/,
  )
})

test('tail --json is one object per line with the names of the wire', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'before'])
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '5', '--json'])

  await tail.untilSaid(/\n/)
  tail.signal('SIGINT')

  const { stdout } = await tail.ended
  expect(stdout.endsWith('\n')).toBe(true)
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'frame',
    event_id: expect.stringMatching(/^[0-9a-f]{8}-1$/),
    frame: { kind: 'agent_advisory', payload: { advisory_text: 'before' } },
    received_ms: expect.any(Number),
  })
})

test('tail takes a filter, and a wrong one is the refusal of the daemon', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'no'])
  await agentd(daemon.env, ['broadcast', 'yes'])
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '5', '--filter', 'kind:broadcast'])
  await tail.untilSaid(/yes/)

  const wrong = await agentd(daemon.env, ['tail', '--filter', 'colour:red'])

  expect(tail.stdout()).not.toContain('advisory')
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('filter-axis-unknown') })
})

test('tail outlives the daemon and says that it is back', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'one'])
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '5'])
  await tail.untilSaid(/one\n/)
  await daemon.stop()
  await using again = await startTestDaemon({ dir: daemon.dir })

  await tail.untilSaid(/-- reconnected\n/)
  await agentd(again.env, ['advise', 'two'])

  await tail.untilSaid(/two\n/)
})

test('a reader that goes away ends tail without a word', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'one'])
  const tail = spawn(process.execPath, [AGENTD, 'tail', '--replay', '5'], { env: daemon.env, stdio: 'pipe' })
  let stderr = ''
  tail.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  await within(once(tail.stdout, 'data'), 'the first line')
  tail.stdout.destroy()

  const ended = once(tail, 'close')
  await agentd(daemon.env, ['advise', 'two'])

  const [code] = await within(ended, 'the end of tail')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test.runIf(hasProgram('script'))(
  'on a terminal tail is in colour, cut to the width, and tells how to answer',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const session = await client.session({ instrument: 'cc-opus-4-6', sessionId: 's1' })
    await session.advise(`a long text ${'that goes on '.repeat(20)}`)
    await session.verb('agent_query', { text: 'who edits src/auth.ts?' })
    await using tail = startOnTerminal(daemon.env, ['tail', '--replay', '5'])

    await tail.untilSaid(/answer: agentd respond [0-9a-f-]{36}/)
    tail.type('\u0003')

    const { code, stdout } = await tail.ended
    expect(code).toBe(0)
    expect(stdout).toContain('\u001b[36madvisory    \u001b[39m')
    const lines = withoutColour(stdout).split('\r\n')
    const advisory = lines.find((line) => line.includes('advisory'))
    expect(advisory).toMatch(/^\d\d:\d\d:\d\d cc-opus-4-6 {4}advisory {5}a long text .*…$/)
    expect(advisory).toHaveLength(80)
  },
)

test.runIf(hasProgram('script'))('tail --full wraps between words under its own column', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'words '.repeat(20).trim()])
  await using tail = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, ['tail', '--replay', '5', '--full'])

  await tail.untilSaid(/\r\n {37}words .*\r\n/)
  tail.type('\u0003')

  const { stdout } = await tail.ended
  const widths = stdout.split('\r\n').map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThanOrEqual(80)
})

test.runIf(hasProgram('script')).each([[{ NO_COLOR: '1' }], [{ TERM: 'dumb' }]])(
  'with %j not one escape sequence is printed',
  async (env) => {
    await using daemon = await startTestDaemon()
    await agentd(daemon.env, ['advise', 'hello'])
    await using tail = startOnTerminal({ ...daemon.env, ...env }, ['tail', '--replay', '5'])

    await tail.untilSaid(/hello\r\n/)
    tail.type('\u0003')

    const { stdout } = await tail.ended
    expect(stdout).not.toContain('\u001b')
  },
)

test.runIf(hasProgram('script'))(
  'serve shows on its terminal what passes, and counts nobody as listening',
  async () => {
    await using daemon = await startTestDaemon()
    await daemon.stop()
    await using served = startOnTerminal(daemon.env, ['serve'])
    await served.untilSaid(/what passes shows up here/)

    const sent = await agentd(daemon.env, ['advise', 'hello from elsewhere'])
    await served.untilSaid(/hello from elsewhere/)
    served.type('\u0003')

    expect(sent.stdout).toBe('sent agent_advisory; nobody is listening just now\n')
    const { code, stdout } = await served.ended
    expect(code).toBe(0)
    expect(withoutColour(stdout)).toMatch(
      /agentd serves ~alice at \S+agentd\.sock\r\n {2}try {2}agentd advise/,
    )
  },
)

test('serve --json prints every frame for programs', async () => {
  await using daemon = await startTestDaemon()
  await daemon.stop()
  await using served = startAgentd(daemon.env, ['serve', '--json'])
  await served.untilSaid(/serving/)

  await agentd(daemon.env, ['respond', QUERY, 'hello'])
  await served.untilSaid(/"received_ms"/)
  served.signal('SIGTERM')

  expect(JSON.parse((await served.ended).stdout)).toMatchObject({
    type: 'frame',
    frame: { kind: 'agent_response' },
  })
})

function withoutColour(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
  return text.replaceAll(/\u001b\[\d+m/g, '')
}
