import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ScopeIndex } from '../../../src/broker/audience/scope-index.ts'
import { Roll } from '../../../src/authority/charter.ts'
import { Session } from '../../../src/broker/session/session.ts'
import { formatAddress } from '../../../src/protocol/address/handle.ts'
import { readScope, scopeNames, type MembersOf } from '../../../src/protocol/address/scope.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const clock = new FakeClock()

/** No organisation. */
const NOBODY = (): undefined => undefined

function sessionAt(handle: string, instrument: string, sessionId: string): Session {
  const address = formatAddress(handle, instrument, sessionId)
  const draftedWith = `~${instrument}`
  return new Session({ address, handle, instrument, sessionId, tool: 'other', draftedWith }, clock)
}

const handle = fc.constantFrom('~a', '~alice', '~b')
// Short and from few letters, so that prefixes of one another are common.
const instrument = fc.stringMatching(/^[ab0]([ab0-]{0,3}[ab0])?$/)
const sessionId = fc.constantFrom('1', '2', 'A', 'a.b', 'x:y')
const session = fc.tuple(handle, instrument, sessionId).map((parts) => sessionAt(...parts))
const scope = fc.oneof(
  handle,
  handle.map((text) => `${text}/*`),
  fc.tuple(handle, fc.stringMatching(/^[ab0-]{1,4}$/)).map(([text, prefix]) => `${text}/${prefix}*`),
  fc.tuple(handle, instrument, sessionId).map((parts) => formatAddress(...parts)),
  fc.constantFrom('org:acme/members/*', 'org:~acme/members/dev/*', 'org:acme/members/ops/*'),
  fc.constantFrom('org:globex/members/*', 'accord:acme/grant:g'),
)

// More members than are here, and others than that.
const roll = fc
  .uniqueArray(
    fc.record({
      handle: fc.constantFrom('~a', '~alice', '~b', '~elsewhere', '~far'),
      roles: fc.uniqueArray(fc.constantFrom('dev', 'ops')),
    }),
    { selector: ({ handle: name }) => name },
  )
  .map((members) => new Roll({ org: '~acme', members }))

test('the index expands every scope to exactly the sessions that scopeNames names, whoever came and went, and is a member (AC-115…AC-121)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ session, leaves: fc.boolean() }), { maxLength: 30 }),
      fc.array(scope, { minLength: 1, maxLength: 10 }),
      roll,
      (moves, scopes, members) => {
        const membersOf: MembersOf = (org, role) => (org === '~acme' ? members.of(role) : undefined)
        const index = new ScopeIndex(membersOf)
        const present = new Map<string, Session>()
        for (const { session: one, leaves } of moves) {
          const holder = present.get(one.address)
          if (leaves && holder !== undefined) {
            index.remove(holder)
            present.delete(one.address)
          } else {
            index.add(one)
            present.set(one.address, one)
          }
        }

        for (const text of scopes) {
          const parsed = readScope(text)!
          const expected = [...present.values()].filter((one) => scopeNames(parsed, one, membersOf))
          const found = [...index.expand(parsed)]
          expect(new Set(found)).toEqual(new Set(expected))
          expect(found).toHaveLength(expected.length)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('removing a session that another has replaced leaves the other there (AC-115)', () => {
  const index = new ScopeIndex(NOBODY)
  const [former, present] = [sessionAt('~a', 'cc', '1'), sessionAt('~a', 'cc', '1')]
  index.add(former)
  index.add(present)

  index.remove(former)

  expect([...index.expand(readScope('~a')!)]).toEqual([present])
})

test('removing who never came changes nothing', () => {
  const index = new ScopeIndex(NOBODY)
  index.add(sessionAt('~a', 'cc', '1'))

  index.remove(sessionAt('~b', 'cc', '1'))
  index.remove(sessionAt('~a', 'codex', '1'))
  index.remove(sessionAt('~a', 'cc', '2'))

  expect([...index.expand(readScope('~a/*')!)]).toHaveLength(1)
})

test('a handle that nobody goes by any more leaves nothing behind', () => {
  const index = new ScopeIndex(NOBODY)
  const sessions = ['cc', 'codex'].map((instrument) => sessionAt('~a', instrument, '1'))
  const other = sessionAt('~b', 'cc', '1')
  for (const one of [...sessions, other]) index.add(one)

  const counts = [...sessions, other].map((one) => {
    index.remove(one)
    return index.handleCount
  })

  expect(counts).toEqual([2, 1, 0])
})
