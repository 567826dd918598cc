/** Handovers that fit into no frame, against the real daemon (HO-07). */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { MAX_HANDOVER_OCTETS } from '../../src/core/limits.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const LONG = 'aä€😀"\\\r\n\t\u0000'.repeat(10_000)

function hand(daemon: TestDaemon, body: string, more = {}) {
  return post(daemon.socket, '/v1/verbs/agent_handover', { body, keep: true, ...more })
}

function folderOf(daemon: TestDaemon): string {
  return join(daemon.env['AGENTD_STATE_DIR'] ?? '', 'handovers')
}

test.runIf(keepsFrames())(
  'one that is wished to be kept stands whole in a file of its own, and the frame points to it (HO-07)',
  async () => {
    await using daemon = await startTestDaemon()

    const { status, body } = await hand(daemon, LONG, { pointer_refs: ['src/a.ts'] })

    expect(status).toBe(200)
    const { path, octets } = body.kept
    expect(dirname(path)).toBe(folderOf(daemon))
    expect(octets).toBe(Buffer.byteLength(LONG))
    expect(readFileSync(path, 'utf8')).toBe(LONG)
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
    const { handover_body: head, pointer_refs: refs } = body.frame.payload
    expect(refs).toEqual([path, 'src/a.ts'])
    expect(head.startsWith(LONG.slice(0, 1_000))).toBe(true)
    expect(head).toContain(`All of it, ${octets} octets, is in ${path}`)
    const text = await request(daemon.socket, `/v1/frames/${body.frame_id}/text`, {
      headers: { accept: 'text/plain' },
    })
    expect(text.text).toBe(LONG)
    expect((await request(daemon.socket, `/v1/frames/${body.frame_id}/text`)).body).toEqual({
      frame_id: body.frame_id,
      octets,
      text: LONG,
    })
  },
)

test('without the wish it is too large for a frame, and with it a short one stays in its frame (HO-07)', async () => {
  await using daemon = await startTestDaemon()

  const large = await hand(daemon, LONG, { keep: false })
  const short = await hand(daemon, 'short')

  expect(large).toMatchObject({ status: 413, body: { code: 'frame-too-large' } })
  expect(short.body).not.toHaveProperty('kept')
  expect((await request(daemon.socket, `/v1/frames/${short.body.frame_id}/text`)).body.text).toBe('short')
  expect(existsSync(folderOf(daemon))).toBe(false)
})

test.runIf(keepsFrames())('a mebibyte is kept, and one octet more is refused (HO-07)', async () => {
  await using daemon = await startTestDaemon()
  const most = '\u0001'.repeat(MAX_HANDOVER_OCTETS)

  const kept = await hand(daemon, most)
  const refused = await hand(daemon, `${most}x`)

  expect(kept.body.kept).toMatchObject({ octets: MAX_HANDOVER_OCTETS })
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({ code: 'field-invalid', field: 'body' })
  expect(readdirSync(folderOf(daemon))).toHaveLength(1)
})

test.runIf(keepsFrames())('what is refused for another reason leaves no file (HO-07)', async () => {
  await using daemon = await startTestDaemon()

  const refused = await hand(daemon, LONG, { recipient_scope: '~bob/*' })

  expect(refused).toMatchObject({ status: 403, body: { code: 'scope-unauthorised' } })
  expect(readdirSync(folderOf(daemon))).toEqual([])
})

test.runIf(keepsFrames())(
  'it is forgotten with its frame, before that is answered (HO-07, AC-192)',
  async () => {
    await using daemon = await startTestDaemon()
    const [one, other] = [await hand(daemon, LONG), await hand(daemon, `${LONG}.`)]

    const path = `/v1/frames?frame_id=${one.body.frame_id}`
    const { body } = await request(daemon.socket, path, { method: 'DELETE' })

    expect(body).toEqual({ forgotten: 1 })
    expect(existsSync(one.body.kept.path)).toBe(false)
    expect(existsSync(other.body.kept.path)).toBe(true)
    const gone = await request(daemon.socket, `/v1/frames/${one.body.frame_id}/text`)
    expect(gone).toMatchObject({ status: 404, body: { code: 'not-found' } })
  },
)

test.runIf(keepsFrames())(
  'it outlives a kill of the daemon, and a file that no frame points to does not (HO-07)',
  async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    const { body } = await hand(first, LONG)
    const stray = join(folderOf(first), '8f4e1c9a-0000-4000-8000-000000000001.txt')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(stray, 'of a frame that never was')
    await first.stop('SIGKILL')
    await using second = await startTestDaemon({ dir })

    await using client = await connect({ socket: second.socket })
    const outcome = await client.takeOver()

    expect(outcome).toMatchObject({ state: 'taken', handover: { frameId: body.frame_id, text: LONG } })
    expect(existsSync(stray)).toBe(false)
  },
)

test('a daemon that keeps frames in memory keeps no text on disk (HO-07)', async () => {
  await using daemon = await startTestDaemon({ config: { ring: { enabled: false } } })

  const refused = await hand(daemon, LONG)

  expect(refused).toMatchObject({ status: 507, body: { code: 'store-full', field: 'body' } })
  expect(existsSync(folderOf(daemon))).toBe(false)
})

test('another kind of frame has no text of its own', async () => {
  await using daemon = await startTestDaemon()
  const { body } = await post(daemon.socket, '/v1/verbs/agent_advise', { text: 'x' })

  expect(await request(daemon.socket, `/v1/frames/${body.frame_id}/text`)).toMatchObject({
    status: 404,
    body: { code: 'not-found', field: 'frame_id' },
  })
})
