/**
 * Envelopes where frames are shown: tail, inbox, roster, serve.
 */
import { expect, test } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { SharedDaemon } from '../../server/shared-daemon.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { Names, completeText, runEnvelope, serveEntity } from '../commands/envelopes/support.ts'
import { agentd, startAgentd, words, type Outcome } from '../support.ts'

const shared = new SharedDaemon()
const names = new Names()

test('tail that listens shows them, for the entities that are named', async () => {
  await using tail = startAgentd(shared.daemon.env, [
    'tail',
    '--listen',
    '--entities',
    'bus.tailed, agent.other',
    '--json',
  ])
  await using plain = startAgentd(shared.daemon.env, ['tail', '--listen', '--entities', 'bus.tailed'])
  const sent = (): Promise<Outcome> =>
    runEnvelope(
      shared,
      ...words('send --json --from agent.a --to bus.tailed --intent ops.x.y --type event'),
      ...words('--priority urgent'),
      '{"note":"hello \\u001b[31mthere"}',
    )
  while (JSON.parse((await sent()).stdout).recipient_count < 2);

  await tail.untilSaid(/\n/)
  await plain.untilSaid(/\n/)
  const item = JSON.parse(tail.stdout().split('\n')[0] ?? '')
  expect(item).toMatchObject({
    type: 'envelope',
    envelope: { to: 'bus.tailed', payload: { note: expect.stringContaining('hello') } },
    effective_priority: 'urgent',
    late: false,
  })
  expect(item).not.toHaveProperty('text')
  expect(plain.stdout()).toMatch(
    /^\d\d:\d\d:\d\d agent\.a {7} event {8}ops\.x\.y to bus\.tailed \[urgent\]: .*hello/,
  )
  expect(plain.stdout()).not.toContain('\u001b')
})

test('the inbox hands them over beside frames', async () => {
  await using client = await connect({ socket: shared.socket })
  const entity = names.next('agent.sleeper')
  const session = await client.session({ instrument: 'sleeper', mailbox: true, entities: [entity] })
  await runEnvelope(shared, 'send', '--from', 'agent.a', '--to', entity, '--intent', 'ops.x.y', '{"a":1}')
  await client.advise('a frame', { scope: session.address })
  const env = { ...shared.daemon.env, AGENTD_TOKEN: session.token }

  const peek = await agentd(env, ['inbox', '--peek'])
  const { stdout } = await agentd(env, ['inbox', '--json'])

  expect(peek.stdout).toMatch(/agent\.a +task +ops\.x\.y to agent\.sleeper.*\n.*advisory +a frame\n$/)
  const { items } = JSON.parse(stdout)
  expect(items).toMatchObject([
    { envelope: { to: entity, payload: { a: 1 } }, effective_priority: 'normal', late: false },
    { frame: { kind: 'agent_advisory' } },
  ])
})

test('receipts are told of envelopes as of frames', async () => {
  const entity = names.next('agent.seer')
  await using _ = await serveEntity(shared, entity, { 'ops.x.y': () => ({}) })
  const args = words(`send --quiet --from agent.a --to ${entity} --intent ops.x.y`)
  const id = (await runEnvelope(shared, ...args)).stdout.trim()

  const { code, stdout } = await agentd(shared.daemon.env, ['receipts', id, '--wait', 'seen'])
  const unknown = await agentd(shared.daemon.env, ['receipts', 'no-such-envelope'])

  expect(code).toBe(0)
  expect(stdout).toMatch(
    new RegExp(`^envelope ${id} was sent to 1 session\nSTATE +.*\nseen +now +stream +doer \\(~alice/doer@`),
  )
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('not-found') })
})

test('the roster tells programs who speaks for whom', async () => {
  const entity = names.next('agent.rostered')
  await using other = await serveEntity(shared, entity, {})
  const { stdout } = await agentd(shared.daemon.env, ['roster', '--json'])

  const { sessions } = JSON.parse(stdout)
  expect(sessions).toContainEqual(
    expect.objectContaining({ address: other.session.address, entities: [entity] }),
  )
})

test('serve --json prints them as they pass', async () => {
  await using daemon = await startTestDaemon()
  await daemon.stop()
  await using served = startAgentd(daemon.env, ['serve', '--json'])
  await served.untilSaid(/serving/)

  await agentd(daemon.env, ['envelope', 'send', '--raw'], completeText())
  await served.untilSaid(/"received_ms"/)
  served.signal('SIGTERM')

  expect(JSON.parse((await served.ended).stdout)).toMatchObject({
    type: 'envelope',
    envelope: { to: 'bus.ops' },
    effective_priority: 'normal',
  })
})
