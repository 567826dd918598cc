import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RosterIndex } from '../../../src/broker/remote/roster-index.ts'
import { formatAddress } from '../../../src/protocol/address/handle.ts'
import { readScope, scopeNames, type Scope } from '../../../src/protocol/address/scope.ts'
import { remoteSession } from '../../support/other-nodes.ts'

const handle = fc.constantFrom('~a', '~alice', '~b')
// Short and from few letters, so that prefixes of one another are common.
const instrument = fc.stringMatching(/^[ab0]([ab0-]{0,3}[ab0])?$/)
const sessionId = fc.constantFrom('1', '2', 'A', 'a.b', 'x:y')
const addressee = fc.record({ handle, instrument, sessionId })
const scope = fc.oneof(
  handle,
  fc.tuple(handle, fc.stringMatching(/^[ab0-]{1,4}$/)).map(([text, prefix]) => `${text}/${prefix}*`),
  fc.tuple(handle, instrument, sessionId).map((parts) => formatAddress(...parts)),
  fc.constantFrom('org:acme/members/*', 'accord:acme/grant:g'),
)

function read(text: string): Scope {
  const found = readScope(text)
  if (found === undefined) throw new Error(`not a scope: ${text}`)
  return found
}

test('the index of a roster counts for every scope exactly the sessions that scopeNames names (FED-50)', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(addressee, { selector: (one) => JSON.stringify(one), maxLength: 30 }),
      fc.array(scope, { minLength: 1, maxLength: 10 }),
      (sessions, scopes) => {
        const index = new RosterIndex(
          sessions.map((one) => remoteSession(formatAddress(one.handle, one.instrument, one.sessionId))),
        )
        for (const text of scopes) {
          const named = sessions.filter((one) => scopeNames(read(text), one))
          expect(index.count(read(text)), text).toBe(named.length)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a session without stream and mailbox is named by no scope, and still speaks for its entities (FED-50)', () => {
  const deaf = remoteSession('~alice/cc@s1', { live: false, mailbox: false, entities: ['agent.reviewer'] })

  const index = new RosterIndex([deaf])

  expect(index.count(read('~alice'))).toBe(0)
  expect(index.hasAddress('~alice/cc@s1')).toBe(false)
  expect(index.countEntity('agent.reviewer')).toBe(1)
})
