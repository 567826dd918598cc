import { describe, expect, test } from 'vitest'
import { arrivingEnvelope, arrivingFrame, batchOf, ingest, laneOf, REALM } from '../../support/arrivals.ts'
import { Workbench } from '../workbench.ts'

const outcomes = (answers: readonly { outcome: string }[]) => answers.map(({ outcome }) => outcome)

describe('Ingest', () => {
  test('gives an arrived frame the next place here, shows it to whom its scope names, and remembers where it came from (FED-27, FED-31)', async () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1'))
    const frame = arrivingFrame('far1-41')

    const answers = await ingest(bench, batchOf([frame], { seq: 7 }))

    expect(answers).toEqual([{ eventId: 'far1-41', outcome: 'applied' }])
    expect(sink.frameIds).toEqual([frame.submission.frame.frame_id])
    expect(sink.lastEventId).toBe('e1-1')
    expect(bench.ring.get(1)).toMatchObject({
      origin: { realm: REALM, node: 'devbox', eventId: 'far1-41' },
      senderAddress: '~alice/cc@far',
      tool: 'cc',
      text: frame.submission.text,
    })
  })

  test('leaves the marks of the lane and the cursor of the realm behind (FED-05, FED-25)', async () => {
    const bench = new Workbench()

    await ingest(bench, batchOf([arrivingFrame('far1-41'), arrivingFrame('far1-57')], { seq: 7 }))

    const { origins } = bench.broker
    expect(origins.marksOf(REALM).get(laneOf('devbox'))).toEqual(new Map([['far1', 57]]))
    expect(origins.cursorOf(REALM)).toEqual({ seq: 7, node: 'devbox', last: 'far1-57' })
  })

  test('does nothing for what it has applied, however often it comes and in whatever batch (FED-27)', async () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1'))
    const [first, second, third] = ['far1-1', 'far1-2', 'far1-3'].map((id) => arrivingFrame(id))
    if (first === undefined || second === undefined || third === undefined) throw new Error('no frames')
    await ingest(bench, batchOf([first, second]))

    const answers = await ingest(bench, batchOf([first, second, third], { seq: 2 }))

    expect(outcomes(answers)).toEqual(['repeat', 'repeat', 'applied'])
    expect(sink.seqs).toEqual([1, 2, 3])
    expect(bench.broker.counters).toMatchObject({ remoteApplied: 3, remoteRepeats: 2 })
  })

  test('knows the events of a former epoch of a lane when they are read again (FED-26)', async () => {
    const bench = new Workbench()
    const old = arrivingFrame('far1-9')
    await ingest(bench, batchOf([old]))
    await ingest(bench, batchOf([arrivingFrame('far2-1')], { epoch: 'far2' }))

    const answers = await ingest(bench, batchOf([old]))

    expect(outcomes(answers)).toEqual(['repeat'])
    expect(bench.ring.count).toBe(2)
  })

  test('applies two batches that come at once one after the other', async () => {
    const bench = new Workbench()
    const frame = arrivingFrame('far1-1')

    const [first, second] = await Promise.all([
      ingest(bench, batchOf([frame])),
      ingest(bench, batchOf([frame], { seq: 2 })),
    ])

    expect([...outcomes(first), ...outcomes(second)]).toEqual(['applied', 'repeat'])
  })

  test('refuses more batches than may wait (FED-25)', async () => {
    const bench = new Workbench()
    const waiting = Array.from({ length: 64 }, (_, i) =>
      bench.broker.ingest(batchOf([arrivingFrame(`far1-${i + 1}`)])),
    )

    await expect(bench.broker.ingest(batchOf([]))).rejects.toMatchObject({ code: 'busy' })

    const state = { isOver: false }
    const all = Promise.all(waiting).finally(() => {
      state.isOver = true
    })
    for (; !state.isOver; await new Promise(setImmediate)) bench.turn()
    expect((await all).flat()).toHaveLength(64)
  })

  test('refuses a batch with more records than one may have', async () => {
    const bench = new Workbench()
    const items = Array.from({ length: 1_025 }, () => ({ kind: 'forget', ids: [] }) as const)

    await expect(bench.broker.ingest(batchOf(items))).rejects.toMatchObject({ code: 'field-invalid' })
  })

  test('reports a frame whose id is another frame here, and goes on with the lane (FED-29)', async () => {
    const bench = new Workbench()
    const { frame_id: frameId } = bench.publish() as { frame_id: string }
    const twice = arrivingFrame('far1-1', { frame: { frame_id: frameId } })

    const answers = await ingest(bench, batchOf([twice, arrivingFrame('far1-2')]))

    expect(answers).toEqual([
      { eventId: 'far1-1', outcome: 'refused', code: 'duplicate-id' },
      { eventId: 'far1-2', outcome: 'applied' },
    ])
    expect(bench.broker.origins.reportsAfter(REALM, 0, 10).map(({ item, node }) => [node, ...item])).toEqual([
      ['devbox', frameId, '', 'refused', bench.clock.nowMs(), 'duplicate-id'],
    ])
  })

  test('reports what was refused before it came here, once (FED-29)', async () => {
    const bench = new Workbench()
    const refused = { kind: 'refused', eventId: 'far1-5', id: 'f-1', code: 'rate-limited' } as const

    await ingest(bench, batchOf([refused]))
    const again = await ingest(bench, batchOf([refused], { seq: 2 }))

    expect(again).toEqual([{ eventId: 'far1-5', outcome: 'repeat' }])
    expect(bench.broker.origins.reportsAfter(REALM, 0, 10)).toHaveLength(1)
  })

  test('charges no local sender for what comes from elsewhere (FED-63)', async () => {
    const bench = new Workbench({ limits: { limitRates: true, submissionsPerSecond: 1, submissionBurst: 1 } })
    const items = Array.from({ length: 50 }, (_, i) => arrivingFrame(`far1-${i + 1}`))

    const answers = await ingest(bench, batchOf(items))

    expect(new Set(outcomes(answers))).toEqual(new Set(['applied']))
    expect(bench.publish()).toMatchObject({ event_id: 'e1-51' })
  })

  test('answers a local submission as the first of its id, whatever came from elsewhere (FED-27)', async () => {
    const bench = new Workbench()
    await ingest(bench, batchOf([arrivingFrame('far1-1')]))

    const reply = bench.publish()

    expect(reply.duplicate).toBeUndefined()
  })

  test('finds the asker of a question that was asked on another node', async () => {
    const bench = new Workbench()
    const query = arrivingFrame('far1-1', { kind: 'agent_query' })
    const { frame } = query.submission
    if (frame.kind !== 'agent_query') throw new Error('no question')

    await ingest(bench, batchOf([query]))

    expect(bench.broker.queries.responseScopeOf(frame.payload.query_id)).toBe(frame.payload.response_scope)
  })

  test('delivers an arrived envelope to who hears for its entity (FED-69)', async () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1', { entities: ['agent.reviewer'] }))
    const envelope = arrivingEnvelope('far1-1', { to: 'agent.reviewer' })

    const answers = await ingest(bench, batchOf([envelope]))

    expect(outcomes(answers)).toEqual(['applied'])
    expect(sink.envelopes).toEqual([envelope.decoded.text])
  })

  test('takes an arrived envelope of a known id for a repeat, and another text for misuse (FED-71)', async () => {
    const bench = new Workbench()
    const one = arrivingEnvelope('far1-1', { id: 'the-same-id' })

    const answers = await ingest(
      bench,
      batchOf([one, { ...one, eventId: 'far1-2' }, arrivingEnvelope('far1-3', { id: 'the-same-id' })]),
    )

    expect(answers).toEqual([
      { eventId: 'far1-1', outcome: 'applied' },
      { eventId: 'far1-2', outcome: 'repeat' },
      { eventId: 'far1-3', outcome: 'refused', code: 'duplicate-id' },
    ])
  })

  test('answers for its own daemon only what was asked here (FED-70)', async () => {
    const bench = new Workbench()

    const answers = await ingest(bench, batchOf([arrivingEnvelope('far1-1', { to: 'service.agentd' })]))

    expect(answers).toEqual([{ eventId: 'far1-1', outcome: 'refused', code: 'recipient-unknown' }])
  })

  test('takes everything up to a named event as known, without having it (FED-26)', async () => {
    const bench = new Workbench()

    await ingest(bench, batchOf([], { upTo: 'far1-900' }))
    const answers = await ingest(bench, batchOf([arrivingFrame('far1-900'), arrivingFrame('far1-901')]))

    expect(outcomes(answers)).toEqual(['repeat', 'applied'])
  })
})

describe('What is forgotten elsewhere', () => {
  test("is forgotten here when one's own node says so, with what came just before (FED-33)", async () => {
    const bench = new Workbench()
    const frame = arrivingFrame('far1-1')
    const own = bench.publish()
    const ids = [frame.submission.frame.frame_id, own.frame_id]

    const answers = await ingest(bench, batchOf([frame, { kind: 'forget', ids }, arrivingFrame('far1-2')]))

    expect(outcomes(answers)).toEqual(['applied', 'applied', 'applied'])
    expect(bench.ring.count).toBe(1)
    expect(bench.ring.get(3)?.origin?.eventId).toBe('far1-2')
  })

  test('stays when another realm says so (FED-33)', async () => {
    const bench = new Workbench()
    const { frame_id: id } = bench.publish()

    const answers = await ingest(bench, batchOf([{ kind: 'forget', ids: [id] }], { realm: 'o.acme' }))

    expect(answers).toEqual([{ eventId: '', outcome: 'refused', code: 'scope-unauthorised' }])
    expect(bench.ring.count).toBe(1)
  })
})

describe('Reports', () => {
  test('name each recipient an arrived frame reached, for the node it came from (FED-52)', async () => {
    const bench = new Workbench()
    bench.open(bench.session('cc', 's1'))
    bench.session('cc', 's2', { mailbox: true })
    const frame = arrivingFrame('far1-1')

    await ingest(bench, batchOf([frame]))

    const { frame_id: id } = frame.submission.frame
    const nowMs = bench.clock.nowMs()
    expect(bench.broker.origins.reportsAfter(REALM, 0, 10)).toEqual([
      { n: 1, node: 'devbox', item: [id, '~alice/cc@s1', 'emitted', nowMs] },
      { n: 2, node: 'devbox', item: [id, '~alice/cc@s2', 'queued', nowMs] },
    ])
  })

  test('say once a turn how far it has come, and nothing of what was accepted here first (FED-52)', async () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's2', { mailbox: true })
    bench.publish()
    const frame = arrivingFrame('far1-1')
    await ingest(bench, batchOf([frame]))

    bench.drain(session, { state: 'handed' })
    bench.drain(session, { handed: 'seen' })
    bench.turn()

    const items = bench.broker.origins.reportsAfter(REALM, 1, 10).map(({ item }) => item)
    expect(items).toEqual([
      [frame.submission.frame.frame_id, session.address, 'seen', bench.clock.nowMs(), 'inbox'],
    ])
  })

  test('say that what waited has expired (FED-52)', async () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's2', { mailbox: true })
    await ingest(bench, batchOf([arrivingFrame('far1-1', { expiresAtMs: bench.clock.nowMs() + 1_000 })]))

    bench.clock.advance(2_000)
    bench.drain(session)
    bench.turn()

    expect(bench.broker.origins.reportsAfter(REALM, 1, 10).map(({ item }) => item[2])).toEqual(['expired'])
  })

  test('that come back are receipts of our frame, by node and recipient, and wake who waits for one (FED-52)', async () => {
    const bench = new Workbench()
    const { frame_id: id } = bench.publish()
    const woken: string[] = []
    bench.broker.receipts.require(id).delivery.onChange(() => void woken.push('woken'))
    const items = [
      [id, '~alice/cc@far', 'queued', 1_000],
      [id, '~alice/cc@far', 'seen', 2_000, 'hook'],
      [id, '~alice/cc@far', 'emitted', 3_000],
      ['nobody-knows-it', '~alice/cc@far', 'seen', 2_000],
    ] as const

    await ingest(bench, batchOf([{ kind: 'report', node: 'laptop', items }]))

    expect(bench.ring.get(1)?.delivery.remoteReceipts()).toEqual([
      { seq: 1, node: 'devbox', address: '~alice/cc@far', state: 'seen', atMs: 2_000, detail: 'hook' },
    ])
    expect(woken).toEqual(['woken', 'woken'])
  })

  test('are none of ours where the frame came from elsewhere', async () => {
    const bench = new Workbench()
    const frame = arrivingFrame('far1-1')
    const items = [[frame.submission.frame.frame_id, '~alice/cc@far', 'seen', 2_000]] as const

    await ingest(bench, batchOf([frame, { kind: 'report', node: 'laptop', items }]))

    expect(bench.ring.get(1)?.delivery.remoteReceipts()).toEqual([])
  })
})
