/**
 * Join files and link files (FED-14).
 */
import { describe, expect, test } from 'vitest'
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { createNodeKey } from '../../src/link/keys/node-key.ts'
import {
  MAX_LINK_FILE_OCTETS,
  decodeJoin,
  decodeLink,
  encodeJoin,
  encodeLink,
  isPlain,
  type JoinFile,
} from '../../src/link/link-file.ts'
import { AT_MS, REALM } from './samples.ts'

const SEED = `SU${'A'.repeat(56)}`
const KEY = createNodeKey()

const JOIN: JoinFile = {
  type: 'agentd.join',
  v: 1,
  realm: REALM,
  node: 'laptop',
  urls: ['nats://192.168.1.10:4222', 'tls://hub.example:4222'],
  ca: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
  domain: null,
  trust_network: false,
  credential: { nkey: SEED },
  node_key: KEY.seed,
  estate_key: KEY.publicX,
  estate: '{"type":"agentd.estate"}\n',
}

function verdictOn(changes: Readonly<Record<string, unknown>>): string {
  const found = orRefusal(() => decodeJoin(JSON.stringify({ ...JOIN, ...changes })))
  return found instanceof AgentdError ? `${found.code} ${found.field}` : 'ok'
}

test('a file comes back as it went, as it is handed over and as it is kept', () => {
  const link = { ...JOIN, type: 'agentd.link' as const, since_ms: AT_MS, added_at_ms: AT_MS + 1 }
  const creds = { ...link, credential: { creds: '-----BEGIN NATS USER JWT-----\n…' }, domain: 'leaf' }

  expect(decodeJoin(encodeJoin(JOIN))).toEqual(JOIN)
  expect(decodeLink(encodeLink(link))).toEqual(link)
  expect(decodeLink(encodeLink(creds))).toEqual(creds)
})

test('a link to an organisation says whose machine it is, and by which charter it was let in (FED-41)', () => {
  const added = { type: 'agentd.link' as const, since_ms: AT_MS, added_at_ms: AT_MS }
  const ofBob = { handle: '~bob', charter: '{"type":"agentd.charter"}\n', org_key: KEY.publicX }
  const link = { ...JOIN, ...added, realm: 'o.acme', ...ofBob }

  expect(decodeLink(encodeLink(link))).toEqual(link)
  for (const [name, value] of [
    ['handle', 'bob'],
    ['charter', ''],
    ['org_key', 'x'],
  ] as const)
    expect(orRefusal(() => decodeLink(JSON.stringify({ ...link, [name]: value })))).toMatchObject({
      code: 'field-invalid',
      field: name,
    })
})

test('one is never taken for the other', () => {
  expect(orRefusal(() => decodeLink(encodeJoin(JOIN)))).toMatchObject({
    code: 'field-invalid',
    field: 'type',
  })
  expect(verdictOn({ type: 'agentd.link' })).toBe('field-invalid type')
})

test('what a later version adds is passed over, and a later version is not', () => {
  expect(verdictOn({ later: [] })).toBe('ok')
  expect(decodeJoin(JSON.stringify({ ...JOIN, later: [] }))).toEqual(JOIN)
  expect(verdictOn({ v: 2 })).toBe('field-invalid v')
})

test.each([
  ['realm', 'p.*'],
  ['node', 'a.b'],
  ['urls', []],
  ['urls', Array.from({ length: 9 }, () => 'nats://a')],
  ['urls', ['http://a']],
  ['urls', ['nats://alice:secret@a']],
  ['urls', ['nats://a/x']],
  ['urls', ['nats://a?x']],
  ['urls', ['192.168.1.10:4222']],
  ['urls', [`nats://${'a'.repeat(300)}`]],
  ['ca', ''],
  ['ca', 'x'.repeat(32_769)],
  ['domain', 'a.b'],
  ['trust_network', 'yes'],
  ['credential', { nkey: 'SU' }],
  ['credential', { nkey: SEED, creds: 'x' }],
  ['credential', { creds: 'x'.repeat(8_193) }],
  ['credential', {}],
  ['node_key', KEY.seed.slice(1)],
  ['estate_key', null],
  ['estate', 'x'.repeat(65_537)],
])('%s %j is refused, by name', (name, value) => {
  expect(verdictOn({ [name]: value })).toBe(`field-invalid ${name}`)
})

describe('the way to the hub (FED-14)', () => {
  const plain = { ca: null, urls: ['nats://192.168.1.10:4222'] }

  test.each([
    ['with the hub’s own authority', {}, 'ok'],
    ['with TLS by those that the machine trusts', { ca: null, urls: ['tls://hub.example'] }, 'ok'],
    ['plain', plain, 'field-invalid urls'],
    ['plain, one address of two', { ca: null, urls: ['tls://a', 'nats://b'] }, 'field-invalid urls'],
    ['plain, where the person has said that the network is private', { ...plain, trust_network: true }, 'ok'],
    [
      'plain on loopback',
      { ca: null, urls: ['nats://127.0.0.1:4222', 'nats://[::1]', 'nats://localhost:1'] },
      'ok',
    ],
    [
      'plain on what only looks like loopback',
      { ca: null, urls: ['nats://127.0.0.1.example'] },
      'field-invalid urls',
    ],
    [
      'plain on loopback and elsewhere',
      { ca: null, urls: ['nats://127.0.0.1', 'nats://10.0.0.1'] },
      'field-invalid urls',
    ],
  ])('%s: %j → %s', (_, changes, verdict) => {
    expect(verdictOn(changes)).toBe(verdict)
  })

  test('is plain where no certificate is asked for', () => {
    expect(isPlain(JOIN)).toBe(false)
    expect(isPlain({ ca: null, urls: ['tls://a'] })).toBe(false)
    expect(isPlain(plain)).toBe(true)
  })
})

describe('secrets', () => {
  test('are quoted in no error, wherever the file is broken (FED-14)', () => {
    const whole = encodeJoin(JOIN)
    const broken = [
      whole.replace(SEED, `${SEED}x`),
      whole.replace(KEY.seed, `${KEY.seed}==`),
      whole.replace('"SU', 'SU'),
    ]

    for (const text of [...broken, whole.slice(0, -3), `${whole}${SEED}`]) {
      const fault = orRefusal(() => decodeJoin(text))
      if (!(fault instanceof AgentdError)) throw new Error('the file was taken')
      const told = [fault.message, fault.stack, String(fault.cause)].join('\n')
      expect(told).not.toContain(SEED.slice(0, 20))
      expect(told).not.toContain(KEY.seed.slice(0, 20))
    }
  })

  test('a file is bounded', () => {
    const text = encodeJoin(JOIN)
    const padded = (octets: number): string => text + ' '.repeat(octets - text.length)

    expect(decodeJoin(padded(MAX_LINK_FILE_OCTETS))).toEqual(JOIN)
    expect(() => decodeJoin(padded(MAX_LINK_FILE_OCTETS + 1))).toThrow('octets')
  })

  test('what would not be read is not written', () => {
    expect(() => encodeJoin({ ...JOIN, urls: ['nats://10.0.0.1'], ca: null })).toThrow('--trust-network')
  })
})
