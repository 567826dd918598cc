/** The end of a process, seen by the real daemon (OP-27). */
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { post, request } from '../support/http.ts'
import { kill, namesProcesses, startParty } from '../support/mortal-session.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

async function addressesAt({ socket }: Pick<TestDaemon, 'socket'>): Promise<readonly string[]> {
  const { body } = await request(socket, '/v1/handles/~alice/roster')
  return body.sessions.map(({ address }: { address: string }) => address)
}

function adviseTo(socket: string, name: string, text: string) {
  return post(socket, '/v1/verbs/agent_advise', { text, recipient_scope: `~alice/cc@${name}` })
}

test('a killed process is on no roster and reached by nothing, at once, and its mail is kept (OP-27)', async () => {
  await using daemon = await startTestDaemon()
  const party = await startParty(daemon.socket, 'mortal')
  const streaming = await startParty(daemon.socket, 'streaming', 'stream')
  const kept = await adviseTo(daemon.socket, 'mortal', 'before')

  await Promise.all([kill(party), kill(streaming)])
  const late = await Promise.all(
    ['mortal', 'streaming'].map((name) => adviseTo(daemon.socket, name, 'after')),
  )
  const addresses = await addressesAt(daemon)
  const heir = { instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: 'cc@mortal' }
  const { body } = await post(daemon.socket, '/v1/sessions', heir)
  const self = await request(daemon.socket, '/v1/sessions/self', { token: body.token })

  expect(kept.body.queued_count).toBe(1)
  const isSeen = await namesProcesses(daemon)
  const counts = late.map((answer) => answer.body.recipient_count + answer.body.queued_count)
  expect(counts).toEqual(isSeen ? [0, 0] : [1, 1])
  expect(addresses).toEqual(isSeen ? [] : ['~alice/cc@mortal', '~alice/cc@streaming'])
  if (isSeen) expect(self.body.mailbox).toEqual({ unread: 1 })
})

test.runIf(keepsFrames())(
  'who died while no daemon ran is not there when one starts, and who lives is (OP-27)',
  async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    const isSeen = await namesProcesses(first)
    const [mortal, living] = await Promise.all([
      startParty(first.socket, 'mortal'),
      startParty(first.socket, 'living'),
    ])
    await adviseTo(first.socket, 'mortal', 'before')
    await first.stop('SIGKILL')
    await kill(mortal)

    await using second = await startTestDaemon({ dir })
    const addresses = await addressesAt(second)
    await kill(living)
    const heir = { instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: 'cc@mortal' }
    const { body } = await post(second.socket, '/v1/sessions', heir)
    const self = await request(second.socket, '/v1/sessions/self', { token: body.token })

    expect(addresses).toEqual(isSeen ? ['~alice/cc@living'] : ['~alice/cc@mortal', '~alice/cc@living'])
    if (isSeen) expect(self.body.mailbox).toEqual({ unread: 1 })
  },
)

test.runIf(keepsFrames())(
  'who carries on is known after a kill of the daemon: what is sent to the former address finds it (OP-27)',
  async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    const wish = { instrument: 'cc', mailbox: true }
    const former = await post(first.socket, '/v1/sessions', {
      ...wish,
      session_id: 's0',
      entities: ['agent.asker'],
    })
    const headers = { 'agentd-predecessor': former.body.token }
    const heir = await request(first.socket, '/v1/sessions', {
      json: { ...wish, session_id: 's1', successor_of: 'cc@s0' },
      headers,
    })
    await first.stop('SIGKILL')
    await using second = await startTestDaemon({ dir })

    const sent = await adviseTo(second.socket, 's0', 'an answer, late')
    const drained = await post(second.socket, '/v1/inbox/drain', {}, heir.body.token)
    const receipts = await request(second.socket, `/v1/frames/${sent.body.frame_id}`)

    expect(sent.body).toMatchObject({ recipient_count: 0, queued_count: 1 })
    expect(drained.body.items).toMatchObject([{ frame: { frame_id: sent.body.frame_id } }])
    expect(receipts.body.receipts).toMatchObject([
      { address: '~alice/cc@s0', carried_on_by: '~alice/cc@s1', state: 'seen' },
    ])
  },
)
