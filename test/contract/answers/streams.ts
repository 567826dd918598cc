/**
 * Streams and watches, each until it ends, with every event that it may have.
 */
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame } from '../../support/frames.ts'
import type { AnswerJournal } from './journal.ts'
import { HANDLE, type Cast } from './scenes.ts'

/** A stream that has all that a stream can, and one that knows frames alone. */
export async function streams(journal: AnswerJournal): Promise<void> {
  const { body: mine } = await journal.get('openSession', { json: { instrument: 'streaming', tool: 'cc' } })
  const own = { ...HANDLE, token: mine.token }
  const named = await journal.open('openStream', {
    ...own,
    query: { after: 'nobodys-7', entities: 'agent.s' },
  })
  const unnamed = await journal.open('openStream', { ...HANDLE, query: { profile: 'memo' } })
  await named.next('agentd_gap')
  await journal.get('submitFrame', { json: { frame: validFrame() } })
  await journal.get('submitEnvelope', {
    json: validEnvelope({ from: 'agent.free', to: 'agent.s', priority: 'urgent' }),
  })
  await named.next('agent_frame')
  await named.next('aee_envelope')
  await unnamed.next()
  await journal.get('closeSession', { token: mine.token })
  await named.next('agentd_bye')
  journal.close('openStream', named)
  journal.close('openStream', unnamed)
}

/** A watch of all that can pass, until the daemon ends. */
export async function watch(journal: AnswerJournal, { reader, sender }: Cast): Promise<void> {
  const watched = await journal.open('openWatch', { query: { after: 'nobodys-7' }, token: sender })
  await watched.next('agentd_snapshot')
  await watched.next('agentd_gap')
  const { body: other } = await journal.get('openSession', { json: { instrument: 'passing', mailbox: true } })
  await watched.next('agentd_session')
  const question = { text: 'may I?', recipient_scope: '~alice/*' }
  const { body: asked } = await journal.get('callVerb', {
    path: { verb: 'agent_query' },
    json: question,
    token: sender,
  })
  await watched.next('agentd_passed')
  await watched.next('agentd_need')
  await journal.get('submitEnvelope', { json: validEnvelope({ to: 'agent.worker' }), token: sender })
  await watched.next('agentd_passed')
  await journal.get('markSeen', { json: { event_ids: [asked.event_id] }, token: reader })
  await watched.next('agentd_receipt')
  await journal.get('endSession', { path: { address: other.address } })
  await journal.get('forgetFrames', { query: { sender: '~nobody', dry_run: 'true' } })
  await journal.get('forgetFrames', { query: { event_id: asked.event_id } })
  await watched.next('agentd_forgotten')
  await journal.get('stopDaemon')
  await watched.next('agentd_bye')
  journal.close('openWatch', watched)
}
