import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  describeSilence,
  findOwner,
  noteOwner,
  removeOwner,
} from '../../../src/host/process/instance-owner.ts'
import { createTempDir } from '../../support/temp-dir.ts'

test('who holds an instance is found beside its socket, by nobody else to be read, until it takes that back (OP-29)', async () => {
  await using dir = await createTempDir()
  const socket = dir.file('s')

  const fault = noteOwner(socket)
  const mode = statSync(`${socket}.owner`).mode & 0o777
  const found = findOwner(socket)
  removeOwner(socket)

  expect([fault, mode, found?.pid]).toEqual([undefined, 0o600, process.pid])
  expect([findOwner(socket), existsSync(`${socket}.owner`)]).toEqual([undefined, false])
})

test('what a successor has written stays, and a place that cannot be written is told in a sentence (OP-29)', async () => {
  await using dir = await createTempDir()
  const socket = dir.file('s')
  writeFileSync(`${socket}.owner`, '7 pid:[1] later')

  removeOwner(socket)
  const fault = noteOwner(dir.file('nowhere', 's'))

  expect(readFileSync(`${socket}.owner`, 'utf8')).toBe('7 pid:[1] later')
  expect(fault).toMatch(/^Which process this is could not be written to .+ \(ENOENT\); /)
  expect(describeSilence(socket)).toEqual({
    what: `what listens at ${socket} does not answer, and nothing says which process it is`,
    fix: 'stop it where it was started, or give agentd another place with AGENTD_SOCKET',
  })
})
