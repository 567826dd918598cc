/**
 * Whether a hub's disk has room for what it may keep (FED-12).
 */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readHubRoom, roomInWords } from '../../../src/cli/link/hub/hub-room.ts'
import { BUCKET_MAX_OCTETS, STREAM_MAX_OCTETS } from '../../../src/link/hub-streams.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const ONE_REALM = STREAM_MAX_OCTETS + BUCKET_MAX_OCTETS

test('what a store may grow by is what its realms may keep, less what is there', async () => {
  await using dir = await createTempDir()
  const before = readHubRoom(dir.path, 2)
  writeFileSync(dir.file('1.blk'), Buffer.alloc(1_048_576, 'x'))

  const after = readHubRoom(dir.path, 2)

  expect(before?.wanted).toBe(2 * ONE_REALM)
  expect(after?.wanted).toBeLessThanOrEqual(2 * ONE_REALM - 1_048_576)
  expect(after?.free).toBeGreaterThan(0)
  expect(readHubRoom(dir.file('none'), 2)).toBeUndefined()
})

test('a disk is named where it has an octet less than that', () => {
  expect(roomInWords({ free: ONE_REALM, wanted: ONE_REALM }, '/hub')).toBeUndefined()
  expect(roomInWords({ free: ONE_REALM - 1, wanted: ONE_REALM }, '/hub')).toMatch(
    /^The disk of \/hub has .* left, and what the hub keeps for a week may grow by 1\.1 GiB/,
  )
})
