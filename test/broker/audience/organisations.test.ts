/**
 * Scopes of organisations on one machine (memo §§6, 8, 14): AC-120, AC-121, AC-125, AC-128, AC-155, AC-187; FED-56.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '../../../src/broker/session/session.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { orRefusal } from '../../../src/core/thrown.ts'
import { TestAuthority } from '../../support/authority.ts'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

const ALL = 'org:~acme/members/*'
const DEV = 'org:~acme/members/dev/*'

let authority: TestAuthority
let bench: Workbench
let alice: Session
let work: Session

beforeEach(() => {
  authority = new TestAuthority('~alice', '~alice-work', '~alice-club')
  authority.charter('~acme', '~alice owner', '~alice-work dev', '~bob dev')
  bench = new Workbench({ authority })
  alice = bench.session('cc', 'home')
  work = bench.session('cc', 'work', { handle: '~alice-work' })
})

/** The code and the sentence a frame is refused with. */
function refusal(scope: string, from?: Session, frame = {}): string | undefined {
  const found = orRefusal(() => bench.publish({ from, scope, frame }))
  return found instanceof AgentdError ? `${found.code} ${found.field}: ${found.message}` : undefined
}

describe('who is reached', () => {
  test('all members that are here, and nobody else (AC-120)', () => {
    const club = bench.session('cc', 'club', { handle: '~alice-club' })
    const [mine, works, clubs] = [bench.open(alice), bench.open(work), bench.open(club)]

    const reply = bench.publish({ from: alice, scope: ALL })

    expect([mine, works, clubs].map(({ sink }) => sink.frameIds.length)).toEqual([1, 1, 0])
    expect(reply).toMatchObject({ recipient_count: 2, queued_count: 0, org: { members: 3, reached: 2 } })
  })

  test('members of a role alone, and a role that nobody holds is nobody (AC-121)', () => {
    const [mine, works] = [bench.open(alice), bench.open(work)]

    expect(bench.publish({ from: alice, scope: DEV }).org).toEqual({ members: 2, reached: 1 })
    expect(bench.publish({ from: alice, scope: 'org:acme/members/night/*' })).toMatchObject({
      recipient_count: 0,
      org: { members: 0, reached: 0 },
    })
    expect([mine, works].map(({ sink }) => sink.frameIds.length)).toEqual([0, 1])
  })

  test('who comes into the charter is reached by the next frame, who goes out of it is not (FED-56)', () => {
    const works = bench.open(work)
    bench.publish({ from: alice, scope: ALL })
    authority.charter('~acme', '~alice')
    bench.publish({ from: alice, scope: ALL })
    authority.charter('~acme', '~alice', '~alice-work')
    bench.publish({ from: alice, scope: ALL })

    expect(works.sink.seqs).toEqual([1, 3])
  })
})

describe('who may send', () => {
  test('a member may, and nobody else (AC-125)', () => {
    const club = bench.session('cc', 'club', { handle: '~alice-club' })

    expect(refusal(ALL, work)).toBeUndefined()
    expect(refusal(ALL, club)).toBe('scope-unauthorised recipient_scope: ~alice-club is no member of ~acme.')
    expect(bench.ring.count).toBe(1)
  })

  test('an instrument sends as the member that it acts for (AC-178)', () => {
    const instrument = bench.session('cc-solo', 's1', { handle: '~cc-solo' })

    expect(refusal(ALL, instrument)).toBeUndefined()
    authority.charter('~acme', '~alice-work')
    expect(refusal(ALL, instrument)).toContain('~alice is no member of ~acme')
  })

  test('an organisation without a charter here is refused, and so is another recipient than it (ACQ-03)', () => {
    expect(refusal('org:~globex/members/*', alice)).toBe(
      'scope-unauthorised recipient_scope: There is no charter of ~globex here.',
    )
    expect(refusal(ALL, alice, { recipient_handle: '~alice' })).toContain(
      'scope-unauthorised recipient_scope: The scope names ~acme, the frame ~alice.',
    )
  })

  test('without any charter the form is not implemented, nor without any accord the other (AC-128)', () => {
    const alone = new Workbench()
    const code = (scope: string) => refusalOf(() => alone.publish({ scope }))?.code

    expect([ALL, DEV, 'accord:~acme/grant:g'].map(code)).toEqual(Array(3).fill('scope-unimplemented'))
    expect(refusal('accord:~acme/grant:g', alice)).toContain('scope-unimplemented')
  })

  test('whether something has changed is looked at before a frame to an organisation, and before no other (FED-56)', () => {
    bench.publish({ from: alice })
    expect(authority.looks).toBe(0)
    bench.publish({ from: alice, scope: ALL })
    expect(authority.looks).toBe(1)
  })
})

describe('what a sender learns', () => {
  test('its own sessions one by one, and of each other member one, however many there are (AC-187, ACQ-24)', () => {
    for (const id of ['a', 'b', 'c']) bench.open(bench.session('cc', id, { handle: '~alice-work' }))
    for (const id of ['d', 'e']) bench.session('codex', id, { handle: '~alice-work', mailbox: true })
    bench.open(alice)
    bench.open(bench.session('cc', 'second'))

    const reply = bench.publish({ from: alice, scope: ALL })

    expect(reply).toMatchObject({ recipient_count: 3, queued_count: 0, org: { members: 3, reached: 2 } })
    const retained = bench.broker.receipts.require(reply.frame_id, bench.caller(alice))
    const { receipts } = bench.broker.receipts.describe(retained)
    expect(receipts.map(({ address, state }) => `${address} ${state}`)).toEqual([
      '~alice/cc@home emitted',
      '~alice/cc@second emitted',
      '~alice-work emitted',
    ])
  })

  test('receipts are for its own Sovereign alone (AC-188)', () => {
    const { frame_id: id } = bench.publish({ from: alice, scope: ALL })

    expect(refusalOf(() => bench.broker.receipts.require(id, bench.caller(work)))?.code).toBe('not-found')
    expect(bench.broker.receipts.require(id, bench.caller()).seq).toBe(1)
  })
})

describe('the filter axis org', () => {
  test('lets through what is scoped to the organisation, as it passes and from the past (AC-155)', () => {
    const filter = 'org:acme'
    const live = bench.open(work, { filter })
    bench.publish({ from: work })
    bench.publish({ from: alice, scope: ALL })
    bench.publish({ from: alice, scope: DEV })

    expect(live.sink.seqs).toEqual([2, 3])
    expect(bench.open(work, { filter, cursor: bench.ring.eventId(0) }).sink.seqs).toEqual([2, 3])
    expect(bench.open(work, { filter: 'org:~globex', cursor: bench.ring.eventId(0) }).sink.seqs).toEqual([])
  })
})

describe('who is a member no more', () => {
  test('reads nothing of it from the past, and who is one does (FED-56)', () => {
    bench.publish({ from: alice, scope: ALL })
    bench.publish({ from: work })
    const cursor = bench.ring.eventId(0)

    expect(bench.open(work, { cursor }).sink.seqs).toEqual([1, 2])
    authority.charter('~acme', '~alice')
    expect(bench.open(work, { cursor }).sink.seqs).toEqual([2])
    expect(bench.open(alice, { cursor }).sink.seqs).toEqual([1])
  })

  test('is not handed what waited for it, and what waits counts no more then (FED-56)', () => {
    const idle = bench.session('cc', 'idle', { handle: '~alice-work', mailbox: true })
    const first = bench.publish({ from: alice, scope: ALL })
    bench.publish({ from: work })

    expect(first).toMatchObject({ queued_count: 1 })
    expect(idle.mailbox?.unread).toBe(2)
    authority.charter('~acme', '~alice')
    expect(bench.drain(idle).items).toHaveLength(1)
    expect(idle.mailbox?.unread).toBe(0)
  })

  test('a member with a mailbox is handed it once, and a sender never its own (PD-03)', () => {
    const idle = bench.session('cc', 'idle', { handle: '~alice-work', mailbox: true })
    const sender = bench.session('cc', 'sender', { handle: '~alice-work', mailbox: true })

    expect(bench.publish({ from: sender, scope: DEV })).toMatchObject({ queued_count: 1 })
    expect([idle, idle, sender].map((one) => bench.drain(one).items.length)).toEqual([1, 0, 0])
  })
})

describe('a question to an organisation', () => {
  const QUERY = '8d3f1a52-4c6e-4f0b-9a7d-2b1c0e9f8a71'

  function ask(scope: string, responseScope = alice.address) {
    const payload = { query_text: 'who?', query_id: QUERY, response_scope: responseScope, timeout_ms: 1_000 }
    return bench.publish({ from: alice, scope, kind: 'agent_query', frame: { payload } })
  }

  function answer(from: Session, scope = alice.address): string | undefined {
    const payload = { query_id: QUERY, response_text: 'me', responder_session_id: from.sessionId }
    const publication = { from, scope, kind: 'agent_response', frame: { payload } } as const
    return refusalOf(() => bench.publish(publication))?.code
  }

  test('is answered by a member to the one session that asked, and to nobody else of its handle (AC-125)', () => {
    const asker = bench.open(alice)
    ask(ALL)

    expect(answer(work)).toBeUndefined()
    expect(answer(work, '~alice/*')).toBe('scope-unauthorised')
    expect(asker.sink.frameIds).toHaveLength(2)
  })

  test('is not answered by who was not asked, or is a member no more (AC-125)', () => {
    ask(DEV)
    const club = bench.session('cc', 'club', { handle: '~alice-club' })

    expect(answer(club)).toBe('scope-unauthorised')
    authority.charter('~acme', '~alice owner', '~alice-work')
    expect(answer(work)).toBe('scope-unauthorised')
  })

  test('to one’s own sessions opens no way for others (ACQ-41)', () => {
    ask('~alice/*')

    expect(answer(work)).toBe('scope-unauthorised')
  })
})
