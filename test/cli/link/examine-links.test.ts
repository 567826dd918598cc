/**
 * What the doctor says of a link (FED-10, FED-14, FED-32).
 */
import { expect, test } from 'vitest'
import { examineLink } from '../../../src/cli/link/examine-links.ts'
import { twinsAmong } from '../../../src/cli/link/examine-twins.ts'
import { createNodeKey } from '../../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../../src/link/link-file.ts'
import type { LinkReply } from '../../../src/protocol/http/links-reply.ts'
import { notesOn } from '../../../src/runtimes/doctor/finding.ts'
import { linkIn } from './link-in.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

/** The key of this machine, whose estate may say until when it counts. */
const { seed, publicX } = createNodeKey()

function fileIn(changes: Partial<LinkFile> = {}, until?: string): LinkFile {
  const node = { node: 'laptop', key: publicX, ...(until !== undefined && { not_after: until }) }
  const estate = { type: 'agentd.estate', v: 1, authority_epoch: 1, principal: '~alice', nodes: [node] }
  return {
    type: 'agentd.link',
    v: 1,
    realm: 'p.alice',
    node: 'laptop',
    urls: ['nats://192.168.1.10:4222'],
    ca: 'PEM',
    domain: null,
    trust_network: false,
    credential: { nkey: 'SU' },
    node_key: seed,
    estate_key: publicX,
    estate: JSON.stringify(estate),
    since_ms: 0,
    added_at_ms: 0,
    ...changes,
  }
}

function found(reply: Partial<LinkReply> | undefined, file = fileIn()): readonly string[] {
  const link = { name: 'home', file, reply: reply === undefined ? undefined : linkIn(reply) }
  return examineLink(link, NOW, notesOn('links')).map(({ state, sentence }) => `${state}: ${sentence}`)
}

/** As {@link found}, with an estate that came over the link later. */
function foundWith(estate: string): readonly string[] {
  const link = { name: 'home', file: fileIn(), reply: linkIn(), estate }
  return examineLink(link, NOW, notesOn('links')).map(({ state, sentence }) => `${state}: ${sentence}`)
}

/** So many sessions that another machine has too. */
function twins(count: number) {
  return Array.from({ length: count }, (_, i) => ({ address: `~alice/cc@s${i}`, alsoOn: ['devbox'] }))
}

function saidOfTwins(count: number): readonly string[] {
  const here = [{ address: '~alice/cc@alone' }, ...twins(count)]
  return twinsAmong(here, notesOn('links')).map(({ sentence }) => sentence)
}

function nodeOff(node: string, offset_ms: number | null): LinkReply['nodes'][number] {
  return { node, state: 'here', as_of: '2026-11-23T12:00:00Z', sessions: 0, offset_ms }
}

test('a link that is well has one line, which says that its lanes can be written and read (FED-13)', () => {
  const lane = { lane: 'x', for: 'all', waiting: 0, lag_ms: 0 }

  expect(found({})).toEqual([
    'ok: The link "home" is up, as laptop in p.alice; its lane can be written and read.',
  ])
  expect(found({ lanes: [lane, lane] })).toEqual([
    'ok: The link "home" is up, as laptop in p.alice; each of its 2 lanes can be written and read.',
  ])
})

test.each([
  [
    'warn: The link "home" is away 3m: The hub does not answer.',
    { state: 'away', why: 'The hub does not answer.' },
  ],
  ['fail: The link "home" is refused: No.', { state: 'refused', why: 'No.' }],
  ['fail: The link "home" is fenced: Somebody else.', { state: 'fenced', why: 'Somebody else.' }],
  ['warn: The link "home" is starting.', { state: 'starting' }],
] as const)('%s', (line, reply) => {
  expect(found(reply)).toEqual([line])
})

test('a link that no daemon knows is told, and how to have one', () => {
  expect(found(undefined)).toEqual([
    'warn: The link "home" is not there: agentd does not run, or has not read it.',
  ])
})

test.each([
  [{ what_leaves: 'no frame; nobody is told who is here' }, /^warn: Nothing leaves over "home"/],
  [{ server: '2.9.9' }, /nats-server 2\.9\.9; links want 2\.9\.10 or newer/],
  [{ server: '1.30.0' }, /nats-server 1\.30\.0/],
  [{ max_payload: 1_310_719 }, /takes 1310719 octets at once/],
  [{ lag_ms: 61_000, waiting: 7 }, /1m 1s behind, with 7 waiting/],
  [{ behind: 9, behind_ms: 61_000 }, /is 1m 1s old, with 9 to read/],
  [{ is_durable: false }, /no replay: the ring is in memory/],
] as const)('of %o the doctor says what is off (FED-10)', (reply, pattern) => {
  const [state, ...odd] = found(reply)

  expect(state).toMatch(/^ok/)
  expect(odd).toEqual([expect.stringMatching(pattern)])
})

test.each(['2.9.10', '2.10.0', '2.11.4', '3.0.0'])('nats-server %s will do (FED-10)', (server) => {
  expect(found({ server })).toHaveLength(1)
})

test('a clock that is off by more than a minute is named, one that is not is not (FED-32)', () => {
  expect(
    found({ nodes: [nodeOff('ci', 60_000), nodeOff('devbox', -600_000), nodeOff('old', null)] }).slice(1),
  ).toEqual(['warn: The clock of "devbox" is off by -10m; what expires there does so at another time.'])
})

test('a way without TLS is named for as long as it is gone (FED-14)', () => {
  expect(found({}, fileIn({ ca: null, trust_network: true })).slice(1)).toEqual([
    'warn: "home" goes without TLS to nats://192.168.1.10:4222: whoever is on the way reads all of it.',
  ])
})

test('a machine whose place ends within fourteen days is told, and one whose place has ended', () => {
  expect(found({}, fileIn({}, '2026-12-06T12:00:00Z')).slice(1)).toEqual([
    'warn: What makes this machine a node of "home" ends in 13d.',
  ])
  expect(found({}, fileIn({}, '2026-12-08T12:00:01Z'))).toHaveLength(1)
  expect(found({}, fileIn({}, '2026-11-23T11:59:59Z')).slice(1)).toEqual([
    'warn: What made this machine a node of "home" has ended.',
  ])
})

test('of two estates the newer one says when it ends, whichever way it came (FED-40)', () => {
  const later = JSON.parse(fileIn({}, '2026-12-06T12:00:00Z').estate)

  expect(foundWith(JSON.stringify({ ...later, authority_epoch: 2 })).slice(1)).toEqual([
    'warn: What makes this machine a node of "home" ends in 13d.',
  ])
  expect(foundWith(JSON.stringify({ ...later, authority_epoch: 0 }))).toHaveLength(1)
  expect(foundWith('nonsense')).toHaveLength(1)
})

test('an address that another machine has too is named, and of many the first five (FED-54)', () => {
  expect(saidOfTwins(0)).toEqual([])
  expect(saidOfTwins(1)).toEqual(['~alice/cc@s0 is on devbox too: a frame for it reaches both.'])
  expect(saidOfTwins(6)[0]).toMatch(
    /~alice\/cc@s4 is on devbox too, and 1 more: a frame for it reaches both\.$/,
  )
})

test('what was refused and what never came is counted', () => {
  const { figures } = linkIn()

  const odd = found({ figures: { ...figures, holes: 1, refused: 2 } }).slice(1)

  expect(odd).toEqual([
    expect.stringMatching(/Something never came/),
    expect.stringMatching(/^warn: 2 of what came/),
  ])
})
