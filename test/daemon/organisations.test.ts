/**
 * Charters of a daemon that runs: FED-40, FED-56; AC-120…AC-128 over the socket.
 */
import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { openStream } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { drained, faults, open, put, send, settle } from './two-handles.ts'

describe('an organisation', () => {
  test('is known as soon as its charter is there, and reaches members of other handles (FED-56, AC-120)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]

    const before = await send(daemon, alice, '~alice')
    put(dir, key, {})
    const after = await send(daemon, alice, '~alice')

    expect(before.body).toMatchObject({ code: 'scope-unimplemented', field: 'recipient_scope' })
    expect(after.body).toMatchObject({ recipient_count: 0, queued_count: 1, org: { members: 2, reached: 1 } })
    expect(await drained(daemon, work)).toBe(1)
    expect(await drained(daemon, alice)).toBe(0)
  })

  test.each([
    [
      'changed after it was signed',
      {},
      (text: string) => text.replace('"dev"', '"ops"'),
      /not what ~acme has signed/,
    ],
    ['of a lower epoch', { epoch: 1 }, undefined, /epoch 1, and epoch 2 was accepted before/],
    ['that is over', { epoch: 3, notAfter: '2020-01-01T00:00:00Z' }, undefined, /in force until 2020/],
    ['that is no document', { epoch: 3 }, () => '{', /no charter/],
  ])(
    'keeps its charter when there is one %s, also after a restart, and says why (FED-40)',
    async (_, wish, change, why) => {
      await using dir = await createTempDir()
      const key = settle(dir)
      put(dir, key, { epoch: 2 })
      for (const isFirst of [true, false]) {
        await using daemon = await startTestDaemon({ dir })
        if (isFirst) put(dir, key, wish, change)
        expect(await faults(daemon)).toMatch(why)
        const token = await open(daemon, '~alice-work', `s-${isFirst}`)
        const reply = await send(daemon, token, '~alice-work', 'org:~acme/members/dev/*')
        expect(reply.body).toMatchObject({ org: { members: 1 } })
        await daemon.stop()
      }
    },
  )

  test('whose charter was taken away is not brought back by a file that cannot be read, nor by a restart (FED-40)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    put(dir, key, { epoch: 2 })
    for (const isFirst of [true, false]) {
      await using daemon = await startTestDaemon({ dir })
      const token = await open(daemon, '~alice-work', `s-${isFirst}`)
      if (isFirst) {
        rmSync(dir.file('state', 'authority', 'charter.acme.json'))
        const gone = await send(daemon, token, '~alice-work')
        expect(gone.body).toMatchObject({ code: 'scope-unimplemented' })
        put(dir, key, { epoch: 3 }, () => '{')
      }
      const { body } = await send(daemon, token, '~alice-work')
      expect(body).toMatchObject({ code: 'scope-unimplemented' })
      expect(await faults(daemon)).toMatch(/no charter/)
      await daemon.stop()
    }
  })

  test('cuts off a member who is taken out: stream, replay and mailbox (FED-56)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    put(dir, key, {})
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]
    await send(daemon, alice, '~alice')

    put(dir, key, { epoch: 2, members: [{ handle: '~alice', roles: [] }] })
    await send(daemon, alice, '~alice')
    const refused = await send(daemon, work, '~alice-work')
    await send(daemon, work, '~alice-work', '~alice-work/*')

    expect(refused.body).toMatchObject({
      code: 'scope-unauthorised',
      message: '~alice-work is no member of ~acme.',
    })
    using stream = await openStream(daemon.socket, '/v1/handles/~alice-work/stream?replay=10', {
      token: work,
    })
    const [first] = await stream.frames(1)
    expect(first?.['recipient_handle']).toBe('~alice-work')
    expect(await drained(daemon, work)).toBe(0)
  })

  test('stops with its key: who is revoked signs for nobody (FED-40)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    put(dir, key, {})
    await using daemon = await startTestDaemon({ dir })
    const alice = await open(daemon, '~alice', 'home')
    expect((await send(daemon, alice, '~alice')).status).toBe(200)

    rmSync(dir.file('state', 'keys', `${key.kid}.json`))

    expect((await send(daemon, alice, '~alice')).body.code).toBe('scope-unimplemented')
    expect(await faults(daemon)).toContain('is trusted here to sign for ~acme')
  })
})
