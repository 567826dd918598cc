/**
 * A link of an organisation: whose word counts there, what of it is let in, and what leaves for whom. Documents are signed by
 * real keys; each forgery names its code.
 */
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { STANDING_WAIT_MS } from '../../src/gateway/in/standing-waits.ts'
import { Standings } from '../../src/gateway/in/standings.ts'
import { STRANGER_BURST, StrangerRates } from '../../src/gateway/in/stranger-rates.ts'
import { formatRecord } from '../../src/link/record.ts'
import { keyFor } from '../authority/documents.ts'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame, type FrameOverrides } from '../support/frames.ts'
import { LinkedNode } from './linked-node.ts'
import { ACME, RealmOfAcme, type AcmeMessage } from './realm-of-acme.ts'

const ALL = 'org:~acme/members/*'
const DEV = 'org:~acme/members/dev/*'
const FOR_ALICE = { of: 'member', handle: '~alice' } as const

let acme: RealmOfAcme

beforeEach(() => {
  acme = new RealmOfAcme()
})

function start(options: Parameters<typeof LinkedNode.start>[2] = {}): Promise<LinkedNode> {
  return LinkedNode.start(acme, 'box', { authority: acme.authority, charters: acme, ...options })
}

/** A record of a frame that the machine of `~bob` accepted. */
function frameLine(
  e = 'b1-1',
  {
    scope = ALL,
    sender = '~bob/cc@b1',
    ...frame
  }: FrameOverrides<'agent_advisory'> & { scope?: string; sender?: string } = {},
): string {
  const recipient = scope.startsWith('org:') ? '~acme' : scope.slice(0, scope.indexOf('/'))
  const by = { sender_handle: '~bob', acted_by: '~bob', recipient_handle: recipient }
  const frameText = JSON.stringify(validFrame('agent_advisory', { ...by, ...frame }))
  return formatRecord({ t: 'frame', e, scope, sender, tool: 'cc', at: Date.now(), frameText })
}

function envelopeLine(changes: Record<string, unknown>): string {
  const to = 'agent.alice-dev'
  const envelopeText = JSON.stringify(validEnvelope({ to, ...changes }))
  return formatRecord({
    t: 'envelope',
    e: 'b1-1',
    to,
    sender: '~bob/cc@b1',
    tool: 'cc',
    at: Date.now(),
    priority: 'normal',
    envelopeText,
  })
}

/** What comes of one message of a member, who has told of its machine. */
async function brought(
  { handle = '~bob', ...message }: Partial<AcmeMessage> & { handle?: string },
  options: Parameters<typeof LinkedNode.start>[2] = {},
) {
  await using alice = await start(options)
  await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
  await alice.ask('/v1/link/presence', { json: acme.standing('~carol') })
  const { body } = await alice.bring(acme.message(handle, { lines: [frameLine()], ...message }))
  const origin = alice.broker.ring.get(1)?.origin
  return { answers: body.answers, stopped: body.stopped, count: alice.broker.ring.count, origin }
}

test('a member’s machine is believed once the member has told of it, and its frame has it as its origin (FED-41, FED-56)', async () => {
  const { answers, count, origin } = await brought({})

  expect(answers).toEqual([{ e: 'b1-1', outcome: 'applied' }])
  expect([count, origin]).toEqual([1, { realm: ACME, node: '~bob/box', eventId: 'b1-1' }])
})

test('frames to a role and to this person’s sessions come in the lanes of these (FED-55, FED-56)', async () => {
  const role = await brought({
    lines: [frameLine('b1-1', { scope: DEV })],
    audience: { of: 'role', role: 'dev' },
  })
  const own = await brought({ lines: [frameLine('b1-1', { scope: '~alice/*' })], audience: FOR_ALICE })

  expect([role.count, own.count]).toEqual([1, 1])
})

describe('nothing of a batch is taken', () => {
  const CASES: readonly (readonly [why: string, wish: () => Partial<AcmeMessage> & { handle?: string }])[] = [
    ['another member has signed it', () => ({ signer: '~carol' })],
    ['it stands in another member’s lane', () => ({ subject: 'agentd.v1.o.acme.all.carol.box' })],
    [
      'it stands in a lane for somebody else than it was signed for',
      () => ({ subject: 'agentd.v1.o.acme.m-alice.bob.box' }),
    ],
    ['it stands in a lane of another realm', () => ({ subject: 'agentd.v1.o.globex.all.bob.box' })],
    ['it is of somebody who is no member', () => ({ handle: '~mallory' })],
  ]

  test.each(CASES)('when %s (FED-41)', async (_, wish) => {
    const { answers, count } = await brought(wish())

    expect(answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
    expect(count).toBe(0)
  })

  test('of a member who was taken out of the charter, from the moment that the new one is here (FED-41, FED-43)', async () => {
    await using alice = await start()
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
    await alice.bring(acme.message('~bob', { lines: [frameLine()] }))

    const { body: epoch } = await alice.ask('/v1/link/estate', {
      json: { text: acme.charter(2, { without: ['~bob'] }) },
    })
    const { body } = await alice.bring(
      acme.message('~bob', { lines: [frameLine('b1-2')], last: 'b1-2', seq: 2, authorityEpoch: 2 }),
    )

    expect(epoch).toEqual({ authority_epoch: 2 })
    expect(body.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
    expect(alice.gateway.nodes()).toEqual([])
  })

  test('of a machine that its member took back (FED-43)', async () => {
    await using alice = await start()
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
    await alice.ask('/v1/link/presence', {
      json: acme.standing('~bob', { estate: acme.estate('~bob', 2, { isEmpty: true }) }),
    })

    const { body } = await alice.bring(acme.message('~bob', { lines: [frameLine()] }))

    expect(body.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
  })
})

describe('a member that has not told of its machines', () => {
  test('is waited for, not longer than a bound, and then refused (FED-41)', async () => {
    await using alice = await start()
    const message = acme.message('~bob', { lines: [frameLine()] })

    const { body: first } = await alice.bring(message)
    alice.clock.advance(STANDING_WAIT_MS - 1)
    const { body: second } = await alice.bring(message)
    alice.clock.advance(1)
    const { body: third } = await alice.bring(message)

    expect([first.stopped, second.stopped]).toEqual(['unknown-estate', 'unknown-estate'])
    expect(third.answers).toEqual([{ e: null, outcome: 'refused', code: 'sender-identity-mismatch' }])
  })

  test('is let in as soon as it has (FED-41)', async () => {
    await using alice = await start()
    const message = acme.message('~bob', { lines: [frameLine()] })
    await alice.bring(message)
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })

    const { body } = await alice.bring(message)

    expect(body.answers).toEqual([{ e: 'b1-1', outcome: 'applied' }])
  })

  test('cannot stop everybody by naming a charter that never comes (FED-43)', async () => {
    await using alice = await start()
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
    const message = acme.message('~bob', { lines: [frameLine()], authorityEpoch: 1_000_000 })

    const { body: before } = await alice.bring(message)
    alice.clock.advance(STANDING_WAIT_MS)
    const { body: after } = await alice.bring(message)

    expect([before.stopped, after.answers]).toEqual(['unknown-estate', [{ e: 'b1-1', outcome: 'applied' }]])
  })
})

describe('what a machine says of who is there', () => {
  test.each([
    [
      'is signed by another member',
      () => acme.standing('~bob', { signer: '~carol' }),
      'sender-identity-mismatch',
    ],
    ['is of somebody who is no member', () => acme.standing('~mallory'), 'sender-identity-mismatch'],
    [
      'has an estate that another key has signed',
      () => acme.standing('~bob', { estate: acme.estate('~bob', 1, { isForged: true }) }),
      'signature-invalid',
    ],
    [
      'has the estate of another member',
      () => acme.standing('~bob', { estate: acme.estate('~carol', 1) }),
      'signature-invalid',
    ],
  ])('counts for nothing where it %s (FED-41, FED-51)', async (_, standing, code) => {
    await using alice = await start()

    const { body } = await alice.ask('/v1/link/presence', { json: standing() })

    expect(body).toMatchObject({ code })
    expect(alice.gateway.nodes()).toEqual([])
  })

  test('names nobody’s sessions but its own person’s (FED-59)', async () => {
    await using alice = await start()
    const sessions = ['~bob/cc@b1', '~alice/cc@a1', '~carol/cc@c1']

    await alice.ask('/v1/link/presence', { json: acme.standing('~bob', { sessions }) })

    expect(alice.gateway.nodes()).toMatchObject([
      { node: '~bob/box', handle: '~bob', realm: ACME, sessions: [{ address: '~bob/cc@b1' }] },
    ])
  })

  test('an older estate than was accepted is refused for ever, also after a restart (FED-40)', async () => {
    let kept: string | undefined
    const place = { read: () => kept, put: (text: string) => void (kept = text) }
    const member = { handle: '~bob', key: keyFor('~bob').publicFields()?.public ?? '' }
    await using alice = await start()
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob', { estate: acme.estate('~bob', 5) }) })

    const { body } = await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })

    expect(body).toMatchObject({ code: 'field-invalid', field: 'authority_epoch' })
    expect(alice.standings).toMatch(/"epoch":5/)
    expect(new Standings({ place, nowMs: Date.now }).of(member)).toBeUndefined()
  })

  test('an older charter than is in force is refused, as is one that another key has signed (FED-40, FED-41)', async () => {
    await using alice = await start()
    const post = async (text: string) => (await alice.ask('/v1/link/estate', { json: { text } })).body
    await post(acme.charter(3))

    expect(await post(acme.charter(2))).toMatchObject({ code: 'field-invalid' })
    expect(await post(acme.charter(4, { key: keyFor('~acme') }))).toMatchObject({
      code: 'signature-invalid',
    })
    expect(acme.inForce()?.authorityEpoch).toBe(3)
  })
})

describe('a record is refused, and goes back with its code', () => {
  const CASES: readonly (readonly [why: string, wish: () => Partial<AcmeMessage>, code: string])[] = [
    [
      'acted for by somebody else',
      () => ({ lines: [frameLine('b1-1', { acted_by: '~carol' })] }),
      'sender-identity-mismatch',
    ],
    [
      'sent in this person’s name',
      () => ({ lines: [frameLine('b1-1', { acted_by: '~alice', sender_handle: '~alice' })] }),
      'sender-identity-mismatch',
    ],
    [
      'sent by a handle that is neither the member nor what drafted',
      () => ({ lines: [frameLine('b1-1', { sender_handle: '~carol' })] }),
      'sender-identity-mismatch',
    ],
    [
      'drafted with a member, who is no instrument',
      () => ({ lines: [frameLine('b1-1', { drafted_with: '~carol' })] }),
      'sender-identity-mismatch',
    ],
    [
      'drafted with the person here, who is no instrument',
      () => ({ lines: [frameLine('b1-1', { drafted_with: '~alice' })] }),
      'sender-identity-mismatch',
    ],
    [
      'from an address of another member',
      () => ({ lines: [frameLine('b1-1', { sender: '~carol/cc@c1' })] }),
      'sender-identity-mismatch',
    ],
    [
      'for a role in the lane for all',
      () => ({ lines: [frameLine('b1-1', { scope: DEV })] }),
      'scope-unauthorised',
    ],
    [
      'for another role than its lane',
      () => ({ lines: [frameLine('b1-1', { scope: DEV })], audience: { of: 'role', role: 'ops' } }),
      'scope-unauthorised',
    ],
    [
      'for this person in the lane for all',
      () => ({ lines: [frameLine('b1-1', { scope: '~alice/*' })] }),
      'scope-unauthorised',
    ],
    [
      'for another member in this one’s lane',
      () => ({ lines: [frameLine('b1-1', { scope: '~carol/*' })], audience: FOR_ALICE }),
      'scope-unauthorised',
    ],
    [
      'for another organisation',
      () => ({ lines: [frameLine('b1-1', { scope: 'org:~globex/members/*', recipient_handle: '~globex' })] }),
      'scope-unauthorised',
    ],
    [
      'an envelope in the lane for all',
      () => ({ lines: [envelopeLine({ from: 'agent.bob-dev' })] }),
      'scope-unauthorised',
    ],
    [
      'an envelope from a name that the charter gives nobody',
      () => ({ lines: [envelopeLine({ from: 'agent.carol-dev' })], audience: FOR_ALICE }),
      'sender-identity-mismatch',
    ],
    [
      'an envelope from this person',
      () => ({ lines: [envelopeLine({ from: 'human.alice' })], audience: FOR_ALICE }),
      'sender-identity-mismatch',
    ],
  ]

  test.each(CASES)('when it is %s (FED-41, FED-55, FED-56, FED-70)', async (_, wish, code) => {
    const { answers, count } = await brought(wish())

    expect(answers).toEqual([{ e: 'b1-1', outcome: 'refused', code }])
    expect(count).toBe(0)
  })

  test('an envelope from a name that the charter gives its member comes in (FED-70)', async () => {
    const { count } = await brought({ lines: [envelopeLine({ from: 'human.bob' })], audience: FOR_ALICE })

    expect(count).toBe(1)
  })

  test('where the person takes no such kind from others, unless they said they do (FED-63)', async () => {
    const lock = validFrame('agent_lock_request', {
      sender_handle: '~bob',
      acted_by: '~bob',
      recipient_handle: '~acme',
    })
    const lines = [
      formatRecord({
        t: 'frame',
        e: 'b1-1',
        scope: ALL,
        sender: '~bob/cc@b1',
        at: Date.now(),
        frameText: JSON.stringify(lock),
      }),
    ]

    expect((await brought({ lines }, { accept: { kinds: undefined } })).answers).toMatchObject([
      { code: 'scope-unauthorised' },
    ])
    expect((await brought({ lines }, { accept: { kinds: ['*'] } })).count).toBe(1)
  })

  test('beyond what another principal may send, and what is known already costs nothing (FED-29, FED-63)', async () => {
    await using alice = await start({ accept: { perSecond: undefined } })
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
    const engineAtMs = Date.now()
    const codes: unknown[] = []
    for (let seq = 0; seq < 3; seq += 1) {
      const places = Array.from({ length: 200 }, (_, i) => `b1-${seq * 200 + i + 1}`)
      const lines = places.map((e) => frameLine(e))
      const message = acme.message('~bob', { lines, last: places.at(-1) ?? '', seq: seq + 1, engineAtMs })
      const { body } = await alice.bring(message)
      await alice.bring(message)
      codes.push(...body.answers.map(({ code }: { code?: string }) => code))
    }

    expect(codes.filter((code) => code === 'rate-limited')).toHaveLength(600 - STRANGER_BURST)
    expect(alice.broker.ring.count).toBe(STRANGER_BURST)
  })

  test('beyond that unread: its place counts as known, and its sender is told by its id, in order (FED-29, FED-63)', async () => {
    await using alice = await start({ accept: { perSecond: undefined } })
    await alice.ask('/v1/link/presence', { json: acme.standing('~bob') })
    const engineAtMs = Date.now()
    const taken = Array.from({ length: STRANGER_BURST }, (_, i) => frameLine(`b1-${i + 1}`))
    for (let i = 0; i < taken.length; i += 250) {
      const lines = taken.slice(i, i + 250)
      await alice.bring(acme.message('~bob', { lines, last: `b1-${i + 250}`, seq: i / 250 + 1, engineAtMs }))
    }
    const places = [1, 2, 3].map((i) => `b1-${STRANGER_BURST + i}`)
    const [whole, broken, nameless] = places.map((e) => frameLine(e))
    const ids = [String(whole), String(broken)].map((line) => JSON.parse(line).frame.frame_id)
    const lines = [
      String(whole),
      // No frame of any kind, which nobody finds out.
      String(broken).replace('"kind":"agent_advisory"', '"kind":"nothing"'),
      String(nameless).replace(/"frame_id":"[^"]*"/, '"frame_id":7'),
    ]

    const message = acme.message('~bob', { lines, last: places.at(-1) ?? '', seq: 3, engineAtMs })
    const { body } = await alice.bring(message)
    const again = await alice.bring(message)

    const refused = { outcome: 'refused', code: 'rate-limited' }
    expect(body.answers).toEqual(places.map((e) => ({ e, ...refused })))
    expect(alice.broker.ring.count).toBe(STRANGER_BURST)
    expect(alice.broker.origins.marksOf(ACME).get(message.subject)?.get('b1')).toBe(STRANGER_BURST + 3)
    const told = alice.broker.origins.reportsAfter(`${ACME} m-bob`, 0, 10_000).map(({ item }) => item)
    expect(told.filter(([, , state]) => state === 'refused').map(([id, , , , code]) => [id, code])).toEqual(
      ids.map((id) => [id, 'rate-limited']),
    )
    // Known by now, it costs its sender nothing, and is not told again.
    expect(again.body.answers.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'repeat',
      'repeat',
      'refused',
    ])
  })
})

test('no more than a burst and a steady rate is ever taken of one principal, by the engine’s time (FED-63)', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 2_000 }), (steps) => {
      const rates = new StrangerRates(() => 50)
      let [atMs, taken] = [1_000, 0]
      for (const step of steps) {
        atMs += step
        if (rates.take('~bob', atMs)) taken += 1
      }
      expect(taken).toBeLessThanOrEqual(STRANGER_BURST + ((atMs - 1_000) / 1_000) * 50)
    }),
  )
})

/** What comes of a frame that is submitted here. */
async function leaving(scope: string, frame: FrameOverrides<'agent_advisory'> = {}) {
  await using alice = await start()
  const recipient = scope.startsWith('org:') ? '~acme' : scope.slice(0, scope.indexOf('/'))
  const { body } = await alice.anybody('/v1/frames', {
    json: {
      frame: validFrame('agent_advisory', { recipient_handle: recipient, ...frame }),
      recipient_scope: scope,
    },
  })
  const link = alice.gateway.linkOf(await alice.token())
  const retained = alice.broker.ring.get(1)
  const audiences = retained === undefined ? [] : (link?.side.destinationsOf(retained) ?? [])
  return { code: body.code, audiences, text: retained && link?.leaving.textOf(retained) }
}

describe('what leaves', () => {
  test('is in the lane of whom it is for, and one’s own is in none (FED-24, FED-55, FED-56)', async () => {
    expect((await leaving(ALL)).audiences).toEqual([{ of: 'all' }])
    expect((await leaving(DEV)).audiences).toEqual([{ of: 'role', role: 'dev' }])
    expect((await leaving('~bob/cc-*')).audiences).toEqual([{ of: 'member', handle: '~bob' }])
    expect((await leaving('~alice/*')).audiences).toEqual([])
    expect((await leaving('~mallory/*')).code).toBe('scope-unauthorised')
  })

  test('says nothing of the folder it was made in (FED-62)', async () => {
    const { text } = await leaving(ALL, {
      payload: { advisory_text: 'hello', worktree: '/home/alice/secret' },
    })

    expect(text).toMatch(/hello/)
    expect(text).not.toMatch(/secret/)
  })

  test('tells of this machine with the estate that names it, and of this person’s sessions alone (FED-41, FED-62)', async () => {
    await using alice = await start()
    using feed = await alice.feed()

    const [line] = await feed.having('presence', 1)
    const presence = JSON.parse(String(line?.['presence']))

    expect(JSON.parse(presence.estate)).toMatchObject({ type: 'agentd.estate', principal: '~alice' })
  })
})
