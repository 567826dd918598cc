/** What the process signs for a page, and what it leaves as it came (SEAT-05). */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readKey, verifyEnvelope, type Key } from '../../../../src/client/aee.ts'
import { HostRefusal } from '../../../../src/client/index.ts'
import { agentd } from '../../../cli/support.ts'
import { PERSON, WORKER } from '../../../support/approvals.ts'
import { validEnvelope, type AnyEnvelope } from '../../../support/envelopes.ts'
import { post, request } from '../../../support/http.ts'
import { openSeat, type TestSeat } from '../support.ts'

/** A seat whose person has a key, which the daemon knows too. */
async function openSeatWithKey() {
  let key: Key | undefined
  const seat = await openSeat({ findKey: (entity) => (entity === PERSON ? key : undefined) })
  const { stdout } = await agentd(seat.daemon.env, ['keys', 'new', PERSON, '--json'])
  key = readKey(readFileSync(JSON.parse(stdout).file, 'utf8'))
  return { seat, key, [Symbol.asyncDispose]: () => seat[Symbol.asyncDispose]() }
}

/** The answer to an approval, as a page makes it. */
function verdict(changes: object = {}): AnyEnvelope {
  const answers = { type: 'result', to: WORKER, intent: 'approval.request', reply_to: 'ask-00001' }
  return validEnvelope({ ...answers, from: PERSON, sig: undefined, payload: { approved: true }, ...changes })
}

async function answer(seat: TestSeat, envelope: AnyEnvelope) {
  const worker = { instrument: 'worker', session_id: 'w1', entities: [WORKER], mailbox: true }
  await post(seat.daemon.socket, '/v1/sessions', worker)
  const token = await seat.signIn()
  const { status, headers, body } = await seat.ask('/v1/envelopes', { token, json: envelope })
  const kept = (await request(seat.daemon.socket, `/v1/envelopes/${envelope.id}`)).body
  return { status, body, kept, signed: headers['agentd-signed'], token }
}

test('the answer to an approval is signed by the key there is, and the page is told (SEAT-05)', async () => {
  await using scene = await openSeatWithKey()
  const { seat, key } = scene

  const { status, kept, signed, token } = await answer(seat, verdict())

  expect([status, signed]).toEqual([200, 'true'])
  expect(verifyEnvelope(kept, { keys: { find: () => key }, nowMs: Date.now() })).toBe('verified')
  expect((await seat.ask('/signing', { token })).body).toEqual({ signed_with: key.kid })
  expect((await seat.ask('/signing')).status).toBe(401)
})

test('without a key it goes as it came, and the page is told that too (SEAT-05)', async () => {
  await using seat = await openSeat()

  const { status, kept, signed, token } = await answer(seat, verdict())

  expect([status, signed, kept.sig]).toEqual([200, 'false', undefined])
  expect((await seat.ask('/signing', { token })).body).toEqual({ signed_with: null })
})

test('what is no answer to an approval is not signed, and nothing is said of it (SEAT-05)', async () => {
  await using scene = await openSeatWithKey()
  const others = [
    verdict({ intent: 'ops.door.open' }),
    verdict({ type: 'error', payload: { code: 'E_REJECTED', message: 'no', retryable: false } }),
    verdict({ type: 'event', reply_to: undefined }),
  ]

  for (const envelope of others) {
    const { status, kept, signed } = await answer(scene.seat, envelope)
    expect([status, signed, kept.sig]).toEqual([200, undefined, undefined])
  }
})

test('keys that others can reach have nothing sent, and the page is told why (SEAT-05)', async () => {
  await using seat = await openSeat({
    findKey: () => {
      throw new HostRefusal('The key folder is refused.')
    },
  })

  const { status, body, kept, token } = await answer(seat, verdict())
  const refused = { code: 'keys-refused', message: 'The key folder is refused.' }

  expect([status, body, kept.code]).toEqual([503, refused, 'not-found'])
  expect(await seat.ask('/signing', { token })).toMatchObject({ status: 503, body: refused })
})

test('what cannot be signed because it is no envelope is refused in the words of the wire (SEAT-05)', async () => {
  await using scene = await openSeatWithKey()

  const { status, body } = await answer(scene.seat, verdict({ corr: undefined }))

  expect([status, body]).toMatchObject([400, { code: 'field-missing', field: 'corr' }])
})
