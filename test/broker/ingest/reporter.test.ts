/**
 * Of which frames another principal's machine may speak: an id that it has come to know makes no receipt (FED-41, FED-52).
 */
import { beforeEach, expect, test } from 'vitest'
import { mayHaveReached, type Questions, type Reporter } from '../../../src/broker/ingest/reporter.ts'
import type { RetainedFrame } from '../../../src/broker/ring/retained.ts'
import { requireScope } from '../../../src/protocol/address/scope.ts'
import type { Kind } from '../../../src/protocol/frame/kinds.ts'
import { newSides, signedAccord, grantOf } from '../../authority/accords.ts'
import { batchOf, ingest } from '../../support/arrivals.ts'
import { TestAuthority } from '../../support/authority.ts'
import { validFrame } from '../../support/frames.ts'
import { retained } from '../../support/rings.ts'
import { Workbench } from '../workbench.ts'

const [ACME, ACCORD] = ['o.acme', 'a.1']
const UNDER_GRANT = 'accord:~globex/grant:support'

let authority: TestAuthority
let askedBy: ReturnType<Questions['askerOf']>

beforeEach(() => {
  authority = new TestAuthority('~alice')
  authority.charter('~acme', '~alice dev', '~bob dev', '~carol ops')
  authority.charter('~globex', '~bob support', '~dave')
  authority.accord(signedAccord(newSides(), { grants: [grantOf()] }))
  askedBy = undefined
})

/** Whether a frame of ours to that scope may be what another's machine speaks of. */
function mayReach(scopeText: string, by: Reporter, kind: Kind): boolean {
  const text = JSON.stringify(validFrame(kind))
  const scope = requireScope(scopeText, 'scope')
  const sent: RetainedFrame = { ...retained(), kind, scope, scopeText, text }
  return mayHaveReached(sent, by, { authority, queries: { askerOf: () => askedBy } })
}

/** In a lane of a machine's own. */
function from(node: string, realm = ACME) {
  return { node, realm, lane: `${realm} ${node}` }
}

test('a forged report of a member whom a frame was not for changes none of its receipts (FED-52, FED-56)', async () => {
  const bench = new Workbench({ authority })
  const { frame_id: id } = bench.publish({ scope: 'org:~acme/members/dev/*' })
  const seen = [[id, '~carol/cc@c1', 'seen', bench.clock.nowMs()]] as const
  const report = { kind: 'report', node: '~alice/laptop', items: seen } as const

  await ingest(bench, batchOf([report], from('~carol/desk')))
  await ingest(bench, batchOf([report], from('~bob/box', 'o.globex')))
  expect(bench.ring.get(1)?.delivery.remoteReceipts()).toEqual([])

  await ingest(bench, batchOf([report], from('~bob/box')))
  expect(bench.ring.get(1)?.delivery.remoteReceipts()).toMatchObject([{ address: '~bob', state: 'seen' }])
})

test.each([
  ['a member, of what is for all', 'org:~acme/members/*', '~carol', ACME, true],
  ['who holds the role', 'org:~acme/members/dev/*', '~bob', ACME, true],
  ['who does not hold it', 'org:~acme/members/dev/*', '~carol', ACME, false],
  ['who is no member any more', 'org:~acme/members/*', '~dave', ACME, false],
  [
    'a member of another organisation too, by what that one has',
    'org:~acme/members/*',
    '~bob',
    'o.globex',
    false,
  ],
  ['an organisation’s member under an accord', 'org:~acme/members/*', '~bob', ACCORD, false],
  ['whom a frame names', '~bob/*', '~bob', ACME, true],
  ['another than a frame names', '~bob/*', '~carol', ACME, false],
  ['somebody of that name on another side', '~bob/*', '~bob', ACCORD, false],
  ['a member of one’s own, of what went under a grant', UNDER_GRANT, '~bob', ACME, false],
])('%s (FED-41, FED-56)', (...[, scope, handle, realm, may]) => {
  const org = realm === ACCORD ? '~globex' : undefined
  expect(mayReach(scope, { handle, realm, org }, 'agent_query')).toBe(may)
})

test.each([
  ['whom the grant reaches', '~bob', '~globex', true],
  ['whom it does not', '~dave', '~globex', false],
  ['a namesake of one’s own side', '~bob', '~acme', false],
  ['a namesake in another accord', '~bob', '~initech', false],
])('under an accord, %s (FED-57)', (...[, handle, org, may]) => {
  expect(mayReach(UNDER_GRANT, { handle, realm: ACCORD, org }, 'agent_query')).toBe(may)
})

test('of an answer under an accord, who asked; of a forgotten question, anybody of that side (FED-58)', () => {
  const may = (handle: string, scope = UNDER_GRANT, realm = ACCORD): boolean =>
    mayReach(scope, { handle, realm, org: '~globex' }, 'agent_response')
  expect([may('~dave'), may('~mallory'), may('~dave', '~dave/*')]).toEqual([true, false, false])

  askedBy = { origin: { realm: ACCORD, node: '~dave/box' } }

  expect([may('~dave'), may('~bob'), may('~dave', '~dave/*')]).toEqual([true, false, true])
  expect(may('~dave', UNDER_GRANT, 'a.2')).toBe(false)
})
