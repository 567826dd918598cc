/**
 * Answers across an accord: bounded by its grant, and silent about who else there is (FED-57, FED-59, FED-63; AC-187, AC-188).
 */
import { describe, expect, test } from 'vitest'
import { grantOf } from '../authority/accords.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { openStream, post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { open } from './two-handles.ts'
import { SUPPORT, put, settle, start } from './two-organisations.ts'

/** Asks under the grant. @returns the id of the question */
async function ask(daemon: TestDaemon, token: string, responseScope?: string): Promise<string> {
  const body = {
    text: 'who?',
    recipient_scope: SUPPORT,
    ...(responseScope !== undefined && { response_scope: responseScope }),
  }
  const { status, body: asked } = await post(daemon.socket, '/v1/verbs/agent_query', body, token)
  expect(status).toBe(200)
  return asked.frame.payload.query_id
}

function answer(daemon: TestDaemon, token: string, queryId: string, text = 'me') {
  return post(daemon.socket, '/v1/verbs/agent_respond', { query_id: queryId, text }, token)
}

describe('an answer under a grant', () => {
  test('is one of its frames: what it allows in a minute is for questions and answers together (FED-57, FED-63)', async () => {
    await using dir = await createTempDir()
    put(dir, settle(dir), { grants: [grantOf({ perMinute: 3 })] })
    await using there = await start(dir)
    const { daemon, alice, helper } = there

    const id = await ask(daemon, alice)
    const answers = [await answer(daemon, helper, id, 'one'), await answer(daemon, helper, id, 'two')]
    const third = await answer(daemon, helper, id, 'three')

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(third.body).toMatchObject({
      code: 'rate-limited',
      message: expect.stringContaining('3 frames a minute'),
    })
  })

  test('has at most its octets (FED-57)', async () => {
    await using dir = await createTempDir()
    put(dir, settle(dir), { grants: [grantOf({ maxOctets: 1_000 })] })
    await using there = await start(dir)

    const id = await ask(there.daemon, there.alice)
    const large = await answer(there.daemon, there.helper, id, 'x'.repeat(1_000))

    expect(large.body).toMatchObject({ code: 'frame-too-large', field: 'frame' })
    expect((await answer(there.daemon, there.helper, id)).status).toBe(200)
  })

  test('to all sessions of the one who asked says neither how many these are nor which (FED-59, AC-187, AC-188)', async () => {
    await using dir = await createTempDir()
    put(dir, settle(dir), { grants: [grantOf()] })
    await using there = await start(dir)
    const { daemon, alice, helper } = there
    await open(daemon, '~alice', 'second')
    using first = await openStream(daemon.socket, '/v1/handles/~alice/stream', { token: alice })
    using again = await openStream(daemon.socket, '/v1/handles/~alice/stream', { token: alice })
    const id = await ask(daemon, alice, '~alice/*')

    const { body } = await answer(daemon, helper, id)

    expect(body).toMatchObject({ recipient_count: 1, queued_count: 0 })
    expect([(await first.frames(1)).length, (await again.frames(1)).length]).toEqual([1, 1])
    const path = `/v1/frames/${body.frame_id}`
    const { body: seen } = await request(daemon.socket, path, { token: helper })
    expect(seen).toMatchObject({ recipient_count: 1, queued_count: 0 })
    expect(seen.receipts.map((one: Record<string, unknown>) => one['address'])).toEqual(['~alice'])
  })

  test('to a session that is gone names nobody near it (AC-188)', async () => {
    await using dir = await createTempDir()
    put(dir, settle(dir), { grants: [grantOf()] })
    await using there = await start(dir)
    const { daemon, alice, helper } = there
    const id = await ask(daemon, alice, '~alice/cc@homf')

    const { status, body } = await answer(daemon, helper, id)

    expect({ status, near: body.near }).toEqual({ status: 200, near: undefined })
  })
})

describe('a frame under a grant', () => {
  test('has one receipt for each member it reached, whatever sessions that has (FED-59, ACQ-24)', async () => {
    await using dir = await createTempDir()
    put(dir, settle(dir), { grants: [grantOf({ kinds: ['agent_query'], reach: ['all'] })] })
    await using there = await start(dir)
    const { daemon, alice, helper } = there
    await open(daemon, '~helper', 'second')
    using stream = await openStream(daemon.socket, '/v1/handles/~helper/stream', { token: helper })
    const body = { text: 'who?', recipient_scope: SUPPORT }

    const asked = await post(daemon.socket, '/v1/verbs/agent_query', body, alice)

    expect(asked.body).toMatchObject({ recipient_count: 1, queued_count: 1 })
    expect(await stream.frames(1)).toHaveLength(1)
    const path = `/v1/frames/${asked.body.frame_id}`
    const { body: seen } = await request(daemon.socket, path, { token: alice })
    expect(
      seen.receipts.map(({ address, state }: Record<string, string>) => `${address} ${state}`).toSorted(),
    ).toEqual(['~boss queued', '~helper emitted'])
  })
})
