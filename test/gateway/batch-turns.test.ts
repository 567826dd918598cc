/** A large batch is judged in several turns of the loop, so that whoever speaks here is answered between (FT-13). */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BatchGate, MAX_TURN_RECORDS } from '../../src/gateway/in/batch-gate.ts'
import { HeldEstate } from '../../src/gateway/in/held-estate.ts'
import { StandingWaits } from '../../src/gateway/in/standing-waits.ts'
import { OwnSide } from '../../src/gateway/side/own-side.ts'
import { principalAlone } from '../../src/broker/authority/authority.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { messageOf, RealmOfAlice, REALM } from './realm-of-alice.ts'

/** How many turns the judging of so many records takes, and what came of it. */
async function judge(count: number) {
  const realm = new RealmOfAlice('laptop', 'devbox')
  const lines = Array.from({ length: count }, (_, i) => `{"t":"later","e":"d1-${i + 1}"}`)
  const { body, signature, subject } = messageOf(realm, 'devbox', { lines, last: `d1-${count}`, seq: 3 })
  const side = new OwnSide({
    node: 'laptop',
    broker: { principal: '~alice', authority: principalAlone('~alice'), sessions: { find: () => undefined } },
    estate: new HeldEstate({
      link: realm.linkFile('laptop'),
      handle: '~alice',
      place: { read: () => undefined, put: () => {} },
      nowMs: () => Date.now(),
    }),
    rosters: { knowsAddress: () => false, knowsEntity: () => false },
    accept: () => ({ kinds: undefined, from: ['*'], perSecond: undefined }),
  })
  let turns = 1
  const gate = new BatchGate({
    realm: REALM,
    voucher: side.voucher,
    rulesFor: side.rulesFor.bind(side),
    waits: new StandingWaits(new FakeClock(), side.waitMs),
    marksOf: () => new Map(),
    records: { judge: () => ({ e: null, answer: 'skipped' }) },
    allowances: { of: () => undefined },
    defer: (step) => {
      turns += 1
      void setImmediate().then(step)
    },
  })
  const head = { subject, stream_seq: 3, engine_at_ms: Date.now(), signature }
  const verdict = await gate.judge(head, body)
  return { turns, verdicts: verdict.kind === 'let-in' ? verdict.verdicts.length : verdict }
}

test.each([
  [MAX_TURN_RECORDS, 1],
  [MAX_TURN_RECORDS + 1, 2],
  [256, 256 / MAX_TURN_RECORDS],
])('a batch of %d records is judged in %d turns (FT-13)', async (count, turns) => {
  expect(await judge(count)).toEqual({ turns, verdicts: count })
})
