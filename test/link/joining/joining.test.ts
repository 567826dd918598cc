/**
 * Requests and invitations (FED-14, FED-40, FED-41): what goes comes back, and what was changed on the way does not.
 */
import { sign } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSeed, keyOfSeed, publicXOf } from '../../../src/aee/keys/seed.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { orRefusal } from '../../../src/core/thrown.ts'
import {
  isInvitation,
  readInvitation,
  writeInvitation,
  type Invitation,
} from '../../../src/link/joining/invitation.ts'
import { decodePending, encodePending, type PendingJoin } from '../../../src/link/joining/pending.ts'
import {
  readRequest,
  verifyRequest,
  writeRequest,
  type JoinRequest,
} from '../../../src/link/joining/request.ts'
import { createUserNkey } from '../../../src/link/keys/nkey.ts'
import { createNodeKey, readNodeKey } from '../../../src/link/keys/node-key.ts'
import { hostileText } from '../samples.ts'

const NKEY = createUserNkey()
const NODE = createNodeKey()
const PERSON = createNodeKey()
const ORG = keyOfSeed('Ed25519', createSeed())
const ORG_X = publicXOf(ORG)

const REQUEST: JoinRequest = {
  type: 'agentd.request',
  v: 1,
  realm: 'o.acme',
  handle: '~bob',
  node: 'box',
  nkey: NKEY.publicKey,
  estate: '{"type":"agentd.estate"}\n',
  key: PERSON.publicX,
}

const INVITATION: Invitation = {
  type: 'agentd.invitation',
  v: 1,
  realm: 'o.acme',
  handle: '~bob',
  node: 'box',
  urls: ['nats://192.168.1.10:4222'],
  ca: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
  domain: null,
  charter: '{"type":"agentd.charter"}\n',
  org_key: ORG_X,
}

const PENDING: PendingJoin = {
  type: 'agentd.pending',
  v: 1,
  realm: 'o.acme',
  handle: '~bob',
  node: 'box',
  nkey_seed: NKEY.seed,
  nkey: NKEY.publicKey,
  node_key: NODE.seed,
  estate_key: PERSON.publicX,
  estate: '{"type":"agentd.estate"}\n',
}

const byNode = (bytes: Uint8Array): Buffer => sign(null, bytes, readNodeKey(NODE.seed).key)
const byOrg = (bytes: Uint8Array): Buffer => sign(null, bytes, ORG)

function verdictOf(work: () => unknown): string {
  const found = orRefusal(work)
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

/** Takes a request as who lets somebody in does. */
function takeRequest(text: string, nodeKeyX = NODE.publicX): JoinRequest {
  const request = readRequest(text)
  verifyRequest(text, nodeKeyX)
  return request
}

/** The same text with one member changed and the signature as it was. */
function changed(text: string, name: string, value: unknown): string {
  const members: unknown = JSON.parse(text)
  return JSON.stringify({ ...Object(members), [name]: value })
}

test('both come back as they went, whatever documents they carry (FED-40)', () => {
  const documents = hostileText.filter((text) => text.length > 0)
  fc.assert(
    fc.property(documents, fc.option(documents, { nil: undefined }), (estate, charter) => {
      const request = { ...REQUEST, estate, ...(charter !== undefined && { charter }) }
      expect(takeRequest(writeRequest(request, byNode))).toEqual(request)
      const invitation = { ...INVITATION, charter: estate, domain: charter === undefined ? null : 'leaf' }
      expect(readInvitation(writeInvitation(invitation, byOrg))).toEqual(invitation)
    }),
  )
})

test('what a later version adds is passed over, and stands under the signature all the same (FED-17)', () => {
  const later = { ...INVITATION, later: [1] }
  const text = writeInvitation(later, byOrg)

  expect(readInvitation(text)).toEqual(INVITATION)
  expect(verdictOf(() => readInvitation(changed(text, 'later', [2])))).toBe('signature-invalid sig')
})

describe('changed on the way (FED-41)', () => {
  const request = writeRequest(REQUEST, byNode)
  const invitation = writeInvitation(INVITATION, byOrg)

  test.each([
    ['realm', 'o.globex'],
    ['handle', '~eve'],
    ['node', 'other'],
    ['nkey', createUserNkey().publicKey],
    ['estate', '{}'],
    ['key', createNodeKey().publicX],
    ['charter', '{}'],
  ])('a request with another %s is refused', (name, value) => {
    expect(verdictOf(() => takeRequest(changed(request, name, value)))).toBe('signature-invalid sig')
  })

  test.each([
    ['realm', 'o.globex'],
    ['handle', '~eve'],
    ['urls', ['nats://10.6.6.6:4222']],
    ['ca', null],
    ['domain', 'leaf'],
    ['charter', '{}'],
    ['org_key', createNodeKey().publicX],
  ])('an invitation with another %s is refused', (name, value) => {
    expect(verdictOf(() => readInvitation(changed(invitation, name, value)))).toBe('signature-invalid sig')
  })

  test('so is one without a signature, with a broken one, and one by another key', () => {
    expect(verdictOf(() => takeRequest(changed(request, 'sig', undefined)))).toBe('signature-required sig')
    for (const sig of ['', 'x', 5, 'A'.repeat(88), null])
      expect(verdictOf(() => takeRequest(changed(request, 'sig', sig)))).toBe('signature-invalid sig')
    expect(verdictOf(() => takeRequest(request, PERSON.publicX))).toBe('signature-invalid sig')
    expect(verdictOf(() => readInvitation(writeInvitation(INVITATION, byNode)))).toBe('signature-invalid sig')
  })

  test('one is never taken for the other, nor a text of any shape for one of them', () => {
    expect(verdictOf(() => readRequest(invitation))).toBe('field-invalid type')
    expect(verdictOf(() => readInvitation(request))).toBe('field-invalid type')
    expect([isInvitation(invitation), isInvitation(request)]).toEqual([true, false])
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.json()), (text) => {
        expect(orRefusal(() => readInvitation(text))).toBeInstanceOf(AgentdError)
        expect(orRefusal(() => readRequest(text))).toBeInstanceOf(AgentdError)
      }),
    )
  })

  test('a text with a name twice, and one beyond its bound, is none', () => {
    const twice = request.replace('"handle"', '"handle":"~eve","handle"')

    expect(verdictOf(() => readRequest(twice))).toBe('field-invalid request')
    expect(verdictOf(() => readRequest(request.padEnd(262_144)))).toBe('ok')
    expect(verdictOf(() => readRequest(request.padEnd(262_145)))).toBe('field-invalid request')
  })
})

test.each([
  ['realm', 'p.bob'],
  ['realm', 'o.*'],
  ['handle', 'bob'],
  ['node', 'a.b'],
  ['nkey', NKEY.seed],
  ['estate', 'x'.repeat(65_537)],
  ['key', 'short'],
])('a request whose %s is %j is neither written nor read', (name, value) => {
  const broken = { ...REQUEST, [name]: value }

  expect(verdictOf(() => writeRequest(broken, byNode))).toBe(`field-invalid ${name}`)
  expect(verdictOf(() => readRequest(JSON.stringify(broken)))).toBe(`field-invalid ${name}`)
})

test('what is kept of a request comes back, and no error quotes its secrets (FED-14)', () => {
  const whole = encodePending(PENDING)
  const broken = [
    whole.replace(NKEY.seed, `${NKEY.seed}x`),
    whole.replace(NODE.seed, 'x'),
    whole.slice(0, -4),
  ]

  expect(decodePending(whole)).toEqual(PENDING)
  for (const text of broken) {
    const fault = orRefusal(() => decodePending(text))
    if (!(fault instanceof AgentdError)) throw new Error('the file was taken')
    const told = [fault.message, fault.stack, String(fault.cause)].join('\n')
    expect(told).not.toContain(NKEY.seed.slice(0, 20))
    expect(told).not.toContain(NODE.seed.slice(0, 20))
  }
})
