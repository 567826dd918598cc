/**
 * The session in which a person speaks for themselves (AEQ-21).
 */
import { expect, test } from 'vitest'
import { openForPerson } from '../../../src/cli/envelope/as-entity.ts'
import { connect } from '../../../src/client/index.ts'
import { repositoryIdOf } from '../../../src/gateway/rosters/senders.ts'
import { startInProcess } from '../../server/in-process.ts'
import { git } from '../../support/git.ts'
import { createTempDir } from '../../support/temp-dir.ts'

test('is registered with the repository it is opened in, as other machines call that (FED-68)', async () => {
  await using dir = await createTempDir()
  git(dir.path, 'init', '--quiet')
  git(dir.path, 'remote', 'add', 'origin', 'https://alice:secret@Example.org/Alice/API.git')
  await using server = await startInProcess()
  await using client = await connect({ socket: server.socket })

  const session = await openForPerson(client, 'human.alice', dir.path)

  expect(repositoryIdOf(server.broker.sessions.find(session.address))).toBe('git:example.org/alice/api')
})
