/** Sessions by their names, for agents (docs/http.md §4). */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { connectHost } from '../support/connection.ts'
import type { Host } from '../support/host.ts'

/** A host whose session has this name. */
async function join(socket: string, name: string): Promise<Host> {
  const host = connectHost(socket)
  await host.open()
  await host.call('agentd_roster', { as: name })
  return host
}

test('"to" takes a name of the roster or a beginning of it, to send and to ask; what may be several goes to nobody', async () => {
  await using daemon = await startTestDaemon()
  await using one = await join(daemon.socket, 'review-one')
  await using two = await join(daemon.socket, 'review-two')
  await using writer = await join(daemon.socket, 'writer')

  const sent = await writer.call('agentd_send', { kind: 'advise', text: 'a', to: 'review-one' })
  const several = await writer.call('agentd_send', { kind: 'advise', text: 'b', to: 'review' })
  const asked = await writer.call('agentd_ask', { text: 'c?', to: 'review-t', wait_s: 1 })
  const unheard = await writer.call('agentd_ask', { text: 'd?', to: 'nobody', wait_s: 1 })

  expect(sent).toMatchObject({ isError: false, facts: { queued: 1 } })
  expect(several).toMatchObject({ isError: true, facts: { error: { code: 'field-invalid', field: 'to' } } })
  expect(asked.facts).toMatchObject({
    outcome: 'deadline',
    silent: [expect.stringContaining('/review-two@')],
  })
  expect(unheard).toMatchObject({
    isError: true,
    facts: { error: { code: 'recipient-unknown', field: 'to' } },
  })
  expect((await one.call('agentd_inbox')).facts).toMatchObject({ messages: [{ text: 'a' }] })
  expect((await two.call('agentd_inbox')).facts).toMatchObject({ messages: [{ text: 'c?' }] })
})

test('the roster says what everybody is called, and a message to nobody who is near', async () => {
  await using daemon = await startTestDaemon()
  await using one = await join(daemon.socket, 'review-one')
  await using writer = await join(daemon.socket, 'writer')

  const roster = await writer.call('agentd_roster')
  const sent = await writer.call('agentd_send', { kind: 'advise', text: 'a', to: '~alice/review-on@x' })

  expect(roster.facts).toMatchObject({ your_name: 'writer', sessions: [{ name: 'review-one' }] })
  expect(sent.facts).toMatchObject({ reached: 0, queued: 0, near: [{ name: 'review-one' }] })
  expect((await one.call('agentd_inbox')).facts).toMatchObject({ messages: [] })
})
