/** What became of something on other nodes, and when a wait for it is over. */
import { expect, test } from 'vitest'
import type { ReportItem } from '../../../src/broker/origins/origins.ts'
import type { SubmissionReply } from '../../../src/protocol/http/frame-replies.ts'
import { REALM, arrivingFrame, batchOf, ingest } from '../../support/arrivals.ts'
import { FilledRemote, remoteNode } from '../../support/other-nodes.ts'
import { Workbench } from '../workbench.ts'

const FAR = '~alice/cc@far'
const DEVBOX = remoteNode('devbox', [FAR])
const CI = remoteNode('ci', ['~alice/cc@s9'], { state: 'away' })

function meet(...nodes: readonly (typeof DEVBOX)[]) {
  const remote = new FilledRemote(...nodes)
  const bench = new Workbench({ remote })
  const { receipts } = bench.broker
  return {
    bench,
    remote,
    lines: ({ frame_id: id }: SubmissionReply) => receipts.describe(receipts.require(id)).receipts,
    /** Another node tells what became of frames. */
    report: (node: string, ...items: readonly ReportItem[]) =>
      ingest(
        bench,
        batchOf([{ kind: 'report', node: 'laptop', items }], { node, lane: `agentd.v1.${REALM}.f.${node}` }),
      ),
    acknowledge: (last: string) =>
      bench.broker.origins.setAcked(REALM, { last, reports: 0, streamCreated: 'then', streamSeq: 1 }),
    /** Whether a wait is over. */
    waiting: ({ frame_id: id }: SubmissionReply, wait: 'seen' | 'all') => {
      const state = { isOver: false }
      receipts.wait(receipts.require(id), wait, 60_000, () => {
        state.isOver = true
      })
      return state
    },
  }
}

test('what left is remote-waiting until the hub has it, remote-handed until the node tells, and then what that says (FED-52)', async () => {
  const { bench, lines, report, acknowledge } = meet(DEVBOX, CI)
  const sent = bench.publish()
  const { frame_id: id, event_id: place } = sent
  const states = () => lines(sent).map(({ node, address, state }) => [node, address, state])

  expect(states()).toEqual([
    ['devbox', '~alice/*', 'remote-waiting'],
    ['ci', '~alice/*', 'remote-waiting'],
  ])
  acknowledge(place)
  expect(states()).toEqual([
    ['devbox', '~alice/*', 'remote-handed'],
    ['ci', '~alice/*', 'remote-handed'],
  ])
  await report('devbox', [id, FAR, 'emitted', bench.clock.nowMs()])
  expect(states()).toEqual([
    ['devbox', FAR, 'emitted'],
    ['ci', '~alice/*', 'remote-handed'],
  ])
  await report('devbox', [id, FAR, 'seen', bench.clock.nowMs(), 'hook'])
  await report('ci', [id, '', 'refused', bench.clock.nowMs(), 'rate-limited'])
  expect(lines(sent)).toMatchObject([
    { node: 'devbox', address: FAR, state: 'seen', via: 'hook' },
    { node: 'ci', address: '~alice/*', state: 'refused', code: 'rate-limited' },
  ])
})

test('what came after a place that the hub acknowledged waits still (FED-52)', () => {
  const { bench, lines, acknowledge } = meet(DEVBOX)
  const first = bench.publish()
  const second = bench.publish()

  acknowledge(first.event_id)

  expect([first, second].map((sent) => lines(sent)[0]?.state)).toEqual(['remote-handed', 'remote-waiting'])
})

test('all waits for whom another node names, and for nobody who is away (FED-52)', async () => {
  const { bench, report, waiting } = meet(DEVBOX, CI)
  const sent = bench.publish()
  const all = waiting(sent, 'all')

  expect(all.isOver).toBe(false)
  await report('devbox', [sent.frame_id, FAR, 'emitted', bench.clock.nowMs()])
  expect(all.isOver).toBe(false)
  await report('devbox', [sent.frame_id, FAR, 'seen', bench.clock.nowMs() + 1, 'hook'])
  expect(all.isOver).toBe(true)
})

test('seen is over with the first that has seen it, wherever that is (FED-52)', async () => {
  const { bench, report, waiting } = meet(DEVBOX, CI)
  bench.session('cc', 's1', { mailbox: true })
  const sent = bench.publish()
  const seen = waiting(sent, 'seen')

  expect(seen.isOver).toBe(false)
  await report('devbox', [sent.frame_id, FAR, 'seen', bench.clock.nowMs(), 'hook'])
  expect(seen.isOver).toBe(true)
})

test('a wait for all ends when the last that it waited for falls silent, and at once where all are away (FED-52)', () => {
  const { bench, remote, waiting } = meet(DEVBOX)
  const sent = bench.publish()
  const all = waiting(sent, 'all')

  expect(all.isOver).toBe(false)
  remote.become(remoteNode('devbox', [FAR], { state: 'away' }))
  expect(all.isOver).toBe(true)
  expect(waiting(bench.publish(), 'all').isOver).toBe(true)
})

test('what came from another node has its receipts there, and without a link there is nobody to be told of (FED-01, FED-52)', async () => {
  const { bench } = meet(DEVBOX)
  await ingest(bench, batchOf([arrivingFrame('far1-1')]))
  const arrived = bench.ring.get(1)
  const alone = new Workbench()
  const sent = alone.publish()

  if (arrived === undefined) throw new Error('nothing arrived')
  expect(bench.broker.receipts.describe(arrived).receipts).toEqual([])
  const { receipts } = alone.broker
  expect(receipts.describe(receipts.require(sent.frame_id))).toEqual(
    expect.not.objectContaining({ away: expect.anything() }),
  )
  expect(receipts.describe(receipts.require(sent.frame_id)).receipts).toEqual([])
})
