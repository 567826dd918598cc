/** What a lease is on, for who reads a frame that names it by its id. */
import { expect, test } from 'vitest'
import { LeaseResources, MAX_LEASES } from '../../../src/cli/leases/lease-resources.ts'
import { validFrame } from '../../support/frames.ts'

const idOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`

const asked = (n: number, sender = '~alice') =>
  validFrame('agent_lock_request', {
    sender_handle: sender,
    payload: { lease_id: idOf(n), resource: `file-${n}`, ttl_ms: 60_000 },
  })

const released = (n: number, payload = {}) =>
  validFrame('agent_lock_release', { sender_handle: '~alice', payload: { lease_id: idOf(n), ...payload } })

test('a release is of what its sender asked for by that id, in whatever spelling', () => {
  const leases = new LeaseResources()
  leases.observe(asked(10))
  leases.observe(asked(11, '~bob'))

  expect(leases.known(released(10))).toBe('file-10')
  expect(leases.known(released(11))).toBeUndefined()
  expect(leases.known(released(10, { lease_id: idOf(10).toUpperCase() }))).toBe('file-10')
})

test('what a release says itself is not said twice, and an empty resource says nothing (AC-066)', () => {
  const leases = new LeaseResources()
  leases.observe(asked(1))

  expect(leases.known(released(1, { resource: 'file-1' }))).toBeUndefined()
  expect(leases.known(released(1, { resource: '' }))).toBe('file-1')
})

test('so many leases are remembered and no more, the newest', () => {
  const leases = new LeaseResources()
  for (let n = 0; n <= MAX_LEASES; n += 1) leases.observe(asked(n))

  expect(leases.known(released(0))).toBeUndefined()
  expect(leases.known(released(MAX_LEASES))).toBe(`file-${MAX_LEASES}`)
})
