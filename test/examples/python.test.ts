/**
 * The programs in `examples/python` beside a running daemon: listen, ask, answer.
 */
import { describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { post } from '../support/http.ts'
import { hasProgram } from '../support/needs.ts'
import { agentd, createUser } from '../cli/support.ts'
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

    await asker.printed(/^nobody is there to be asked$/m)
    expect(await asker.ended).toBe(1)
    await using listener = start(daemon, 'listen.py')
    await listener.printed(/^~alice\//m)
    await using again = start(daemon, 'ask.py', 'anybody?', '0.2')

    await again.printed(/^nobody answered within 0\.2 s; asked: 1$/m)
    expect(await again.ended).toBe(1)
  })

  test('starts the daemon where none runs, ends with 130 on Ctrl-C without a fault, and says how it is used', async () => {
    await using user = await createUser()
    const { AGENTD_SOCKET: _socket, ...env } = user.env
    const python = (name: string): Program => startProgram({ env }, 'python3', [exampleAt('python', name)])
    await using listener = python('listen.py')
    await listener.printed(/^~alice\/python-example@/m)
    const { stdout } = await agentd(env, ['roster'])
    listener.interrupt()

    expect(stdout).toContain('~alice/python-example@')
    expect(await listener.ended).toBe(130)
    expect((await listener.printed(/[\s\S]*/))[0]).not.toContain('Traceback')
    await agentd(env, ['stop'])
    for (const name of ['ask.py', 'answer.py']) {
      await using used = python(name)
      await used.printed(new RegExp(`python3 ${name} [A-Z]+`))
      expect(await used.ended).toBe(1)
    }
  })
})
