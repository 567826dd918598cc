/**
 * How much may be sent under a grant (FED-57, FED-63).
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { GrantQuota, REMEMBERED_GRANTS, type GrantBounds } from '../../../src/broker/quota/grant-quota.ts'
import { orRefusal } from '../../../src/core/thrown.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { refusalOf } from '../../support/refusals.ts'

const SUPPORT: GrantBounds = { name: 'acme_globex ~acme support', from: '~acme', perMinute: 3, maxOctets: 4 }

let clock: FakeClock
let quota: GrantQuota

beforeEach(() => {
  clock = new FakeClock()
  quota = new GrantQuota(clock)
})

/** The code one frame is refused with; undefined when it is not. */
function refusal(grant = SUPPORT, text = 'text') {
  return refusalOf(() => quota.charge(grant, text))?.code
}

describe('frames of a minute', () => {
  test('as many as the grant says may be saved up, and they come back one by one (FED-57)', () => {
    expect([refusal(), refusal(), refusal(), refusal()]).toEqual([
      undefined,
      undefined,
      undefined,
      'rate-limited',
    ])
    const refused = orRefusal(() => quota.charge(SUPPORT, ''))
    expect(refused).toMatchObject({ code: 'rate-limited', retryAfterMs: 20_000 })
    clock.advance(19_999)
    expect(refusal()).toBe('rate-limited')
    clock.advance(1)
    expect([refusal(), refusal()]).toEqual([undefined, 'rate-limited'])
    clock.advance(600_000)
    expect([refusal(), refusal(), refusal(), refusal()].at(-1)).toBe('rate-limited')
  })

  test('are each grant’s own, and begin anew with other bounds (FED-57)', () => {
    for (let i = 0; i < 3; i += 1) quota.charge(SUPPORT, '')

    expect(refusal()).toBe('rate-limited')
    expect(refusal({ ...SUPPORT, name: 'acme_globex ~globex support' })).toBeUndefined()
    expect(refusal({ ...SUPPORT, perMinute: 4 })).toBeUndefined()
  })

  test('are remembered of as many grants as there can be; of more, the one used longest ago begins anew (FED-57)', () => {
    const { most, atOnce } = REMEMBERED_GRANTS
    const other = (i: number): GrantBounds => ({ ...SUPPORT, name: `other ${i}` })
    const [first, used] = [SUPPORT, { ...SUPPORT, name: 'used' }]
    for (const grant of [first, used]) for (let i = 0; i < 3; i += 1) quota.charge(grant, '')

    for (let i = 2; i < most; i += 1) quota.charge(other(i), '')
    expect([refusal(first), refusal(used)]).toEqual(['rate-limited', 'rate-limited'])
    for (let i = 0; i <= most; i += 1) {
      quota.charge(other(most + i), '')
      if (i % atOnce === 0) expect(refusal(used)).toBe('rate-limited')
    }

    expect([refusal(used), refusal(first)]).toEqual(['rate-limited', undefined])
  })
})

describe('octets of a frame', () => {
  test('at most what the grant says, as octets and not as characters; what is too large costs nothing (FED-57)', () => {
    expect([refusal(SUPPORT, 'abcd'), refusal(SUPPORT, 'abcde'), refusal(SUPPORT, 'üüü')]).toEqual([
      undefined,
      'frame-too-large',
      'frame-too-large',
    ])
    expect([refusal(), refusal(), refusal()]).toEqual([undefined, undefined, 'rate-limited'])
  })
})
