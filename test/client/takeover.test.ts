/** Taking over, against the real daemon (HO-03, HO-04, HO-05). */
import { expect, test } from 'vitest'
import { connect, type AgentdClient, type TakeOver } from '../../src/client/index.ts'
import { MAX_HANDOVER_PAGES } from '../../src/client/takeover.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'

/** What only a daemon's ring or a terminal could change: quotes, line ends, controls, what is no pair of letters. */
const ODD = 'ä€😀 "\\ \r\n\t\u0000\u001b[31m\u2028\ufeff\n\n'

async function open(daemon: TestDaemon): Promise<AgentdClient> {
  return connect({ socket: daemon.socket })
}

/** Who has it now, of those that took it over. */
function winners(outcomes: readonly TakeOver[]): number {
  return outcomes.filter(({ state }) => state === 'taken').length
}

test('gives the text as it was written, and claims it with a frame of one line (HO-01, HO-03)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const writer = await client.session({ instrument: 'cc-opus', sessionId: 's1' })
  const taker = await client.session({ instrument: 'codex', sessionId: 's2' })
  const text = `${ODD}${'ü'.repeat(20_000)}`
  const { frameId } = await writer.handover(text, { pointerRefs: ['src/a.ts'] })

  const outcome = await taker.takeOver()

  expect(outcome).toMatchObject({
    state: 'taken',
    handover: { frameId, from: writer.address, previousSessionId: 's1', text, pointerRefs: ['src/a.ts'] },
    claim: { recipientCount: 0 },
  })
  const { items } = await client.history({ filter: 'kind:agent_handover' })
  expect(items.at(-1)).toMatchObject({
    sender: taker.address,
    frame: {
      payload: {
        previous_session_id: 's1',
        next_session_id: 's2',
        handover_body: expect.stringMatching(/^Taken over: .*$/),
        pointer_refs: [frameId],
      },
    },
  })
})

test('a second one is told who has it, and the same one may read it again (HO-04)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const [writer, one, other] = await Promise.all(
    ['s1', 's2', 's3'].map((sessionId) => client.session({ instrument: 'cc', sessionId })),
  )
  const { frameId } = (await writer?.handover('work')) ?? {}

  const first = await one?.takeOver()
  const late = await other?.takeOver()
  const again = await one?.takeOver({ frame: frameId?.slice(0, 8) })
  const looked = await other?.takeOver({ frame: frameId, peek: true })

  expect(first).toMatchObject({ state: 'taken' })
  const holder = { from: one?.address, sessionId: 's2' }
  expect(late).toMatchObject({ state: 'held', holder })
  expect(again).toMatchObject({ state: 'taken', handover: { text: 'work' }, claim: undefined, holder })
  expect(looked).toMatchObject({ state: 'taken', handover: { text: 'work' }, claim: undefined, holder })
  expect((await client.history({ filter: 'kind:agent_handover' })).items).toHaveLength(2)
})

test('a look claims nothing', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  await client.handover('work')

  const looked = await client.takeOver({ peek: true })

  expect(looked).toMatchObject({ state: 'taken', claim: undefined, holder: undefined })
  expect((await client.history()).items).toHaveLength(1)
})

test('of many at once exactly one has it, and the others are told the same one (HO-04)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const sessions = await Promise.all(
    Array.from({ length: 8 }, (_, i) => client.session({ instrument: 'cc', sessionId: `t${i}` })),
  )
  for (let round = 0; round < 5; round += 1) {
    await client.handover(`work ${round}`)

    const outcomes = await Promise.all(sessions.map((session) => session.takeOver()))

    expect(winners(outcomes)).toBe(1)
    const at = outcomes.findIndex(({ state }) => state === 'taken')
    const holders = outcomes.flatMap((one) => (one.state === 'held' ? [one.holder.from] : []))
    expect(new Set(holders)).toEqual(new Set([sessions[at]?.address]))
  }
})

test('the newest is neither the own one, nor one for somebody else, nor one that has run out', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const own = await client.session({ instrument: 'cc', sessionId: 's1' })
  const other = await client.session({ instrument: 'cc', sessionId: 's2' })

  expect(await own.takeOver()).toEqual({ state: 'none', others: 0 })
  await other.handover('over', { ttlMs: 0 })
  await other.handover('mine', { nextSessionId: 's1' })
  await other.handover('for somebody else', { nextSessionId: 's3' })
  await own.handover('own')

  expect(await own.takeOver()).toMatchObject({ state: 'taken', handover: { text: 'mine' } })
  expect(await other.takeOver()).toMatchObject({ state: 'taken', handover: { text: 'own' } })
})

test('what is not admitted is passed over and counted', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const writer = await client.session({ instrument: 'cc', sessionId: 's1', worktree: '/w' })
  await writer.handover('here')
  await client.handover('elsewhere')
  await client.handover('elsewhere too')

  expect(await client.takeOver({ admits: () => false })).toEqual({ state: 'none', others: 3 })
  expect(await client.takeOver({ admits: (_, from) => from?.worktree === '/w' })).toMatchObject({
    handover: { text: 'here' },
  })
})

test('what goes wrong before the claim leaves it to the next one (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  await client.handover('work')
  const disk = new Error('the disk is full')

  const failed = client.takeOver({
    beforeClaim: () => {
      throw disk
    },
  })

  await expect(failed).rejects.toBe(disk)
  expect(await client.takeOver()).toMatchObject({ state: 'taken', handover: { text: 'work' } })
})

test('an id of less than four letters is none, and one that several have is not guessed at', async () => {
  await using daemon = await startTestDaemon()
  await using client = await open(daemon)
  const ids = ['aaaaaaaa-0000-4000-8000-00000000000a', 'aaaaaaaa-0000-4000-8000-00000000000b']
  const { frame } = await client.verb('agent_handover', { body: 'one' })
  for (const frame_id of ids) await client.submit({ ...frame, frame_id })

  await expect(client.takeOver({ frame: 'aaa' })).rejects.toThrow('4 letters')
  await expect(client.takeOver({ frame: 'AAAA' })).rejects.toThrow('2 handovers')
  expect(await client.takeOver({ frame: ids[1] })).toMatchObject({ handover: { frameId: ids[1] } })
  expect(await client.takeOver({ frame: 'ffffffff' })).toEqual({ state: 'none', others: 0 })
})

test('one is found behind any number of pages, within a bound (HO-04)', async () => {
  await using daemon = await startTestDaemon({ profile: 'conformance' })
  await using client = await open(daemon)
  const { frameId } = await client.handover('the oldest')
  const body = 'x'.repeat(60_000)
  // A page ends at four mebibytes of text.
  for (let i = 0; i < 150; i += 1) await client.handover(body)

  const outcome = await client.takeOver({ frame: frameId })

  expect(outcome).toMatchObject({ state: 'taken', handover: { text: 'the oldest' } })
  expect(MAX_HANDOVER_PAGES).toBe(16)
}, 60_000)
