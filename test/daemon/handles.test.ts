/**
 * Declared handles of a daemon that runs: memo §1, ACQ-11, ACQ-13, ACQ-41.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { agentd } from '../cli/support.ts'
import { DaemonDidNotStart, startTestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { declare, drained, open, send, settle } from './two-handles.ts'

describe('a further handle', () => {
  test('has sessions of its own, which scopes of the other never reach (memo §1, ACQ-41)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]

    const across = await send(daemon, alice, '~alice', '~alice/*')
    const named = await post(
      daemon.socket,
      '/v1/verbs/agent_advise',
      { text: 'to the other', recipient_scope: '~alice-work/*' },
      alice,
    )

    expect(across.status).toBe(200)
    expect(await drained(daemon, work)).toBe(0)
    expect(named.body).toMatchObject({ code: 'scope-unauthorised' })
    for (const [handle, name] of [
      ['~alice', 'home'],
      ['~alice-work', 'work'],
    ]) {
      const { body } = await request(daemon.socket, `/v1/handles/${handle}/roster`)
      expect(body.sessions.map(({ session_id: id }: { session_id: string }) => id)).toEqual([name])
    }
    const foreign = await request(daemon.socket, '/v1/handles/~alice-work/roster', { token: alice })
    expect(foreign.body.code).toBe('scope-unauthorised')
  })

  test('has what it hands over read by its own sessions, and by the person (AC-188)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]
    const { body } = await post(daemon.socket, '/v1/verbs/agent_handover', { body: 'tests are red' }, work)
    const read = (token?: string) =>
      request(daemon.socket, `/v1/frames/${body.frame_id}/text`, token === undefined ? {} : { token })

    expect((await read(work)).body).toMatchObject({ text: 'tests are red' })
    expect((await read()).body).toMatchObject({ text: 'tests are red' })
    expect((await read(alice)).body).toMatchObject({ code: 'not-found' })
  })

  test('is spoken for without a session by naming it, and nobody else is (ACQ-13)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const work = await open(daemon, '~alice-work', 'work')
    const advise = (as: string) =>
      request(daemon.socket, '/v1/verbs/agent_advise', {
        json: { text: 'hello' },
        headers: { 'agentd-as': as },
      })

    const sent = await advise('~alice-work')

    expect(sent.body.frame).toMatchObject({ sender_handle: '~alice-work', acted_by: '~alice-work' })
    expect(await drained(daemon, work)).toBe(1)
    const { code, stdout } = await agentd({ ...daemon.env }, [
      '--as',
      '~alice-work',
      'advise',
      'from the command line',
    ])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'sent agent_advisory to 1 session (waiting in its mailbox)\n',
    })
    expect((await agentd({ ...daemon.env }, ['--as', '~alice-work', 'roster'])).stdout).toContain('work')
    expect((await agentd({ ...daemon.env }, ['--as', '~mallory', 'advise', 'no'])).code).toBe(1)
    expect((await advise('~mallory')).body).toMatchObject({
      code: 'sender-identity-mismatch',
      field: 'agentd-as',
    })
  })

  test('is no session’s to take up, nor an instrument’s name for one (FED-44, ACQ-11)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const alice = await open(daemon, '~alice', 'home')
    const body = { instrument: 'cc', session_id: 'other' }

    const taken = await post(daemon.socket, '/v1/sessions', { ...body, handle: '~alice-work' }, alice)
    const drafted = await post(daemon.socket, '/v1/sessions', { ...body, drafted_with: '~alice-work' })

    expect(taken.body).toMatchObject({ code: 'sender-identity-mismatch', field: 'handle' })
    expect(drafted.body).toMatchObject({ code: 'sender-identity-mismatch', field: 'drafted_with' })
  })

  test('that is declared no more ends its sessions, also those of a daemon before (memo §1)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [early, late] = [await open(daemon, '~alice-work', 'early'), await open(daemon, '~alice', 'late')]

    declare(dir)
    await request(daemon.socket, '/v1/health')
    expect((await request(daemon.socket, '/v1/sessions/self', { token: early })).status).toBe(401)
    expect((await request(daemon.socket, '/v1/sessions/self', { token: late })).status).toBe(200)
  })
})

test('a principal whose handle begins as an instrument’s speaks as a person all the same (ACQ-11)', async () => {
  await using daemon = await startTestDaemon({ principal: '~claude-dupont' })
  const { body } = await post(daemon.socket, '/v1/verbs/agent_advise', { text: 'bonjour' })
  const drafted = await post(daemon.socket, '/v1/verbs/agent_advise', {
    text: 'hello',
    drafted_with: '~claude-dupont',
  })

  expect(body.frame).toMatchObject({ sender_handle: '~claude-dupont', acted_by: '~claude-dupont' })
  expect(drafted.body).toMatchObject({ field: 'drafted_with' })
})

test('handles that cannot be read, or that others could write, end the start with the reason (R-02)', async () => {
  await using dir = await createTempDir()
  settle(dir)
  const file = dir.file('state', 'authority', 'handles.json')
  const text = readFileSync(file, 'utf8')

  writeFileSync(file, '{')
  await expect(startTestDaemon({ dir })).rejects.toThrow(DaemonDidNotStart)
  await expect(startTestDaemon({ dir })).rejects.toThrow(/The declared handles are refused/)
  writeFileSync(file, text)
  chmodSync(file, 0o644)
  await expect(startTestDaemon({ dir })).rejects.toThrow(/must be 0600/)
})
