/**
 * Members of an organisation on other nodes: who may be named, what is counted of them, and what is believed of them.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { nodeEntries } from '../../../src/broker/node-entry.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { orRefusal } from '../../../src/core/thrown.ts'
import { arrivingFrame, batchOf, ingest } from '../../support/arrivals.ts'
import { TestAuthority } from '../../support/authority.ts'
import { FilledRemote, remoteNode } from '../../support/other-nodes.ts'
import { Workbench } from '../workbench.ts'

const ALL = 'org:~acme/members/*'
const ACME = { realm: 'o.acme' }
const BOB = remoteNode('~bob/box', ['~bob/cc@b1', '~bob/cc@b2'], { ...ACME, handle: '~bob' })
const BOBS_OTHER = remoteNode('~bob/tower', ['~bob/cc@b3'], { ...ACME, handle: '~bob' })
const CAROL = remoteNode('~carol/desk', ['~carol/cc@c1'], { ...ACME, handle: '~carol', state: 'away' })
const OWN = remoteNode('devbox', ['~alice/cc@d1'])
/** The same machine, as the organisation's realm tells of it. */
const OWN_THERE = remoteNode('~alice/devbox', ['~alice/cc@d1'], ACME)

let authority: TestAuthority
let remote: FilledRemote
let bench: Workbench

beforeEach(() => {
  authority = new TestAuthority('~alice')
  authority.charter('~acme', '~alice dev', '~bob dev', '~carol ops')
  remote = new FilledRemote(BOB, BOBS_OTHER, CAROL, OWN, OWN_THERE)
  bench = new Workbench({ authority, remote })
})

/** The code and the sentence a frame is refused with. */
function refusal(scope: string): string | undefined {
  const found = orRefusal(() => bench.publish({ scope }))
  return found instanceof AgentdError ? `${found.code}: ${found.message}` : undefined
}

function awayFrom(scope: string): readonly string[] | undefined {
  const { receipts } = bench.broker
  return receipts.describe(receipts.require(bench.publish({ scope }).frame_id)).away
}

describe('who may be named', () => {
  test('a handle with which a realm is shared, and no other (FED-55)', () => {
    expect(refusal('~bob/*')).toBeUndefined()
    expect(refusal('~bob/cc@b1')).toBeUndefined()
    expect(refusal('~mallory/*')).toBe('scope-unauthorised: ~mallory is not a handle of this principal.')
  })

  test('without a link no other handle, whoever is known of it (FED-01, FED-55)', () => {
    remote.isLinked = false

    expect(refusal('~bob/*')).toMatch(/^scope-unauthorised/)
  })

  test('an organisation that nobody knows is refused where there is a link, and not implemented where there is none (FED-01, FED-56)', () => {
    bench = new Workbench({ remote })

    expect(refusal(ALL)).toBe('scope-unauthorised: There is no charter of ~acme here.')
    remote.isLinked = false
    expect(refusal(ALL)).toMatch(/^scope-unimplemented/)
  })

  test('an organisation that one is no member of is refused (FED-56)', () => {
    authority.charter('~globex', '~bob')

    expect(refusal('org:~globex/members/*')).toBe('scope-unauthorised: ~alice is no member of ~globex.')
  })
})

describe('what is counted', () => {
  test('each of one’s own sessions, and of another member that there is one (FED-50, FED-59)', () => {
    expect(bench.publish({ scope: ALL }).remote).toMatchObject({
      sessions: 2,
      nodes: ['~alice/devbox', '~bob/box', '~bob/tower'],
      away: ['~carol/desk'],
    })
    expect(bench.publish({ scope: '~bob/cc*' }).remote).toMatchObject({
      sessions: 1,
      nodes: ['~bob/box', '~bob/tower'],
      away: [],
    })
  })

  test('members of the role alone (FED-56)', () => {
    expect(bench.publish({ scope: 'org:~acme/members/dev/*' }).remote).toMatchObject({
      sessions: 2,
      away: [],
    })
    expect(bench.publish({ scope: 'org:~acme/members/ops/*' }).remote).toMatchObject({
      sessions: 0,
      nodes: [],
      away: ['~carol/desk'],
    })
  })

  test('who comes into the charter is counted by the next frame', () => {
    const before = bench.publish({ scope: ALL }).remote?.sessions
    authority.charter('~acme', '~alice')

    expect([before, bench.publish({ scope: ALL }).remote?.sessions]).toEqual([2, 1])
  })

  test('one’s own machine once, though two realms tell of it (FED-50)', () => {
    expect(bench.publish().remote).toMatchObject({ sessions: 1, nodes: ['devbox'], away: [] })
    expect(bench.broker.others.alsoOn('~alice/cc@d1')).toEqual(['devbox'])
  })

  test('whoever is away and whom a frame is not for is in none of its receipts (FED-52)', () => {
    expect([awayFrom('~alice/*'), awayFrom(ALL)]).toEqual([undefined, ['~carol/desk']])
  })

  test('a roster of all nodes shows another’s sessions as far as it told of them, with whose they are (FED-59)', () => {
    const told = nodeEntries([BOB, OWN, OWN_THERE], '~alice', 10)

    expect(told.map(({ node, handle, total }) => [node, handle, total])).toEqual([
      ['~bob/box', '~bob', 2],
      ['devbox', '~alice', 1],
      ['~alice/devbox', '~alice', 1],
    ])
  })
})

describe('what comes from a member', () => {
  const lane = { node: '~bob/box', realm: 'o.acme', lane: 'agentd.v1.o.acme.all.bob.box' }

  test('is reported with which handles have it, never with which sessions (FED-59)', async () => {
    bench.session('cc', 's1', { mailbox: true })
    bench.session('cc', 's2', { mailbox: true })
    const frame = arrivingFrame('far1-1', {
      scope: ALL,
      frame: { sender_handle: '~bob', acted_by: '~bob', recipient_handle: '~acme' },
    })

    await ingest(bench, batchOf([frame], lane))

    const reports = bench.broker.origins.reportsAfter('o.acme', 0, 10)
    expect(reports.map(({ node, item }) => [node, item[1], item[2]])).toEqual([
      ['~bob/box', '~alice', 'queued'],
    ])
  })

  test('is believed of what may have come to it, for itself alone (FED-52, FED-59)', async () => {
    const [mine, theirs] = [bench.publish(), bench.publish({ scope: ALL })]
    const at = bench.clock.nowMs()
    const items = [mine, theirs].map(({ frame_id: id }) => [id, '~alice/cc@d1', 'seen', at] as const)

    await ingest(bench, batchOf([{ kind: 'report', node: '~alice/laptop', items }], lane))

    const receipts = [1, 2].map((seq) => bench.ring.get(seq)?.delivery.remoteReceipts() ?? [])
    expect(receipts.map((ofOne) => ofOne.map(({ address }) => address))).toEqual([[], ['~bob']])
  })

  test('is nobody’s own: a session here may not look up its receipts (FED-59)', async () => {
    const session = bench.session('cc', 's1', { mailbox: true })
    const frame = arrivingFrame('far1-1', {
      scope: ALL,
      frame: { sender_handle: '~bob', acted_by: '~bob', recipient_handle: '~acme' },
    })
    await ingest(bench, batchOf([frame], lane))

    const { frame_id: id } = frame.submission.frame
    expect(() => bench.broker.receipts.require(id, bench.caller(session))).toThrow(AgentdError)
  })
})
