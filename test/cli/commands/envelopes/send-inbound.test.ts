/** What enters by `envelope send --raw` passes the rules that the person drew for it (AEE-093, AEE-095). */
import { describe, expect, test } from 'vitest'
import { startTestDaemon } from '../../../support/daemon.ts'
import { validEnvelope } from '../../../support/envelopes.ts'
import { request } from '../../../support/http.ts'
import { agentd } from '../../support.ts'

/** A line, and the id it has. */
function line(changes: object): readonly [text: string, id: string] {
  const envelope = validEnvelope({ type: 'event', to: 'log.audit', ...changes })
  return [JSON.stringify(envelope), envelope.id]
}

describe('with rules (AEE-093, AEE-095)', () => {
  const inbound = { intents: ['ops.*'], redact: ['payload.user.email'], max_priority: 'normal' }

  test('what is not on the list is kept out and holds up no other; the rest is without what was named, and no more urgent', async () => {
    await using daemon = await startTestDaemon({ config: { aee: { inbound } } })
    const [kept] = line({ intent: 'billing.charge' })
    const [hot, hotId] = line({
      intent: 'ops.check',
      priority: 'urgent',
      payload: { user: { email: 'a@b.c', name: 'A' } },
    })
    const [plain, plainId] = line({ intent: 'ops.check', payload: { n: 1 } })

    const outcome = await agentd(daemon.env, ['envelope', 'send', '--raw'], `${kept}\n${hot}\n${plain}\n`)

    expect(outcome).toMatchObject({ code: 1, stdout: 'sent 2 envelopes\n' })
    expect(outcome.stderr).toContain(
      'kept-out: Line 1: "billing.charge" is not on the list of what may enter (aee.inbound.intents of the configuration); add it there',
    )
    expect(outcome.stderr).toContain(
      `redacted in ${hotId}: payload.user.email; ${hotId} enters as normal, not urgent\n`,
    )
    const entered = await request(daemon.socket, `/v1/envelopes/${hotId}`)
    expect(entered.body).toMatchObject({
      priority: 'normal',
      payload: { user: { email: '[redacted]', name: 'A' } },
    })
    expect((await request(daemon.socket, `/v1/envelopes/${plainId}`)).text).toBe(plain)
  })

  test('that cannot be read nothing enters', async () => {
    const config = { aee: { inbound: { redact: ['nowhere.x'] } } }
    await using daemon = await startTestDaemon({ config })

    const { code, stdout } = await agentd(daemon.env, ['envelope', 'send', '--raw'], line({})[0])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})

test('without any everything enters as it was written', async () => {
  await using daemon = await startTestDaemon()
  const [text, id] = line({ intent: 'billing.charge', priority: 'urgent' })

  const outcome = await agentd(daemon.env, ['envelope', 'send', '--raw'], text)

  expect(outcome).toMatchObject({ code: 0, stdout: 'sent 1 envelope\n' })
  expect((await request(daemon.socket, `/v1/envelopes/${id}`)).text).toBe(text)
})
