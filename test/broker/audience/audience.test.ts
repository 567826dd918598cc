import { expect, test } from 'vitest'
import {
  Audiences,
  MAX_KEY_LENGTH,
  MAX_REMEMBERED_AUDIENCES,
  type AudienceFacts,
} from '../../../src/broker/audience/audience.ts'
import { principalAlone } from '../../../src/broker/authority/authority.ts'
import { Heirs } from '../../../src/broker/kinship/heirs.ts'
import { OpenQueries } from '../../../src/broker/audience/open-queries.ts'
import { Entities } from '../../../src/broker/audience/entities.ts'
import { requireScope } from '../../../src/protocol/address/scope.ts'

function newAudiences(): Audiences {
  const entities = new Entities({ entities: () => [] })
  return new Audiences({
    entities,
    limits: { fanOut: 10 },
    heirs: new Heirs(),
    lifelines: { look: () => false },
    authority: principalAlone('~alice'),
    queries: new OpenQueries(),
  })
}

/** What a frame of one of many senders goes by. */
function factsOf(sender: number | string): AudienceFacts {
  const scope = requireScope('~alice/*', 'recipient_scope')
  return {
    type: 'frame',
    kind: 'agent_advisory',
    senderHandle: `~sender-${sender}`,
    tool: undefined,
    scope,
    scopeText: '~alice/*',
  }
}

test('audiences are worked out once, and all are forgotten with the first that is one too many', () => {
  const audiences = newAudiences()
  const first = audiences.of(factsOf(0))
  for (let i = 1; i < MAX_REMEMBERED_AUDIENCES; i += 1) audiences.of(factsOf(i))
  const atTheBound = audiences.of(factsOf(0))

  audiences.of(factsOf(MAX_REMEMBERED_AUDIENCES))
  const pastTheBound = audiences.of(factsOf(0))

  expect(atTheBound).toBe(first)
  expect(pastTheBound).not.toBe(first)
  expect(pastTheBound).toEqual(first)
})

test('an audience whose names are too long to remember is worked out every time', () => {
  const audiences = newAudiences()
  const keyLength = 'agent_advisory ~sender-  ~alice/*'.length
  const [fits, isTooLong] = [MAX_KEY_LENGTH, MAX_KEY_LENGTH + 1].map((length) => {
    const facts = factsOf('x'.repeat(length - keyLength))
    const first = audiences.of(facts)
    // The last one asked for is at hand, however long its names are.
    audiences.of(factsOf('other'))
    return audiences.of(facts) === first
  })

  expect([fits, isTooLong]).toEqual([true, false])
})
