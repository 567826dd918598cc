/**
 * Accords of a daemon that runs: FED-40, FED-57; AC-122, AC-126…AC-128 over the socket.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { formatDocument } from '../../src/authority/document.ts'
import { revocationOf } from '../../src/authority/shelf.ts'
import { accordOf, grantOf } from '../authority/accords.ts'
import { openStream, post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { drained, faults, open } from './two-handles.ts'
import { ADVISE, SUPPORT, put, send, settle, start, write } from './two-organisations.ts'

describe('a grant', () => {
  test('counts when both have signed: it reaches the members it names, and tells nothing of others (AC-122, AC-126)', async () => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    await using there = await start(dir)
    const { daemon, alice, helper, boss } = there
    await open(daemon, '~helper', 'second')

    const before = await send(daemon, alice, '~alice')
    write(dir, 'accord.acme_globex.json', formatDocument(accordOf(sides, { grants: [ADVISE] })))
    const unsigned = await send(daemon, alice, '~alice')
    put(dir, sides)
    const after = await send(daemon, alice, '~alice')

    for (const { body } of [before, unsigned])
      expect(body).toMatchObject({ code: 'scope-unimplemented', field: 'recipient_scope' })
    expect(after.body).toMatchObject({ recipient_count: 0, queued_count: 1 })
    expect([await drained(daemon, helper), await drained(daemon, boss)]).toEqual([1, 0])
  })

  test.each([
    [
      'of the other side',
      '~boss',
      SUPPORT,
      {},
      '~boss is no member of ~acme, to which "support" is granted.',
    ],
    [
      'under another name',
      '~alice',
      'accord:~globex/grant:sales',
      {},
      'The accord between ~acme and ~globex grants no "sales" to reach ~globex.',
    ],
    [
      'of another kind',
      '~alice',
      SUPPORT,
      { grants: [grantOf()] },
      '"support" grants agent_query, agent_response, and no agent_advisory.',
    ],
    [
      'too early',
      '~alice',
      SUPPORT,
      { notBefore: '2998-01-01T00:00:00Z' },
      'The accord between ~acme and ~globex is not yet in force.',
    ],
  ])('is not for a frame %s (AC-126)', async (...row) => {
    const [, handle, scope, wish, message] = row
    await using dir = await createTempDir()
    put(dir, settle(dir), wish)
    await using there = await start(dir)

    const { body } = await send(there.daemon, handle === '~boss' ? there.boss : there.alice, handle, scope)

    expect(body).toMatchObject({ code: 'scope-unauthorised', field: 'recipient_scope', message })
  })

  test('lets who is asked answer the one who asked, and nobody else, where it names answers (FED-57)', async () => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    put(dir, sides, { grants: [grantOf()] })
    await using there = await start(dir)
    const { daemon, alice, helper, boss } = there
    const ask = { text: 'who?', recipient_scope: SUPPORT }

    const asked = await post(daemon.socket, '/v1/verbs/agent_query', ask, alice)
    const { query_id: id } = asked.body.frame.payload
    const answer = { query_id: id, text: 'me' }
    const foreign = await post(daemon.socket, '/v1/verbs/agent_respond', answer, boss)
    const own = await post(daemon.socket, '/v1/verbs/agent_respond', answer, helper)

    expect(foreign.body).toMatchObject({ code: 'scope-unauthorised' })
    expect(own.status).toBe(200)
    expect(await drained(daemon, alice)).toBe(1)
  })

  test('takes answers back to the side that asked, and there to the session that did alone (FED-58)', async () => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    put(dir, sides, { grants: [grantOf()] })
    await using there = await start(dir)
    const { daemon, alice, helper, boss } = there
    const other = await open(daemon, '~alice', 'elsewhere')

    const asked = await post(
      daemon.socket,
      '/v1/verbs/agent_query',
      { text: 'who?', recipient_scope: SUPPORT },
      alice,
    )
    const { query_id: id, response_scope: back } = asked.body.frame.payload
    const answer = { query_id: id, text: 'me' }
    const foreign = await post(daemon.socket, '/v1/verbs/agent_respond', answer, boss)
    const own = await post(daemon.socket, '/v1/verbs/agent_respond', answer, helper)
    const unasked = await post(
      daemon.socket,
      '/v1/verbs/agent_respond',
      { query_id: randomUUID(), text: 'me', recipient_scope: back },
      helper,
    )

    expect({ back, warnings: asked.body.warnings }).toEqual({
      back: 'accord:~acme/grant:support',
      warnings: undefined,
    })
    for (const { body } of [foreign, unasked]) expect(body).toMatchObject({ code: 'scope-unauthorised' })
    expect(own.body).toMatchObject({ recipient_count: 0, queued_count: 1 })
    expect([await drained(daemon, alice), await drained(daemon, other)]).toEqual([1, 0])
    const told = await request(daemon.socket, '/v1/frames?handle=~alice', { token: alice })
    expect(told.body.items.map((item: { frame: { kind: string } }) => item.frame.kind)).toContain(
      'agent_response',
    )
  })

  test('bounds the octets of a frame and the frames of a minute (FED-57)', async () => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    put(dir, sides, { grants: [{ ...ADVISE, maxOctets: 10 }] })
    await using there = await start(dir)
    const { daemon, alice } = there

    const large = await send(daemon, alice, '~alice')
    put(dir, sides, { epoch: 2, grants: [{ ...ADVISE, perMinute: 2 }] })
    const statuses = [await send(daemon, alice, '~alice'), await send(daemon, alice, '~alice')]
    const third = await send(daemon, alice, '~alice')

    expect(large.body).toMatchObject({ code: 'frame-too-large', field: 'frame' })
    expect(statuses.map(({ status }) => status)).toEqual([200, 200])
    expect(third.body).toMatchObject({
      code: 'rate-limited',
      message: expect.stringContaining('2 frames a minute'),
    })
  })
})

describe('an accord', () => {
  test('that is revoked ends at once, also what still waits, and no copy brings it back (FED-40)', async () => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    put(dir, sides)
    await using there = await start(dir)
    const { daemon, alice, helper } = there
    await send(daemon, alice, '~alice')

    write(dir, revocationOf('accord', 'acme_globex', 1).name, revocationOf('accord', 'acme_globex', 1).text)
    const refused = await send(daemon, alice, '~alice')
    put(dir, sides)
    const copied = await send(daemon, alice, '~alice')

    for (const { body } of [refused, copied]) expect(body).toMatchObject({ code: 'scope-unimplemented' })
    expect(await faults(daemon)).toContain('epoch 1 was revoked')
    expect(await drained(daemon, helper)).toBe(0)
    using stream = await openStream(daemon.socket, '/v1/handles/~helper/stream?replay=10', { token: helper })
    put(dir, sides, { epoch: 2 })
    const later = await send(daemon, alice, '~alice')
    const [first] = await stream.frames(1)
    expect(first?.['frame_id']).toBe(later.body.frame_id)
  })

  test.each([
    [
      'changed after it was signed',
      { epoch: 3 },
      (text: string) => text.replace('60', '61'),
      /not what ~acme has signed/,
    ],
    ['of a lower epoch', { epoch: 1 }, undefined, /epoch 1, and epoch 2 was accepted before/],
    ['that is over', { epoch: 3, notAfter: '2020-01-01T00:00:00Z' }, undefined, /in force until 2020/],
  ])('%s leaves the former one in force, and the daemon says why (FED-40)', async (_, wish, change, why) => {
    await using dir = await createTempDir()
    const sides = settle(dir)
    put(dir, sides, { epoch: 2 })
    await using there = await start(dir)

    put(dir, sides, wish, change)

    expect((await send(there.daemon, there.alice, '~alice')).status).toBe(200)
    expect(await faults(there.daemon)).toMatch(why)
  })
})
