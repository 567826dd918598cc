/**
 * The programs in `examples/python` beside a running daemon: listen, ask, answer.
 */
import { describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { post } from '../support/http.ts'
import { hasProgram } from '../support/needs.ts'
import { exampleAt, startProgram, type Program } from './program.ts'

function start(daemon: TestDaemon, name: string, ...args: readonly string[]): Program {
  return startProgram(daemon, 'python3', [exampleAt('python', name), ...args])
}

describe.runIf(hasProgram('python3'))('a program in Python', () => {
  test('asks, another one answers, and a third one hears both (PD-14)', async () => {
    await using daemon = await startTestDaemon()
    await using listener = start(daemon, 'listen.py')
    await listener.printed(/^~alice\/python-example@/m)
    await using answerer = start(daemon, 'answer.py', 'I', 'am,', 'until', 'noon')
    const [, id] = await answerer.printed(/^~alice\/python-example@(\S+)$/m)

    await using asker = start(daemon, 'ask.py', 'who is working on src/auth.ts?', '10')

    await asker.printed(new RegExp(`^${String(id)}: I am, until noon$`, 'm'))
    expect(await asker.ended).toBe(0)
    await listener.printed(/^agent_query by ~python-example: who is working on src\/auth\.ts\?$/m)
  })

  test('hears what its filter admits, and a filter that is none is refused with its code (PD-14, AC-157)', async () => {
    await using daemon = await startTestDaemon()
    await using listener = start(daemon, 'listen.py', 'kind:agent_broadcast')
    await listener.printed(/^~alice\//m)

    for (const [verb, text] of [
      ['agent_advise', 'not this'],
      ['agent_broadcast', 'but this'],
    ] as const)
      expect((await post(daemon.socket, `/v1/verbs/${verb}`, { text })).status).toBe(200)
    await using misspelled = start(daemon, 'listen.py', 'knid:agent_query')

    const [all] = await listener.printed(/[\s\S]*agent_broadcast by ~agentd-cli: but this/)
    expect(all).not.toContain('not this')
    await misspelled.printed(/Refusal: .*knid/)
    expect(await misspelled.ended).toBe(1)
  })

  test('shows no frame that is stale when it comes (PD-14, AC-183)', async () => {
    await using daemon = await startTestDaemon()
    await using listener = start(daemon, 'listen.py')
    await listener.printed(/^~alice\//m)
    const created_at = new Date(Date.now() - 60_000).toISOString()
    const late = validFrame('agent_broadcast', {
      created_at,
      ttl_ms: 1_000,
      payload: { broadcast_text: 'too late', event_class: 'other' },
    })

    const { body } = await post(daemon.socket, '/v1/frames', { frame: late })
    await post(daemon.socket, '/v1/verbs/agent_broadcast', { text: 'in time' })

    expect(body.recipient_count).toBe(1)
    const [all] = await listener.printed(/[\s\S]*agent_broadcast by ~agentd-cli: in time/)
    expect(all).not.toContain('too late')
  })

  test('ends with 1 when nobody answers in its time (PD-14)', async () => {
    await using daemon = await startTestDaemon()
    await using asker = start(daemon, 'ask.py', 'anybody?', '0.2')

    await asker.printed(/nobody answered/)
    expect(await asker.ended).toBe(1)
  })
})
